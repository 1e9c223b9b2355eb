#include "linalg/columns.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/batch_scan.hpp"
#include "linalg/random_items.hpp"
#include "matrices.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class Columns : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Columns, Scalars);

TYPED_TEST(Columns, EntriesAreThoseOfEveryStorage) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(12, 9, 1);
  for (const Kind kind : all_kinds) {
    SCOPED_TRACE(to_text(kind));
    const Stored<TypeParam> stored(V, kind);
    const std::vector<Index> list{7, 2, 5};
    for (const Batch<TypeParam>& v : {stored.all(), stored.range(3, 4, TypeParam(8)), stored.listed(list)}) {
      Matrix<TypeParam> out = Matrix<TypeParam>::Zero(V.rows(), v.count);
      for (Index j = 0; j < v.count; ++j) {
        Index last = -1;
        for_entries(v, j, [&](Index f, TypeParam value) {
          EXPECT_GT(f, last) << "features increase";
          out(f, j) = value;
          last = f;
        });
      }
      EXPECT_EQ(out.template cast<double>(), values_of(V, v));
    }
  }
}

TYPED_TEST(Columns, ScanIsTheSameInOneBatchAndInSeveral) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(40, 300, 2);
  for (const Kind kind : all_kinds) {
    SCOPED_TRACE(to_text(kind));
    const Stored<TypeParam> stored(V, kind);
    ColumnScan scan;
    RowMatrix<TypeParam> seen = RowMatrix<TypeParam>::Zero(V.rows(), 1);
    for (const Index first : {0, 100, 200}) {
      scan_columns(stored.range(first, 100), scan);
      mark_rows(stored.range(first, 100), seen);
    }
    EXPECT_EQ(scan.nonzeros, static_cast<double>((V.array() != TypeParam(0)).count()));
    EXPECT_EQ(scan.zero.count, static_cast<double>((V.array() == TypeParam(0)).count()));
    EXPECT_EQ(scan.max, static_cast<double>(V.maxCoeff()));
    EXPECT_NEAR(scan.sum, V.template cast<double>().sum(), 1e-9 * scan.sum);
    EXPECT_EQ(scan.nan.count + scan.infinite.count + scan.negative.count, 0);
    for (Index f = 0; f < V.rows(); ++f)
      EXPECT_EQ(seen(f) != TypeParam(0), (V.row(f).array() != TypeParam(0)).any());
  }
}

TYPED_TEST(Columns, RandomItemsAreThoseOfTheirPlaces) {
  const Random random(5, Purpose::start_h);
  Matrix<TypeParam> H(7, 600);
  fill_uniform<TypeParam>(
      random, 2.0, H.cols(), H.rows(), [](Index n) { return 3 * n + 1; }, H.data());
  for (Index n = 0; n < H.cols(); ++n)
    for (Index k = 0; k < H.rows(); ++k)
      ASSERT_EQ(H(k, n), static_cast<TypeParam>(2.0 * random.uniform(3 * n + 1, k)));
}

}  // namespace
}  // namespace svrmu
