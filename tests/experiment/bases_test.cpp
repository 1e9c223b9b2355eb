#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"

namespace svrmu::experiment {
namespace {

Matrix<double> random_numbers(Index rows, Index columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Matrix<double>::NullaryExpr(rows, columns, [&] { return uniform(generator); });
}

double sum_of(const Matrix<double>& gain, const std::vector<Index>& assigned) {
  double sum = 0;
  for (Index i = 0; i < gain.rows(); ++i) sum += gain(i, assigned[static_cast<std::size_t>(i)]);
  return sum;
}

TEST(BestAssignment, IsTheBestOfAll) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Index rows = 1 + seed % 5;
    const Index columns = rows + seed % 3;
    const Matrix<double> gain = random_numbers(rows, columns, seed);
    const std::vector<Index> assigned = best_assignment(gain);
    ASSERT_EQ(static_cast<Index>(assigned.size()), rows);
    std::vector<Index> sorted = assigned;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "a column is used twice";

    std::vector<Index> order(static_cast<std::size_t>(columns));
    std::iota(order.begin(), order.end(), Index{0});
    double best = -1e300;
    do best = std::max(best, sum_of(gain, order));
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(sum_of(gain, assigned), best, 1e-12) << seed;
  }
}

TEST(BestAssignment, GivesUpTheLargestEntryForALargerSum) {
  Matrix<double> gain(2, 2);
  gain << 10, 9, 9, 1;
  EXPECT_EQ(best_assignment(gain), (std::vector<Index>{1, 0}));
}

TEST(BestAssignment, RefusesWhatHasNone) {
  EXPECT_THROW(best_assignment(Matrix<double>::Ones(3, 2)), InvalidInput);
  EXPECT_THROW(best_assignment(Matrix<double>::Constant(2, 2, std::nan(""))), InvalidInput);
  EXPECT_TRUE(best_assignment(Matrix<double>(0, 3)).empty());
}

TEST(CenteredCosines, AreCorrelations) {
  RowMatrix<double> A(3, 2), B(3, 2);
  A << 1, 7, 2, 7, 3, 7;
  B << 30, 1, 20, 5, 10, 3;
  const Matrix<double> cosines = centered_cosines(A, B);
  EXPECT_NEAR(cosines(0, 0), -1, 1e-15);
  EXPECT_NEAR(cosines(0, 1), 0.5, 1e-15);
  EXPECT_EQ(cosines(1, 0), 0) << "a constant component is like nothing";
  EXPECT_THROW(centered_cosines(A, RowMatrix<double>::Ones(4, 2)), InvalidInput);
}

TEST(MatchedCosine, IsOneForTheSameBasesInAnotherOrderAndSize) {
  const RowMatrix<double> A = random_numbers(30, 4, 1);
  RowMatrix<double> B(30, 4);
  for (const Index k : {0, 1, 2, 3}) B.col(k) = (k + 2) * A.col(3 - k);
  EXPECT_NEAR(matched_cosine(A, B), 1, 1e-14);
  EXPECT_NEAR(matched_cosine(A, (B.array() + 5).matrix()), 1, 1e-14) << "a common gray does not count";
  EXPECT_LT(matched_cosine(A, random_numbers(30, 4, 2)), 0.6);
  EXPECT_NEAR(matched_cosine(A, A.leftCols(2)), 1, 1e-14) << "the fewer are paired";
  EXPECT_TRUE(std::isnan(matched_cosine(RowMatrix<double>(30, 0), A)));
}

}  // namespace
}  // namespace svrmu::experiment
