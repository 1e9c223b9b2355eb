#include "linalg/range_finder.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "linalg/parallel.hpp"
#include "matrices.hpp"

namespace svrmu {
namespace {

constexpr Index rank = 4;

void alone(Matrix<double>& sum) { EXPECT_TRUE(sum.allFinite()); }

std::vector<Index> count_up_to(Index n) {
  std::vector<Index> items(static_cast<std::size_t>(n));
  std::iota(items.begin(), items.end(), Index{0});
  return items;
}

template <class Scalar>
Matrix<Scalar> of_low_rank(Index F, Index N) {
  return random_matrix<Matrix<Scalar>>(F, rank, 1) * random_matrix<Matrix<Scalar>>(rank, N, 2);
}

RowMatrix<float> signs(Index n, Index l) {
  return random_signs(count_up_to(n), l, Random(3, Purpose::sketch));
}

template <class Scalar>
class RangeFinder : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RangeFinder, Scalars);

TYPED_TEST(RangeFinder, SpansTheColumnsOfAMatrixOfLowRank) {
  const ThreadScope threads(2);
  const Matrix<TypeParam> V = of_low_rank<TypeParam>(700, 333);
  std::vector<Index> list;
  for (Index n = 332; n >= 0; n -= 2) list.push_back(n);
  for (const Kind kind : all_kinds) {
    SCOPED_TRACE(to_text(kind));
    const Stored<TypeParam> stored(V, kind);
    for (const Batch<TypeParam>& v : {stored.all(), stored.all(TypeParam(8)), stored.listed(list)}) {
      const Matrix<double> Q = range_finder(v, signs(v.count, 6), 2, alone).template cast<double>();
      const Matrix<double> left = V.template cast<double>() - Q * (Q.transpose() * V.template cast<double>());
      EXPECT_LT(left.norm(), 1e-5 * V.norm());
      // Directions beyond the rank are zeros, or as short as rounding makes them: never longer than one.
      EXPECT_LT((Q.transpose() * Q).diagonal().maxCoeff(), 1 + 1e-5);
    }
  }
}

TYPED_TEST(RangeFinder, GivesAMemberWithoutColumnsWhatItsPartnerFinds) {
  const ThreadScope threads(1);
  const Matrix<TypeParam> V = of_low_rank<TypeParam>(90, 40);
  const Stored<TypeParam> stored(V, Kind::columns);
  const RowMatrix<float> whole = range_finder(stored.all(), signs(40, 4), 2, alone);
  std::vector<Matrix<double>> sums;
  range_finder(stored.all(), signs(40, 4), 2, [&](Matrix<double>& sum) { sums.push_back(sum); });
  std::size_t at = 0;
  const RowMatrix<float> other = range_finder(stored.range(0, 0), signs(0, 4), 2, [&](Matrix<double>& sum) {
    EXPECT_EQ(sum.norm(), 0);
    sum = sums.at(at++);
  });
  EXPECT_EQ(at, sums.size());
  EXPECT_TRUE(other == whole);
}

TYPED_TEST(RangeFinder, VtSIsVTransposedTimesS) {
  const ThreadScope threads(2);
  const Matrix<TypeParam> V = with_zeros<TypeParam>(130, 70, 1);
  const auto Q = random_matrix<RowMatrix<float>>(130, 5, 2);
  for (const Kind kind : all_kinds) {
    SCOPED_TRACE(to_text(kind));
    const Stored<TypeParam> stored(V, kind);
    expect_near<float>(VtS(stored.all(), Q), times(V.transpose(), Q));
  }
}

TEST(RandomSigns, DependOnTheItemOnly) {
  const RowMatrix<float> all = signs(9, 200);
  const RowMatrix<float> some = random_signs({7, 2}, 200, Random(3, Purpose::sketch));
  EXPECT_TRUE(some.row(0) == all.row(7));
  EXPECT_TRUE(some.row(1) == all.row(2));
  EXPECT_TRUE((all.array().abs() == 1).all());
  EXPECT_LT(std::abs(all.sum()), 200);  // of 1800 signs
}

}  // namespace
}  // namespace svrmu
