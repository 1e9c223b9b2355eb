#include "linalg/batch_copies.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "linalg/columns.hpp"
#include "linalg/parallel.hpp"
#include "matrices.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class PackColumns : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(PackColumns, Scalars);

std::vector<Index> scattered(Index columns, Index count) {
  std::vector<Index> list;
  for (Index j = 0; j < count; ++j) list.push_back(j * 7 % columns);
  return list;
}

TYPED_TEST(PackColumns, BringsListedColumnsOfARowMajorMatrixTogether) {
  for (const Index F : {1, 7, 8, 64, 65, 700})
    for (const Kind kind : {Kind::rows, Kind::padded_rows})
      for (const int threads : {1, 3}) {
        SCOPED_TRACE(std::to_string(F) + " features, " + to_text(kind));
        const ThreadScope scope(threads);
        const Matrix<TypeParam> V = with_zeros<TypeParam>(F, 60, 1);
        const Stored<TypeParam> stored(V, kind);
        const std::vector<Index> list = scattered(60, 23);
        const Batch<TypeParam> apart = stored.listed(list, TypeParam(0.5));
        Batch<TypeParam> together = apart;
        std::vector<TypeParam> memory;
        pack_columns(together, memory);
        ASSERT_TRUE(together.list.empty());
        EXPECT_EQ(std::get<DenseColumns<TypeParam>>(together.data).feature_stride, 1);
        EXPECT_EQ(together.scale, apart.scale);
        for (Index j = 0; j < 23; ++j) {
          EXPECT_EQ(together.sample(j), apart.sample(j));
          for_entries(together, j, [&](Index f, TypeParam x) {
            EXPECT_EQ(x, TypeParam(0.5) * V(f, list[static_cast<std::size_t>(j)]));
          });
        }
      }
}

TYPED_TEST(PackColumns, ChangesNoBitOfAProduct) {
  constexpr Index K = 5;
  const Matrix<TypeParam> V = random_matrix<Matrix<TypeParam>>(700, 300, 1);
  const auto W = random_matrix<RowMatrix<TypeParam>>(700, K, 2);
  const auto h = random_matrix<Matrix<TypeParam>>(K, 150, 3);
  const std::vector<Index> list = scattered(300, 150);
  const Stored<TypeParam> rows(V, Kind::rows);
  const Stored<TypeParam> columns(V, Kind::columns);
  const auto products = [&](const Batch<TypeParam>& v) {
    Matrix<TypeParam> WtV(K, v.count);
    multiply_WtV(W, v, WtV.data());
    RowMatrix<TypeParam> VHt = RowMatrix<TypeParam>::Zero(700, K);
    add_VHt(v, h.data(), K, VHt);
    return std::pair(WtV, VHt);
  };
  Batch<TypeParam> packed = rows.listed(list);
  std::vector<TypeParam> memory;
  pack_columns(packed, memory);
  EXPECT_EQ(products(packed), products(rows.listed(list)));
  EXPECT_EQ(products(packed), products(columns.listed(list)));
}

TYPED_TEST(PackColumns, LeavesOthersWhereTheyLie) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(9, 20, 1);
  const std::vector<Index> list = scattered(20, 6);
  std::vector<TypeParam> memory;
  for (const Kind kind : {Kind::columns, Kind::sparse32, Kind::sparse64}) {
    const Stored<TypeParam> stored(V, kind);
    Batch<TypeParam> v = stored.listed(list);
    pack_columns(v, memory);
    EXPECT_EQ(v.list.data(), list.data()) << to_text(kind);
  }
  const Stored<TypeParam> rows(V, Kind::rows);
  Batch<TypeParam> side_by_side = rows.range(3, 6);
  pack_columns(side_by_side, memory);
  EXPECT_EQ(side_by_side.first, 3);
  EXPECT_TRUE(memory.empty()) << "nothing was copied";
}

}  // namespace
}  // namespace svrmu
