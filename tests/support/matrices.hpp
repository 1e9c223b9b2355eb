// Matrices in every layout that a batch can have, and the plainest products of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "random_matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

template <class Scalar>
constexpr double rounding = 200 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

enum class Kind { columns, rows, padded_columns, padded_rows, sparse32, sparse64 };
constexpr Kind all_kinds[] = {Kind::columns,     Kind::rows,     Kind::padded_columns,
                              Kind::padded_rows, Kind::sparse32, Kind::sparse64};
inline std::string to_text(Kind kind) {
  constexpr const char* names[] = {"columns",     "rows",     "padded columns",
                                   "padded rows", "sparse32", "sparse64"};
  return names[static_cast<int>(kind)];
}
inline bool is_sparse(Kind kind) { return kind == Kind::sparse32 || kind == Kind::sparse64; }

// About 6 of 10 entries are zero, and every fifth column is empty.
template <class Scalar>
Matrix<Scalar> with_zeros(Index rows, Index cols, std::uint64_t seed) {
  const Random random(seed, Purpose::fill_w);
  Matrix<Scalar> V = random_matrix<Matrix<Scalar>>(rows, cols, seed);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (j % 5 == 4 || random.uniform(i, j) < 0.6) V(i, j) = 0;
  return V;
}

// V in one of the layouts, and batches of it.
template <class Scalar>
class Stored {
 public:
  Stored(const Matrix<Scalar>& V, Kind kind) : V_(V), kind_(kind) {
    const Index F = V.rows();
    const Index N = V.cols();
    const Index gap = kind == Kind::padded_columns || kind == Kind::padded_rows ? 3 : 0;
    if (kind == Kind::sparse32 || kind == Kind::sparse64) {
      offsets64_.push_back(0);
      for (Index n = 0; n < N; ++n) {
        for (Index f = 0; f < F; ++f)
          if (V(f, n) != Scalar(0)) {
            rows64_.push_back(f);
            values_.push_back(V(f, n));
          }
        offsets64_.push_back(static_cast<std::int64_t>(rows64_.size()));
      }
      offsets32_.assign(offsets64_.begin(), offsets64_.end());
      rows32_.assign(rows64_.begin(), rows64_.end());
      return;
    }
    const bool by_columns = kind == Kind::columns || kind == Kind::padded_columns;
    stride_ = (by_columns ? F : N) + gap;
    values_.assign(static_cast<std::size_t>(stride_ * (by_columns ? N : F)), Scalar(-1e9));
    for (Index n = 0; n < N; ++n)
      for (Index f = 0; f < F; ++f)
        values_[static_cast<std::size_t>(by_columns ? n * stride_ + f : f * stride_ + n)] = V(f, n);
  }

  ColumnData<Scalar> data() const {
    switch (kind_) {
      case Kind::columns:
      case Kind::padded_columns:
        return DenseColumns<Scalar>{values_.data(), 1, stride_};
      case Kind::rows:
      case Kind::padded_rows:
        return DenseColumns<Scalar>{values_.data(), stride_, 1};
      case Kind::sparse32:
        return SparseColumns<Scalar, std::int32_t>{offsets32_.data(), rows32_.data(), values_.data()};
      case Kind::sparse64:
        return SparseColumns<Scalar, std::int64_t>{offsets64_.data(), rows64_.data(), values_.data()};
    }
    return {};
  }

  // Columns first .. first + count.
  Batch<Scalar> range(Index first, Index count, Scalar scale = 1) const {
    Batch<Scalar> v;
    v.data = data();
    v.count = count;
    v.first = first;
    v.features = V_.rows();
    v.first_sample = first;
    v.total = count;
    v.scale = scale;
    return v;
  }
  Batch<Scalar> all(Scalar scale = 1) const { return range(0, V_.cols(), scale); }
  // Listed columns; samples are numbered alike.
  Batch<Scalar> listed(const std::vector<Index>& list, Scalar scale = 1) const {
    Batch<Scalar> v = range(0, static_cast<Index>(list.size()), scale);
    v.list = list;
    v.samples = list;
    return v;
  }

 private:
  const Matrix<Scalar> V_;
  Kind kind_;
  Index stride_ = 0;
  std::vector<Scalar> values_;
  std::vector<std::int32_t> offsets32_, rows32_;
  std::vector<std::int64_t> offsets64_, rows64_;
};

// What the batch holds, as numbers.
template <class Scalar>
Matrix<double> values_of(const Matrix<Scalar>& V, const Batch<Scalar>& v) {
  Matrix<double> out(V.rows(), v.count);
  for (Index j = 0; j < v.count; ++j)
    out.col(j) = static_cast<double>(v.scale) * V.col(v.column(j)).template cast<double>();
  return out;
}

// A B by the plainest triple loop.
template <class A, class B>
Matrix<double> times(const A& a, const B& b) {
  Matrix<double> c = Matrix<double>::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j)
      for (Index k = 0; k < a.cols(); ++k)
        c(i, j) += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
  return c;
}

template <class Scalar, class Actual, class Expected>
void expect_near(const Actual& actual, const Expected& expected, double factor = 1) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  if (actual.size() == 0) return;
  const Matrix<double> a = actual.template cast<double>();
  const Matrix<double> e = expected.template cast<double>();
  ASSERT_TRUE(a.allFinite());
  EXPECT_LE((a - e).cwiseAbs().maxCoeff(), factor * rounding<Scalar> * e.cwiseAbs().maxCoeff());
}

// Features, components, columns.
struct Sizes {
  Index F, K, N;
};
inline std::string to_text(const Sizes& s) {
  return std::to_string(s.F) + " x " + std::to_string(s.K) + " x " + std::to_string(s.N);
}
constexpr Sizes odd_sizes[] = {{1, 1, 1},    {1, 3, 7},   {9, 4, 0},     {6, 1, 11},
                               {5, 17, 130}, {40, 33, 2}, {2100, 3, 11}, {300, 17, 600}};

}  // namespace svrmu
