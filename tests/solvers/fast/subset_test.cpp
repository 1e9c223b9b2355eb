#include "solvers/fast/subset.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "compare.hpp"
#include "forms.hpp"
#include "linalg/range_finder.hpp"
#include "problems.hpp"
#include "thread_team.hpp"

namespace svrmu::fast {
namespace {

constexpr Index count = 23;
constexpr std::uint64_t seed = 4;

// The columns of M that the seed draws.
template <class M>
Matrix<float> drawn(const M& matrix) {
  const std::vector<Index> columns = draw_columns(matrix.cols(), count, seed);
  Matrix<float> part(matrix.rows(), count);
  for (Index i = 0; i < count; ++i)
    part.col(i) = matrix.col(columns[static_cast<std::size_t>(i)]).template cast<float>();
  return part;
}

// body(feed) on every member of teams of one to three.
template <class Scalar, class Body>
void in_every_team(const MatrixSource<Scalar>& source, const Body& body) {
  for (const int size : {1, 2, 3}) {
    SCOPED_TRACE("team of " + std::to_string(size));
    std::mutex mutex;  // expectations of several threads
    run_team(size, [&](const Team& team) {
      const auto share = share_of(source, team);
      ColumnFeed<Scalar> feed(*share, team, seed, Scalar(2), {});
      body(feed, mutex);
    });
  }
}

template <class Scalar>
class Subset : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Subset, Scalars);

TYPED_TEST(Subset, IsTheOneThatWasDrawnForEveryTeam) {
  const Matrix<TypeParam> V = noisy(12, 90, 3).cast<TypeParam>();
  in_every_team<TypeParam>(*view(V), [&](ColumnFeed<TypeParam>& feed, std::mutex& mutex) {
    const ColumnSubset<TypeParam> subset(feed, count);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(subset.columns(), draw_columns(90, count, seed));
    EXPECT_DOUBLE_EQ(subset.share_of_V(), 23.0 / 90);
  });
}

TYPED_TEST(Subset, HoldsTheValuesOfADenseVByColumnsAndByRows) {
  const Matrix<TypeParam> V = noisy(12, 90, 3).cast<TypeParam>();
  const RowMatrix<TypeParam> by_rows = V;
  const auto sources = {view(V), view(by_rows)};
  for (const auto& source : sources)
    in_every_team<TypeParam>(*source, [&](ColumnFeed<TypeParam>& feed, std::mutex& mutex) {
      const ColumnSubset<TypeParam> subset(feed, count);
      Matrix<float> values;
      double squared = 0;
      subset.with_dense([&](const auto& v) {
        values = subset.gather(VtS(v, RowMatrix<float>::Identity(12, 12)), subset.places(v));
        squared = feed.total(squared_norm(v));
      });
      const std::lock_guard lock(mutex);
      EXPECT_LT(distance(values, 2 * drawn(V)), 1e-6);  // the feed scales V by two
      EXPECT_NEAR(squared, values.template cast<double>().squaredNorm(), 1e-5 * squared);
    });
}

TYPED_TEST(Subset, HoldsTheEntriesOfASparseV) {
  const SparseMatrix<TypeParam> V = mostly_zero(40, 90).cast<TypeParam>().sparseView();
  in_every_team<TypeParam>(*view(V), [&](ColumnFeed<TypeParam>& feed, std::mutex& mutex) {
    const SparseMatrix<float> part = ColumnSubset<TypeParam>(feed, count).of_sparse();
    const std::lock_guard lock(mutex);
    EXPECT_EQ(Matrix<float>(part), 2 * drawn(Matrix<TypeParam>(V)));
    EXPECT_EQ(part.nonZeros(), (drawn(Matrix<TypeParam>(V)).array() != 0).count());
  });
}

TYPED_TEST(Subset, TakesTheColumnsOfHThatBelongToIt) {
  const Matrix<TypeParam> V = noisy(12, 90, 3).cast<TypeParam>();
  const Matrix<TypeParam> H = random_matrix(3, 90, 9).cast<TypeParam>();
  in_every_team<TypeParam>(*view(V), [&](ColumnFeed<TypeParam>& feed, std::mutex& mutex) {
    Matrix<TypeParam> own(3, feed.samples());
    for (Index j = 0; j < own.cols(); ++j) own.col(j) = H.col(feed.global_sample(j));
    const Matrix<float> part = ColumnSubset<TypeParam>(feed, count).of_H(own);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(part, drawn(H));
  });
}

TYPED_TEST(Subset, CountsItsColumnsUnlessItRepeatsWork) {
  const Matrix<TypeParam> V = noisy(12, 90, 3).cast<TypeParam>();
  const auto source = view(V);
  const Team alone;
  ColumnFeed<TypeParam> feed(*source, alone, seed, TypeParam(1), {});
  ColumnSubset<TypeParam>(feed, count, Counted::nothing).with_dense([](const auto&) {});
  EXPECT_EQ(feed.columns_read(), 0);
  ColumnSubset<TypeParam>(feed, count).with_dense([](const auto&) {});
  EXPECT_EQ(feed.columns_read(), count);
  EXPECT_EQ(feed.gradient_count(), 0);
}

}  // namespace
}  // namespace svrmu::fast
