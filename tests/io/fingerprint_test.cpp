#include "io/fingerprint.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "files.hpp"
#include "problems.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {
namespace {

// A matrix as a file would have it. `V` is features x samples.
template <class Scalar>
MatrixFile stored_dense(const Matrix<Scalar>& V, SamplesIn samples, Layout layout) {
  const Matrix<Scalar> M = samples == SamplesIn::rows ? Matrix<Scalar>(V.transpose()) : V;
  const auto values = std::make_shared<std::vector<Scalar>>(static_cast<std::size_t>(M.size()));
  for (Index i = 0; i < M.rows(); ++i)
    for (Index j = 0; j < M.cols(); ++j)
      (*values)[static_cast<std::size_t>(layout == Layout::columns_contiguous ? j * M.rows() + i
                                                                              : i * M.cols() + j)] = M(i, j);
  MatrixFile file;
  file.rows = M.rows();
  file.columns = M.cols();
  file.samples = samples;
  file.matrix = StoredDense<Scalar>{values->data(), layout};
  file.storage = values;
  return file;
}

template <class Scalar, int Order>
MatrixFile stored_sparse(const Matrix<Scalar>& V, SamplesIn samples, bool with_zeros) {
  using Sparse = Eigen::SparseMatrix<Scalar, Order, Index>;
  const Matrix<Scalar> M = samples == SamplesIn::rows ? Matrix<Scalar>(V.transpose()) : V;
  const auto sparse = std::make_shared<Sparse>(M.rows(), M.cols());
  for (Index i = 0; i < M.rows(); ++i)
    for (Index j = 0; j < M.cols(); ++j)
      if (M(i, j) != 0 || (with_zeros && (i + j) % 3 == 0)) sparse->insert(i, j) = M(i, j);
  sparse->makeCompressed();
  MatrixFile file;
  file.rows = M.rows();
  file.columns = M.cols();
  file.samples = samples;
  file.matrix =
      StoredSparse<Scalar>{sparse->outerIndexPtr(), sparse->innerIndexPtr(), sparse->valuePtr(),
                           Order == Eigen::ColMajor ? Layout::columns_contiguous : Layout::rows_contiguous};
  file.storage = sparse;
  return file;
}

template <class Scalar>
std::vector<std::uint64_t> fingerprints(const Matrix<Scalar>& V) {
  std::vector<std::uint64_t> all;
  for (const SamplesIn samples : {SamplesIn::rows, SamplesIn::columns}) {
    for (const Layout layout : {Layout::rows_contiguous, Layout::columns_contiguous})
      all.push_back(fingerprint(stored_dense(V, samples, layout)));
    for (const bool with_zeros : {false, true}) {
      all.push_back(fingerprint(stored_sparse<Scalar, Eigen::ColMajor>(V, samples, with_zeros)));
      all.push_back(fingerprint(stored_sparse<Scalar, Eigen::RowMajor>(V, samples, with_zeros)));
    }
  }
  return all;
}

std::uint64_t fingerprint_of(const Matrix<double>& V) {
  return fingerprint(stored_dense(V, SamplesIn::columns, Layout::columns_contiguous));
}

TEST(Fingerprint, IsTheSameForTheSameMatrixHoweverItIsStored) {
  for (const Index samples : {7, 1300}) {
    Matrix<float> V = mostly_zero(11, samples).cast<float>();
    V(0, 0) = std::numeric_limits<float>::denorm_min();
    V(1, 0) = -0.0f;
    const Matrix<double> same = V.cast<double>();
    const std::uint64_t wanted = fingerprint_of(same);
    for (const std::uint64_t number : fingerprints(V)) EXPECT_EQ(number, wanted);
    for (const std::uint64_t number : fingerprints(same)) EXPECT_EQ(number, wanted);
  }
}

TEST(Fingerprint, ChangesWithEveryValuePlaceAndSize) {
  const Matrix<double> V = mostly_zero(6, 9);
  const std::uint64_t first = fingerprint_of(V);
  for (Index f = 0; f < 6; ++f)
    for (Index n = 0; n < 9; ++n) {
      Matrix<double> other = V;
      other(f, n) += 1e-12;
      EXPECT_NE(fingerprint_of(other), first);
    }
  Matrix<double> other = V;
  other.row(1).swap(other.row(4));
  EXPECT_NE(fingerprint_of(other), first);
  other = V;
  other.col(0).swap(other.col(8));
  EXPECT_NE(fingerprint_of(other), first);
  for (const auto& [features, samples] : {std::pair{7, 9}, std::pair{6, 10}}) {
    other = Matrix<double>::Zero(features, samples);
    other.topLeftCorner(6, 9) = V;
    EXPECT_NE(fingerprint_of(other), first) << "zeros at the end";
  }
  EXPECT_NE(fingerprint_of(V.transpose()), first);
}

TEST(Fingerprint, IsMadeOfPartsInAnyOrder) {
  const Matrix<double> V = mostly_zero(6, 9);
  Fingerprint halves[2];
  for (Index n = 8; n >= 0; --n) {
    std::uint64_t entries = 0;
    for (Index f = 5; f >= 0; --f) entries += Fingerprint::entry(f, V(f, n));
    halves[n % 2].add(n, entries);
  }
  halves[1].add(halves[0]);
  EXPECT_EQ(halves[1].number(6, 9), fingerprint_of(V));
}

// Files keep it: it must be the same number in every version.
TEST(Fingerprint, IsTheNumberThatFilesHave) {
  EXPECT_EQ(fingerprint_of((Matrix<double>(2, 2) << 1, 2, 0, 0.5).finished()), 10368317060771372191u);
}

}  // namespace
}  // namespace svrmu::io
