#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

Matrix<double> example() {
  Matrix<double> V(2, 3);
  V << 1, 2, 3,  //
      4, 5, 6;
  return V;
}

// All of V, read through its batches.
Matrix<double> read(const MatrixSource<double>& source, PassOrder order) {
  const auto stream = source.open(std::move(order));
  Batch<double> v;
  std::vector<double> values;
  Index columns = 0;
  while (stream->next(v)) {
    const auto& data = std::get<DenseColumns<double>>(v.data);
    for (Index j = 0; j < v.count; ++j, ++columns)
      for (Index f = 0; f < source.features(); ++f)
        values.push_back(data.data[f * data.feature_stride + v.column(j) * data.column_stride]);
  }
  return Eigen::Map<Matrix<double>>(values.data(), source.features(), columns);
}

TEST(Dense, AColumnMajorMatrixIsReadWhereItLies) {
  const Matrix<double> V = example();
  const auto source = view(V);
  const auto stream = source->open({{}, {3}});
  Batch<double> v;
  ASSERT_TRUE(stream->next(v));
  EXPECT_EQ(std::get<DenseColumns<double>>(v.data).data, V.data());
  EXPECT_EQ(read(*source, {{}, {1, 3}}), V);
}

TEST(Dense, ARowMajorMatrixIsReadWhereItLies) {
  const RowMatrix<double> V = example();
  const auto source = view(V);
  EXPECT_EQ(read(*source, {{}, {2, 3}}), example());
}

TEST(Dense, AStrideSkipsWhatLiesBetweenColumns) {
  const double data[] = {1, 4, -1, 2, 5, -1, 3, 6, -1};
  EXPECT_EQ(read(*view_dense(data, 2, 3, Layout::columns_contiguous, 3), {{}, {3}}), example());
}

TEST(Dense, AStrideSkipsWhatLiesBetweenRows) {
  const double data[] = {1, 2, 3, -1, -1, 4, 5, 6, -1, -1};
  EXPECT_EQ(read(*view_dense(data, 2, 3, Layout::rows_contiguous, 5), {{}, {3}}), example());
}

TEST(Dense, ListedColumnsComeInTheOrderOfTheList) {
  const Matrix<double> V = example();
  Matrix<double> expected(2, 3);
  expected << V.col(2), V.col(0), V.col(1);
  EXPECT_EQ(read(*view(V), {{2, 0, 1}, {2, 3}}), expected);
}

TEST(Dense, KnowsItsSizes) {
  const Matrix<float> V = example().cast<float>();
  const auto source = view(V);
  EXPECT_EQ(source->features(), 2);
  EXPECT_EQ(source->samples(), 3);
  EXPECT_EQ(source->stored(), 6);
  EXPECT_FALSE(source->is_sparse());
}

TEST(Dense, BatchesCanBeEmpty) {
  const Matrix<double> V = example();
  const auto stream = view(V)->open({{}, {0, 3, 3}});
  Batch<double> v;
  ASSERT_TRUE(stream->next(v));
  EXPECT_EQ(v.count, 0);
  ASSERT_TRUE(stream->next(v));
  EXPECT_EQ(v.count, 3);
  ASSERT_TRUE(stream->next(v));
  EXPECT_EQ(v.count, 0);
  EXPECT_FALSE(stream->next(v));
}

TEST(Dense, AStrideSmallerThanAColumnIsRefused) {
  const double data[6] = {};
  EXPECT_THAT([&] { view_dense(data, 3, 2, Layout::columns_contiguous, 2); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("stride is 2"), HasSubstr("column holds 3"))));
}

TEST(Dense, AStrideSmallerThanARowIsRefused) {
  const double data[6] = {};
  EXPECT_THAT([&] { view_dense(data, 2, 3, Layout::rows_contiguous, 2); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("stride is 2"), HasSubstr("row holds 3"))));
}

TEST(Dense, ANegativeStrideIsRefused) {
  const double data[6] = {};
  EXPECT_THAT([&] { view_dense(data, 2, 3, Layout::columns_contiguous, -2); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("stride is -2"), HasSubstr("backwards"))));
}

TEST(Dense, NegativeSizesAreRefused) {
  const double data[6] = {};
  EXPECT_THAT([&] { view_dense(data, -2, 3); }, ThrowsMessage<InvalidInput>(HasSubstr("-2 features")));
}

}  // namespace
}  // namespace svrmu
