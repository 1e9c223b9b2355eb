// Sums over columns for the step of W.
#include "objective/sums.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "linalg/batch_products.hpp"
#include "linalg/copies.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {

namespace {

template <class Scalar>
void blend_into(double a, RowMatrix<Scalar>& x, double b, const RowMatrix<Scalar>& y) {
  parallel_tiles(x.size(), 1 << 15, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      x.data()[i] = static_cast<Scalar>(a) * x.data()[i] + static_cast<Scalar>(b) * y.data()[i];
  });
}

}  // namespace

template <class Scalar>
void Sums<Scalar>::reset(const DataTerm<Scalar>& term, Index F, Index K) {
  assign_zero(up, F, K);
  HHt.setZero(term.frobenius() ? K : 0, term.frobenius() ? K : 0);
  h_sum.setZero(term.kl() ? K : 0, term.kl() ? 1 : 0);
  const bool needs_rest = term.outliers == OutlierModel::multiplicative || !(term.frobenius() || term.kl());
  assign_zero(rest, needs_rest ? F : 0, needs_rest ? K : 0);
  traces.reset();
}

template <class Scalar>
Traces traces_of(const RowMatrix<Scalar>& W, const Sums<Scalar>& sums) {
  return {inner_product(W, sums.up), inner_product(WtW(W), sums.HHt)};
}

template <class Scalar>
Traces traces_by_columns(ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) {
  const Index K = f.W.cols();
  double cross = 0;
  Matrix<double> HHt = Matrix<double>::Zero(K, K);
  std::vector<double> parts;
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns)) {
    parts.assign(static_cast<std::size_t>((v.count + column_tile - 1) / column_tile), 0);
    parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
      Workspace work;
      auto* A = work.take<Scalar>(K * (j1 - j0));
      WtV_tile(f.W, v, j0, j1, A);
      parts[static_cast<std::size_t>(j0 / column_tile)] =
          inner_product(A, f.H.data() + v.sample(j0) * K, K * (j1 - j0));
    });
    for (const double part : parts) cross += part;
    HHt += gram(f.H.data() + v.sample(0) * K, v.count, K).template cast<double>();
  }
  Matrix<Scalar> total = HHt.template cast<Scalar>();
  feed.total(total);
  return {feed.total(cross), inner_product(WtW(f.W), total)};
}

template <class Scalar>
void Sums<Scalar>::add_down(double scale, const RowMatrix<Scalar>& W, Combination<Scalar>& down) const {
  if (HHt.size() > 0) down.add(scale, W, HHt);
  if (h_sum.size() > 0) down.add_row(scale, h_sum);
  if (rest.size() > 0) down.add(scale, rest);
}

template <class Scalar>
void multiply_by_ratio(RowMatrix<Scalar>& W, const Sums<Scalar>& sums, Shrink<Scalar> shrink, double step,
                       double exponent) {
  Combination<Scalar> up;
  Combination<Scalar> down;
  up.add(1, sums.up);
  sums.add_down(1, W, down);
  multiply_by_ratio(W, up, down, shrink, step, exponent);
}

template <class Scalar>
void Sums<Scalar>::blend(double a, const Sums& other, double b) {
  const auto x = static_cast<Scalar>(a);
  const auto y = static_cast<Scalar>(b);
  blend_into(a, up, b, other.up);
  HHt = x * HHt + y * other.HHt;
  h_sum = x * h_sum + y * other.h_sum;
  blend_into(a, rest, b, other.rest);
}

namespace {

// Adds what the entries of V (transformed by loss or clipping) contribute to up and rest.
template <class Scalar>
void add_transformed(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                     const Matrix<Scalar>& h, const Matrix<Scalar>& hw, Sums<Scalar>& sums) {
  const Index K = W.cols();
  if (on_pattern(term, v)) {
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
            for_row_blocks(v, data, [&](Index j, const auto& e, Index begin, Index n) {
              Workspace work;
              const Scalar* values = scaled_values(e.values + begin, n, v.scale, work);
              auto* y = work.take<Scalar>(n);
              pattern_parts(term, W, e.rows + begin, values, n, h.data() + j * K, y);
              scatter(e.rows + begin, y, n, hw.data() + j * K, K, Scalar(1), sums.up.data());
            });
          }
        },
        v.data);
    return;
  }
  const RowBlocks blocks(v.features, false);
  constexpr Index width = 256;
  parallel_for(blocks.count, [&](Index b) {
    const Index f0 = blocks.begin(b);
    const Index f1 = blocks.end(b);
    const Index height = f1 - f0;
    for (Index j0 = 0; j0 < v.count; j0 += width) {
      const Index n = std::min(v.count, j0 + width) - j0;
      Workspace work;
      auto* x = work.take<Scalar>(height * n);
      auto* y = work.take<Scalar>(height * n);
      approximate(W, f0, f1, h.data() + j0 * K, n, x);
      copy_block(v, f0, f1, j0, j0 + n, y);
      entry_parts(term, y, x, height * n, y, x);
      gemm(Op::plain, Op::transposed, K, height, n, Scalar(1), hw.data() + j0 * K, K, y, height, Scalar(1),
           sums.up.data() + f0 * K, K);
      if (sums.rest.size() > 0)
        gemm(Op::plain, Op::transposed, K, height, n, Scalar(1), hw.data() + j0 * K, K, x, height, Scalar(1),
             sums.rest.data() + f0 * K, K);
    }
  });
}

