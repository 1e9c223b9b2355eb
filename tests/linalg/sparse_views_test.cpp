#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "linalg/columns.hpp"
#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

template <class Offset_, class Row_>
struct Widths {
  using Offset = Offset_;
  using Row = Row_;
};

// 3 x 3 with columns (1, 0, 2), (0, 0, 0), (0, 3, 4).
template <class W>
struct Arrays {
  std::vector<typename W::Offset> offsets{0, 2, 2, 4};
  std::vector<typename W::Row> rows{0, 2, 1, 2};
  std::vector<double> values{1, 2, 3, 4};

  std::unique_ptr<MatrixSource<double>> source(Index features = 3) const {
    return view_sparse(features, static_cast<Index>(offsets.size()) - 1, offsets.data(), rows.data(),
                       values.data());
  }
};

template <class W>
class Sparse : public testing::Test {};
using AllWidths = testing::Types<Widths<std::int32_t, std::int32_t>, Widths<std::int64_t, std::int32_t>,
                                 Widths<std::int32_t, std::int64_t>, Widths<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(Sparse, AllWidths);

// All of V, read through one batch.
Matrix<double> read(const MatrixSource<double>& source) {
  const auto stream = source.open({{}, {source.samples()}});
  Batch<double> v;
  EXPECT_TRUE(stream->next(v));
  v.features = source.features();
  Matrix<double> V = Matrix<double>::Zero(source.features(), source.samples());
  for (Index j = 0; j < v.count; ++j)
    for_entries(v, j, [&](Index f, double x) {
      EXPECT_EQ(V(f, j), 0) << "an entry twice";
      V(f, j) = x;
    });
  return V;
}

TYPED_TEST(Sparse, ArraysAreReadWhereTheyLie) {
  const Arrays<TypeParam> arrays;
  const auto source = arrays.source();
  const auto stream = source->open({{}, {3}});
  Batch<double> v;
  ASSERT_TRUE(stream->next(v));
  const auto& data = std::get<SparseColumns<double, typename TypeParam::Row>>(v.data);
  EXPECT_EQ(data.offsets.data(), arrays.offsets.data());
  EXPECT_EQ(data.rows, arrays.rows.data());
  EXPECT_EQ(data.values, arrays.values.data());
}

TYPED_TEST(Sparse, KnowsItsSizes) {
  const Arrays<TypeParam> arrays;
  const auto source = arrays.source();
  EXPECT_EQ(source->features(), 3);
  EXPECT_EQ(source->samples(), 3);
  EXPECT_EQ(source->stored(), 4);
  EXPECT_TRUE(source->is_sparse());
}

TYPED_TEST(Sparse, OffsetsMayBeginAboveZero) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {2, 2, 4};
  EXPECT_EQ(arrays.source()->stored(), 2);
}

TYPED_TEST(Sparse, UnsortedRowsAreRefusedByColumnAndRow) {
  Arrays<TypeParam> arrays;
  arrays.rows = {0, 2, 2, 1};
  EXPECT_THAT([&] { arrays.source(); }, ThrowsMessage<InvalidInput>(AllOf(
                                            HasSubstr("column 3 (counted from 1)"), HasSubstr("1 after 2"))));
}

TYPED_TEST(Sparse, DuplicateRowsAreRefusedByColumnAndRow) {
  Arrays<TypeParam> arrays;
  arrays.rows = {2, 2, 1, 2};
  EXPECT_THAT([&] { arrays.source(); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("column 1 (counted from 1)"),
                                                HasSubstr("2 after 2"), HasSubstr("duplicates"))));
}

TYPED_TEST(Sparse, RowsOutsideVAreRefusedByColumnAndRow) {
  const Arrays<TypeParam> arrays;
  EXPECT_THAT(
      [&] { arrays.source(2); },
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("row index 2"), HasSubstr("column 1"), HasSubstr("0..1"))));
}

TYPED_TEST(Sparse, NegativeRowsAreRefused) {
  Arrays<TypeParam> arrays;
  arrays.rows[2] = -1;
  EXPECT_THAT([&] { arrays.source(); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("row index -1"), HasSubstr("column 3"))));
}

TYPED_TEST(Sparse, DecreasingOffsetsAreRefusedByColumn) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {0, 2, 1, 4};
  EXPECT_THAT(
      [&] { arrays.source(); },
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("offsets decrease from 2 to 1"), HasSubstr("column 2"))));
}

TYPED_TEST(Sparse, NegativeOffsetsAreRefused) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {-1, 2, 2, 4};
  EXPECT_THAT([&] { arrays.source(); }, ThrowsMessage<InvalidInput>(HasSubstr("column 1")));
}

// The first column claims more entries than the arrays have; nothing may be read there.
TYPED_TEST(Sparse, OffsetsAreCheckedBeforeRowsAreReadThroughThem) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {0, 4, 2, 2};
  arrays.rows = {0, 1, -7, -7};  // what happens to lie behind the two entries
  EXPECT_THAT([&] { arrays.source(); },
              ThrowsMessage<InvalidInput>(HasSubstr("offsets decrease from 4 to 2")));
}

