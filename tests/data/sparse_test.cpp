#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// 3 x 3 with columns (1, 0, 2), (0, 0, 0), (0, 3, 4).
template <class Offset>
struct Arrays {
  std::vector<Offset> offsets{0, 2, 2, 4};
  std::vector<Offset> rows{0, 2, 1, 2};
  std::vector<double> values{1, 2, 3, 4};

  std::unique_ptr<MatrixSource<double>> source(Index features = 3) const {
    return view_sparse(features, static_cast<Index>(offsets.size()) - 1, offsets.data(), rows.data(),
                       values.data());
  }
};

template <class Offset>
class Sparse : public testing::Test {};
using Offsets = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Sparse, Offsets);

TYPED_TEST(Sparse, ArraysAreReadWhereTheyLie) {
  const Arrays<TypeParam> arrays;
  const auto source = arrays.source();
  const auto stream = source->open({{}, {3}});
  Batch<double> v;
  ASSERT_TRUE(stream->next(v));
  const auto& data = std::get<SparseColumns<double, TypeParam>>(v.data);
  EXPECT_EQ(data.offsets, arrays.offsets.data());
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