// rest += R h' on the batch.
template <class Scalar>
void add_RHt(const Batch<Scalar>& v, const Outliers<Scalar>& R, const Matrix<Scalar>& hw,
             RowMatrix<Scalar>& rest) {
  if (R.dense.size() > 0) {
    Batch<Scalar> r = v;
    r.data = DenseColumns<Scalar>{R.dense.data(), 1, R.dense.rows()};
    r.first = v.first_sample;
    r.list = v.samples;
    r.scale = 1;
    add_VHt(r, hw.data(), hw.rows(), rest);
    return;
  }
  std::visit(
      [&](const auto& data) {
        if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
          for_row_blocks(v, data, [&](Index j, const auto& e, Index begin, Index n) {
            scatter(e.rows + begin, stored_outliers(R, v, j) + begin, n, hw.data() + j * hw.rows(), hw.rows(),
                    Scalar(1), rest.data());
          });
        }
      },
      v.data);
}

template <class Scalar>
Matrix<Scalar> weighted(const Batch<Scalar>& v, const Matrix<Scalar>& h) {
  return h * Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(v.weights.data(), v.count)
                 .matrix()
                 .asDiagonal();
}

// Everything but V h' of the plain Frobenius case.
template <class Scalar>
void add_all_but_VHt(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                     const Matrix<Scalar>& h, const Matrix<Scalar>& hw, const Outliers<Scalar>& R,
                     Sums<Scalar>& sums) {
  const Scalar* weights = v.weights.empty() ? nullptr : v.weights.data();
  if (term.frobenius()) sums.HHt += gram(h.data(), v.count, h.rows(), weights);
  if (term.kl()) sums.h_sum += item_sum(h.data(), v.count, h.rows(), weights);
  if (!term.frobenius() || term.outliers == OutlierModel::closed_form)
    add_transformed(term, W, v, h, hw, sums);
  if (term.outliers == OutlierModel::multiplicative) add_RHt(v, R, hw, sums.rest);
}

template <class Scalar>
bool plain_VHt(const DataTerm<Scalar>& term) {
  return term.frobenius() && term.outliers != OutlierModel::closed_form;
}

}  // namespace

template <class Scalar>
void add_sums(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
              const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums) {
  if (v.count == 0) return;
  Matrix<Scalar> repeated;
  if (!v.weights.empty()) repeated = weighted(v, h);
  const Matrix<Scalar>& hw = v.weights.empty() ? h : repeated;
  if (plain_VHt(term)) add_VHt(v, hw.data(), h.rows(), sums.up);
  add_all_but_VHt(term, W, v, h, hw, R, sums);
}

template <class Scalar>
void add_sums_pair(const DataTerm<Scalar>& term, const Batch<Scalar>& v, const RowMatrix<Scalar>& W,
                   const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums,
                   const RowMatrix<Scalar>& Ws, const Matrix<Scalar>& hs, const Outliers<Scalar>& Rs,
                   Sums<Scalar>& sums_s) {
  if (v.count == 0) return;
  if (!plain_VHt(term) || !v.weights.empty()) {
    add_sums(term, W, v, h, R, sums);
    add_sums(term, Ws, v, hs, Rs, sums_s);
    return;
  }
  add_VHt(v, h.data(), h.rows(), sums.up, hs.data(), &sums_s.up);
  add_all_but_VHt(term, W, v, h, h, R, sums);
  add_all_but_VHt(term, Ws, v, hs, hs, Rs, sums_s);
}

template <class Scalar>
void assumed_sums(const DataTerm<Scalar>& term, const Factors<Scalar>& f, Sums<Scalar>& sums) {
  sums.reset(term, f.W.rows(), f.W.cols());
  sums.HHt = HHt(f.H);
  sums.up = Combination<Scalar>().add(1, f.W, sums.HHt).evaluate(f.W.rows(), f.W.cols());
}

template <class Scalar>
void all_sums(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, Counted counted,
              const Factors<Scalar>& f, Sums<Scalar>& sums) {
  sums.reset(term, f.W.rows(), f.W.cols());
  Matrix<Scalar> h;
  for (const Batch<Scalar>& v : feed.blocks(counted)) {
    take_columns(f.H, v, h);
    add_sums(term, f.W, v, h, f.R, sums);
  }
  sums.total_over(feed);
}

#define SVRMU_INSTANTIATE(S)                                                                                 \
  template struct Sums<S>;                                                                                   \
  template void add_sums<S>(const DataTerm<S>&, const RowMatrix<S>&, const Batch<S>&, const Matrix<S>&,      \
                            const Outliers<S>&, Sums<S>&);                                                   \
  template void add_sums_pair<S>(const DataTerm<S>&, const Batch<S>&, const RowMatrix<S>&, const Matrix<S>&, \
                                 const Outliers<S>&, Sums<S>&, const RowMatrix<S>&, const Matrix<S>&,        \
                                 const Outliers<S>&, Sums<S>&);                                              \
  template Traces traces_of<S>(const RowMatrix<S>&, const Sums<S>&);                                         \
  template Traces traces_by_columns<S>(ColumnFeed<S>&, const Factors<S>&);                                   \
  template void assumed_sums<S>(const DataTerm<S>&, const Factors<S>&, Sums<S>&);                            \
  template void all_sums<S>(const DataTerm<S>&, ColumnFeed<S>&, Counted, const Factors<S>&, Sums<S>&);       \
  template void multiply_by_ratio<S>(RowMatrix<S>&, const Sums<S>&, Shrink<S>, double, double);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