TYPED_TEST(Sparse, OrderIsToldFromOtherFaults) {
  const auto sorted = [](const Arrays<TypeParam>& a) {
    return columns_are_sorted(3, static_cast<Index>(a.offsets.size()) - 1, a.offsets.data(), a.rows.data());
  };
  Arrays<TypeParam> arrays;
  EXPECT_TRUE(sorted(arrays));
  arrays.rows = {2, 0, 1, 2};
  EXPECT_FALSE(sorted(arrays));
  arrays.rows = {2, 2, 1, 2};
  EXPECT_FALSE(sorted(arrays));
  arrays.rows = {0, 3, 1, 2};
  EXPECT_THROW(sorted(arrays), InvalidData);
  arrays.offsets = {0, 3, 2, 4};
  EXPECT_THROW(sorted(arrays), InvalidData);
}

TYPED_TEST(Sparse, ASortedCopyAddsUpWhatIsAtTheSamePlace) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {1, 5, 5, 8};
  arrays.rows = {7, 2, 0, 2, 2, 1, 0, 1};
  arrays.values = {-1, 1, 2, 4, 8, 16, 32, 64};
  const auto source = sorted_columns(3, 3, arrays.offsets.data(), arrays.rows.data(), arrays.values.data());
  Matrix<double> expected(3, 3);
  expected << 2, 0, 32,  //
      0, 0, 80,          //
      13, 0, 0;
  EXPECT_EQ(read(*source), expected);
  EXPECT_EQ(source->stored(), 4);
}

TYPED_TEST(Sparse, ASortedCopyIsNoViewOfTheArrays) {
  Arrays<TypeParam> arrays;
  const auto source = sorted_columns(3, 3, arrays.offsets.data(), arrays.rows.data(), arrays.values.data());
  const Matrix<double> before = read(*source);
  arrays.values.assign(4, 7);
  arrays.offsets.assign(4, 0);
  EXPECT_EQ(read(*source), before);
}

TYPED_TEST(Sparse, ASortedCopyRefusesWhatLiesOutside) {
  Arrays<TypeParam> arrays;
  arrays.rows = {2, 0, 3, 1};
  EXPECT_THAT([&] { sorted_columns(3, 3, arrays.offsets.data(), arrays.rows.data(), arrays.values.data()); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("row index 3"), HasSubstr("column 3"))));
}

// The arrays by rows are those of the transpose by columns.
TYPED_TEST(Sparse, RowsAreTurnedIntoColumns) {
  const Arrays<TypeParam> arrays;
  const auto by_rows =
      view_sparse_rows(3, 3, arrays.offsets.data(), arrays.rows.data(), arrays.values.data());
  const Matrix<double> expected = read(*arrays.source()).transpose();
  EXPECT_EQ(read(*by_rows), expected);
  EXPECT_EQ(by_rows->stored(), 4);
}

TYPED_TEST(Sparse, RowsMayBeUnsortedAndHaveAPlaceTwice) {
  Arrays<TypeParam> arrays;
  arrays.offsets = {0, 4, 4};
  arrays.rows = {4, 1, 4, 0};
  arrays.values = {1, 2, 4, 8};
  const auto source = view_sparse_rows(2, 5, arrays.offsets.data(), arrays.rows.data(), arrays.values.data());
  Matrix<double> expected(2, 5);
  expected << 8, 2, 0, 0, 5,  //
      0, 0, 0, 0, 0;
  EXPECT_EQ(read(*source), expected);
  EXPECT_EQ(source->stored(), 3);
}

TYPED_TEST(Sparse, RowsAreRefusedInTheirOwnTerms) {
  Arrays<TypeParam> arrays;
  EXPECT_THAT(
      [&] { view_sparse_rows(3, 2, arrays.offsets.data(), arrays.rows.data(), arrays.values.data()); },
      ThrowsMessage<InvalidInput>(
          AllOf(HasSubstr("column index 2"), HasSubstr("row 1 (counted from 1)"), HasSubstr("0..1"))));
  arrays.offsets = {0, 2, 1, 4};
  EXPECT_THAT(
      [&] { view_sparse_rows(3, 3, arrays.offsets.data(), arrays.rows.data(), arrays.values.data()); },
      ThrowsMessage<InvalidInput>(AllOf(HasSubstr("offsets decrease from 2 to 1"), HasSubstr("row 2"))));
}

TEST(SparseRowsOfV, NegativeSizesAreRefused) {
  const std::int64_t offsets[] = {0, 0};
  const std::int32_t* columns = nullptr;
  const double* values = nullptr;
  EXPECT_THROW(view_sparse_rows(-1, 2, offsets, columns, values), InvalidInput);
  EXPECT_THROW(view_sparse(1, -2, offsets, columns, values), InvalidInput);
  EXPECT_EQ(view_sparse_rows(1, 2, offsets, columns, values)->stored(), 0);
}

TEST(SparseEigen, AnUncompressedMatrixIsRefused) {
  SparseMatrix<double> V(3, 3);
  V.reserve(Eigen::VectorXi::Constant(3, 2));
  V.insert(1, 1) = 2;
  EXPECT_THAT([&] { view(V); }, ThrowsMessage<InvalidInput>(HasSubstr("makeCompressed")));
  V.makeCompressed();
  EXPECT_EQ(view(V)->stored(), 1);
}

TEST(SparseEigen, AMatrixWithoutEntriesIsAccepted) {
  const SparseMatrix<float> V(3, 4);
  EXPECT_EQ(view(V)->stored(), 0);
}

}  // namespace
}  // namespace svrmu
