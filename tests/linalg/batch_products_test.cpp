#include "linalg/batch_products.hpp"

#include <gtest/gtest.h>

#include <array>

#include "linalg/parallel.hpp"
#include "matrices.hpp"

namespace svrmu {
namespace {

// Calls body(V, batch) for every layout, shape and way to name columns.
template <class Scalar, class Body>
void for_batches(const Body& body) {
  const ThreadScope threads(2);
  for (const Sizes& s : odd_sizes)
    for (const Kind kind : all_kinds) {
      SCOPED_TRACE(to_text(s) + ", " + to_text(kind));
      const Matrix<Scalar> V = with_zeros<Scalar>(s.F, s.N, 1);
      const Stored<Scalar> stored(V, kind);
      body(V, stored.all(), s.K);
      body(V, stored.all(Scalar(0x1p-20)), s.K);
      if (s.N < 2) continue;
      body(V, stored.range(1, s.N - 1, Scalar(8)), s.K);
      body(V, stored.range(s.N / 2, 0), s.K);
      std::vector<Index> list;
      for (Index n = s.N - 1; n >= 0; n -= 2) list.push_back(n);
      body(V, stored.listed(list), s.K);
      body(V, stored.listed(list, Scalar(0.25)), s.K);
      const std::vector<Index> single{s.N - 1};
      body(V, stored.listed(single, Scalar(2)), s.K);
    }
}

template <class Scalar>
class BatchProducts : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchProducts, Scalars);

TYPED_TEST(BatchProducts, MultiplyWtVIsWTransposedTimesV) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    const auto W = random_matrix<RowMatrix<TypeParam>>(V.rows(), K, 2);
    Matrix<TypeParam> out = Matrix<TypeParam>::Constant(K, v.count, 77);
    multiply_WtV(W, v, out.data());
    expect_near<TypeParam>(out, times(W.transpose(), values_of(V, v)));
  });
}

TYPED_TEST(BatchProducts, WtVTileIsAPartOfIt) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    if (v.count < 2) return;
    const auto W = random_matrix<RowMatrix<TypeParam>>(V.rows(), K, 2);
    Matrix<TypeParam> out(K, v.count - 1);
    WtV_tile(W, v, 1, v.count, out.data());
    expect_near<TypeParam>(out, times(W.transpose(), values_of(V, v).rightCols(v.count - 1)));
  });
}

TYPED_TEST(BatchProducts, ProjectTileMultipliesByEachBasisInSinglePrecision) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    if (v.count < 2) return;
    const auto wide = random_matrix<RowMatrix<float>>(V.rows(), K + 2, 2);
    const auto narrow = random_matrix<RowMatrix<float>>(V.rows(), K, 3);
    const Index stride = 2 * K + 2;
    Matrix<float> out = Matrix<float>::Constant(stride, v.count - 1, 77);
    const std::array<Projection, 2> both = {{{&wide, out.data()}, {&narrow, out.data() + K + 2}}};
    project_tile(both, v, 1, v.count, stride);
    const Matrix<double> values = values_of(V, v).rightCols(v.count - 1);
    expect_near<float>(out.topRows(K + 2), times(wide.transpose(), values));
    expect_near<float>(out.bottomRows(K), times(narrow.transpose(), values));
  });
}

TYPED_TEST(BatchProducts, AddVHtAddsVTimesHTransposed) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    const auto h = random_matrix<Matrix<TypeParam>>(K, v.count, 3);
    const auto before = random_matrix<RowMatrix<TypeParam>>(V.rows(), K, 4);
    RowMatrix<TypeParam> sum = before;
    add_VHt(v, h.data(), K, sum);
    expect_near<TypeParam>(sum, before.template cast<double>() + times(values_of(V, v), h.transpose()));
  });
}

TYPED_TEST(BatchProducts, AddVHtServesTwoFactorsInOneVisit) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    const auto h = random_matrix<Matrix<TypeParam>>(K, v.count, 3);
    const auto g = random_matrix<Matrix<TypeParam>>(K, v.count, 5);
    RowMatrix<TypeParam> VHt = RowMatrix<TypeParam>::Zero(V.rows(), K);
    RowMatrix<TypeParam> VGt = VHt;
    RowMatrix<TypeParam> VGt_alone = VHt;
    add_VHt(v, h.data(), K, VHt, g.data(), &VGt);
    add_VHt(v, g.data(), K, VGt_alone);
    expect_near<TypeParam>(VHt, times(values_of(V, v), h.transpose()));
    EXPECT_EQ(VGt, VGt_alone);
  });
}

