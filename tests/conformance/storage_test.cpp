// The same V, wherever and however it lies, gives the same answer.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "compare.hpp"
#include "forms.hpp"
#include "problems.hpp"
#include "sources.hpp"
#include "tolerance.hpp"

namespace svrmu {
namespace {

constexpr Index rank = 4;

class Storage : public OverSolvers {
 protected:
  template <class Scalar>
  FitResult<Scalar> run(const MatrixSource<Scalar>& source, const Settings& more = {}) const {
    Settings settings = {{"batch_size", "7"}};
    settings.insert(settings.end(), more.begin(), more.end());
    return fit(source, configured(GetParam(), settings), epochs<Scalar>(6, rank));
  }
};

// Columns with a gap between them, filled with what must not be read.
template <class Scalar>
struct Strided {
  explicit Strided(const Matrix<Scalar>& V, Layout layout) {
    const bool by_columns = layout == Layout::columns_contiguous;
    const Index run = by_columns ? V.rows() : V.cols();
    const Index runs = by_columns ? V.cols() : V.rows();
    stride = run + 3;
    values.assign(static_cast<std::size_t>(stride * runs), std::numeric_limits<Scalar>::quiet_NaN());
    for (Index j = 0; j < V.cols(); ++j)
      for (Index i = 0; i < V.rows(); ++i)
        values[static_cast<std::size_t>(by_columns ? j * stride + i : i * stride + j)] = V(i, j);
    source = view_dense(values.data(), V.rows(), V.cols(), layout, stride);
  }
  Index stride = 0;
  std::vector<Scalar> values;
  std::unique_ptr<MatrixSource<Scalar>> source;
};

template <class Scalar>
class EveryStorage {
 public:
  explicit EveryStorage(const Matrix<double>& values)
      : V(values.cast<Scalar>()), rows(V), sparse(V.sparseView()) {
    offsets.assign(sparse.outerIndexPtr(), sparse.outerIndexPtr() + sparse.outerSize() + 1);
    places.assign(sparse.innerIndexPtr(), sparse.innerIndexPtr() + sparse.nonZeros());
    by_rows = sparse;
  }
  Matrix<Scalar> V;
  RowMatrix<Scalar> rows;
  SparseMatrix<Scalar> sparse;
  std::vector<std::int32_t> offsets;
  std::vector<std::int32_t> places;
  Eigen::SparseMatrix<Scalar, Eigen::RowMajor, Index> by_rows;

  // The same entries in every other width of offsets and rows, and by rows.
  std::vector<std::unique_ptr<MatrixSource<Scalar>>> other_sparse() const {
    const Index* wide_offsets = sparse.outerIndexPtr();
    const Index* wide_places = sparse.innerIndexPtr();
    const Scalar* values = sparse.valuePtr();
    std::vector<std::unique_ptr<MatrixSource<Scalar>>> sources;
    sources.push_back(view_sparse(V.rows(), V.cols(), offsets.data(), places.data(), values));
    sources.push_back(view_sparse(V.rows(), V.cols(), offsets.data(), wide_places, values));
    sources.push_back(view_sparse(V.rows(), V.cols(), wide_offsets, places.data(), values));
    sources.push_back(sorted_columns(V.rows(), V.cols(), wide_offsets, places.data(), values));
    sources.push_back(view_sparse_rows(V.rows(), V.cols(), by_rows.outerIndexPtr(), by_rows.innerIndexPtr(),
                                       by_rows.valuePtr()));
    return sources;
  }
};

template <class Body>
void in_both_precisions(const Body& body) {
  for (const NamedProblem& problem : {NamedProblem{"mostly zero", mostly_zero(17, 31), rank},
                                      NamedProblem{"with outliers", with_outliers(17, 31, 3), rank}}) {
    SCOPED_TRACE(problem.name);
    body(EveryStorage<double>(problem.V));
    body(EveryStorage<float>(problem.V));
  }
}

// Some make as many inner updates or sweeps as the stored entries are worth, unless told how many.
TEST_P(Storage, SparseAndDenseGiveTheSameFactors) {
  Settings settings;
  if (GetParam() == "mu-acc" || GetParam() == "hals-acc") settings = {{"h_rule_limit", "4"}};
  if (GetParam() == "hals-ext" || GetParam() == "fast") settings = {{"sweeps", "4"}};
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    expect_close(this->run(*view(s.sparse), settings), this->run(*view(s.V), settings),
                 Tolerance<Scalar>::storage);
  });
}

TEST_P(Storage, SparseAndDenseKeepTheSameOutliers) {
  if (!is_robust_name(GetParam())) return;
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    const Settings keep = {{"outlier_update", "multiplicative"}};
    expect_close(this->run(*view(s.sparse), keep), this->run(*view(s.V), keep), Tolerance<Scalar>::storage);
  });
}

TEST_P(Storage, RowMajorGivesTheFactorsOfColumnMajor) {
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    expect_close(this->run(*view(s.rows)), this->run(*view(s.V)), Tolerance<Scalar>::storage);
  });
}

TEST_P(Storage, GapsBetweenColumnsOrRowsAreNeverRead) {
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    for (const Layout layout : {Layout::columns_contiguous, Layout::rows_contiguous})
      expect_close(this->run(*Strided<Scalar>(s.V, layout).source), this->run(*view(s.V)),
                   Tolerance<Scalar>::storage);
  });
}

TEST_P(Storage, WidthsOfSparseIndicesAndTheirDirectionChangeNoBit) {
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    const auto expected = this->run(*view(s.sparse));
    for (const auto& source : s.other_sparse()) {
      const auto found = this->run(*source);
      expect_same_bits(found, expected);
      expect_same_history(found, expected);
    }
  });
}

TEST_P(Storage, StreamedCopiesGiveTheBitsOfMemory) {
  in_both_precisions([&]<class Scalar>(const EveryStorage<Scalar>& s) {
    SCOPED_TRACE(precision_name<Scalar>());
    for (const std::string order : {"cyclic", "permute_once"}) {
      const auto streamed = this->run(CopyingSource<Scalar>(s.V), {{"order", order}});
      const auto in_memory = this->run(*view(s.V), {{"order", order}});
      expect_same_bits(streamed, in_memory);
      expect_same_history(streamed, in_memory);
    }
  });
}

TEST_P(Storage, StreamedCopiesGiveTheBitsOfMemoryOverSeveralTiles) {
  const Matrix<double> V = noisy(300, 400, 3);
  const SolverOptions solver = configured(GetParam(), {{"batch_size", "150"}});
  const auto streamed = fit(CopyingSource<double>(V), solver, epochs<double>(2, 7));
  const auto in_memory = fit(*view(V), solver, epochs<double>(2, 7));
  expect_same_bits(streamed, in_memory);
  expect_same_history(streamed, in_memory);
}

INSTANTIATE_TEST_SUITE_P(Every, Storage, testing::ValuesIn(all_solvers()), test_name);

}  // namespace
}  // namespace svrmu