TYPED_TEST(BatchProducts, TakeFactorsInSinglePrecision) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index K) {
    const auto W = random_matrix<RowMatrix<float>>(V.rows(), K, 2);
    const auto h = random_matrix<Matrix<float>>(K, v.count, 3);
    Matrix<float> WtV = Matrix<float>::Constant(K, v.count, 77);
    if (v.count > 0) WtV_tile(W, v, 0, v.count, WtV.data());
    expect_near<float>(WtV, times(W.transpose(), values_of(V, v)));
    RowMatrix<float> VHt = RowMatrix<float>::Zero(V.rows(), K);
    add_VHt(v, h.data(), K, VHt);
    expect_near<float>(VHt, times(values_of(V, v), h.transpose()));
  });
}

TYPED_TEST(BatchProducts, SparseRowsMultiplyAsVDoes) {
  for (const Kind kind : {Kind::sparse32, Kind::sparse64}) {
    const Matrix<TypeParam> V = with_zeros<TypeParam>(400, 700, 1);
    const Stored<TypeParam> stored(V, kind);
    const auto h = random_matrix<Matrix<float>>(20, 700, 3);
    const auto VHt = [&](int count) {
      const ThreadScope scope(count);
      SparseRows<float> rows;
      EXPECT_TRUE(rows.empty());
      // Batch by batch, each with columns of its own.
      const std::array<Batch<TypeParam>, 2> batches = {stored.range(0, 300, TypeParam(2)),
                                                       stored.range(300, 400, TypeParam(2))};
      for (const auto& v : batches) rows.count(v);
      rows.begin_filling();
      for (const auto& v : batches) rows.fill(v);
      RowMatrix<float> product(400, 20);
      rows.multiply(h, product);
      return product;
    };
    expect_near<float>(VHt(1), 2 * times(V, h.transpose()));
    EXPECT_EQ(VHt(1), VHt(3));
  }
}

TYPED_TEST(BatchProducts, CopyBlockIsADenseBlockOfTheBatch) {
  for_batches<TypeParam>([](const auto& V, const Batch<TypeParam>& v, Index) {
    const Index f0 = V.rows() / 3;
    const Index f1 = V.rows() - V.rows() / 4;
    const Index j0 = v.count / 4;
    Matrix<TypeParam> block = Matrix<TypeParam>::Constant(f1 - f0, v.count - j0, 77);
    copy_block(v, f0, f1, j0, v.count, block.data());
    const Matrix<double> expected = values_of(V, v).block(f0, j0, f1 - f0, v.count - j0);
    EXPECT_EQ(block.template cast<double>(), expected);
  });
}

TYPED_TEST(BatchProducts, SplitColumnsCutsEachColumnAtTheRowBlocks) {
  const Matrix<TypeParam> V = with_zeros<TypeParam>(2100, 9, 1);
  const Stored<TypeParam> stored(V, Kind::sparse32);
  const Batch<TypeParam> v = stored.all();
  const auto& data = std::get<SparseColumns<TypeParam, std::int32_t>>(v.data);
  const RowBlocks blocks(2100, true);
  ASSERT_GT(blocks.count, 4);
  const std::vector<Index> splits = split_columns(v, data, blocks);
  for (Index j = 0; j < v.count; ++j) {
    const auto e = entries(v, data, j);
    const Index* split = splits.data() + j * (blocks.count + 1);
    EXPECT_EQ(split[0], 0);
    EXPECT_EQ(split[blocks.count], e.count);
    for (Index b = 0; b < blocks.count; ++b)
      for (Index p = split[b]; p < split[b + 1]; ++p) {
        EXPECT_GE(e.rows[p], blocks.begin(b));
        EXPECT_LT(e.rows[p], blocks.end(b));
      }
  }
}

TEST(RowBlocks, CoverAllRowsForEveryHeight) {
  for (const bool sparse : {false, true})
    for (const Index rows : {1, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 5000}) {
      const RowBlocks blocks(rows, sparse);
      Index next = 0;
      for (Index b = 0; b < blocks.count; ++b) {
        EXPECT_EQ(blocks.begin(b), next);
        EXPECT_GT(blocks.end(b), next);
        next = blocks.end(b);
      }
      EXPECT_EQ(next, rows);
    }
}

TYPED_TEST(BatchProducts, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const Kind kind : all_kinds) {
    const Matrix<TypeParam> V = with_zeros<TypeParam>(400, 700, 1);
    const Stored<TypeParam> stored(V, kind);
    const auto W = random_matrix<RowMatrix<TypeParam>>(400, 5, 2);
    const auto h = random_matrix<Matrix<TypeParam>>(5, 700, 3);
    const auto both = [&](int count) {
      const ThreadScope scope(count);
      Matrix<TypeParam> WtV(5, 700);
      multiply_WtV(W, stored.all(), WtV.data());
      RowMatrix<TypeParam> VHt = RowMatrix<TypeParam>::Zero(400, 5);
      add_VHt(stored.all(), h.data(), 5, VHt);
      return std::pair(WtV, VHt);
    };
    EXPECT_EQ(both(1), both(3));
  }
}

}  // namespace
}  // namespace svrmu
