#include "fit/scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fit/scaling.hpp"
#include "small_fits.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

// The same values as column-major, row-major and sparse source.
template <class Body>
void in_every_layout(const Matrix<double>& V, const Body& body) {
  body(*view(V));
  const RowMatrix<double> rows = V;
  body(*view(rows));
  const SparseMatrix<double> sparse = V.sparseView(0, 0);
  body(*view(sparse));
}

TEST(Scan, AddsUpV) {
  Matrix<double> V(2, 3);
  V << 1, 0, 4,  //
      0, 0, 2;
  in_every_layout(V, [](const MatrixSource<double>& source) {
    const Scan s = scan(source, Team());
    EXPECT_EQ(s.sum, 7);
    EXPECT_EQ(s.squared, 21);
    EXPECT_EQ(s.max, 4);
    EXPECT_EQ(s.nonzeros, 3);
    EXPECT_EQ(s.entries, 6);
    EXPECT_EQ(s.empty_columns, 1);
    EXPECT_EQ(s.empty_rows, 0);
    EXPECT_EQ(s.zero.count, 3);
    EXPECT_EQ(s.zero.row, 1);
    EXPECT_EQ(s.zero.column, 0);
    EXPECT_NEAR(s.mean(), 7.0 / 6, 1e-15);
    EXPECT_NO_THROW(check_values(s));
  });
}

TEST(Scan, FindsEmptyRows) {
  Matrix<double> V = Matrix<double>::Ones(4, 3);
  V.row(2).setZero();
  in_every_layout(V,
                  [](const MatrixSource<double>& source) { EXPECT_EQ(scan(source, Team()).empty_rows, 1); });
}

TEST(Scan, FindsTheFirstZeroOfASparseColumnThatStoresOne) {
  // Column 0 holds a stored zero in row 2, and nothing in row 0.
  const std::int32_t offsets[] = {0, 2};
  const std::int32_t rows[] = {1, 2};
  const double values[] = {5, 0};
  const Scan s = scan(*view_sparse(3, 1, offsets, rows, values), Team());
  EXPECT_EQ(s.zero.count, 2);
  EXPECT_EQ(s.zero.row, 0);
}

struct Bad {
  double value;
  const char* name;
};

TEST(Scan, NamesCountAndFirstPlaceOfBadValues) {
  for (const Bad& bad :
       {Bad{nan, "NaN"}, Bad{infinity, "infinite"}, Bad{-infinity, "infinite"}, Bad{-2.5, "negative"}}) {
    Matrix<double> V = Matrix<double>::Ones(5, 300);
    V(3, 7) = V(1, 250) = V(4, 299) = bad.value;
    in_every_layout(V, [&](const MatrixSource<double>& source) {
      EXPECT_THAT([&] { check_values(scan(source, Team())); },
                  ThrowsMessage<InvalidInput>(AllOf(HasSubstr("3 " + std::string(bad.name) + " values"),
                                                    HasSubstr("row 4, column 8"))));
    });
  }
}

TEST(Scan, SpeaksOfOneBadValueInTheSingular) {
  Matrix<double> V = Matrix<double>::Ones(5, 4);
  V(0, 0) = -1;
  in_every_layout(V, [&](const MatrixSource<double>& source) {
    EXPECT_THAT([&] { check_values(scan(source, Team())); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("1 negative value, -1 at row 1, column 1"))));
  });
}

TEST(Scan, CountsNansAndNegativesApart) {
  Matrix<double> V = Matrix<double>::Ones(5, 4);
  V(0, 0) = -1;
  V(2, 1) = nan;
  V(3, 3) = infinity;
  const Scan s = scan(*view(V), Team());
  EXPECT_EQ(s.nan.count, 1);
  EXPECT_EQ(s.infinite.count, 1);
  EXPECT_EQ(s.negative.count, 1);
}

TEST(Scan, WorksInFloat) {
  Matrix<float> V = Matrix<float>::Constant(3, 3, 1e30F);
  const Scan s = scan(*view(V), Team());
  EXPECT_NEAR(s.squared, 9e60, 1e54);
  V(1, 2) = -1e-30F;
  EXPECT_THAT([&] { check_values(scan(*view(V), Team())); },
              ThrowsMessage<InvalidInput>(HasSubstr("row 2, column 3")));
}

Scan with_mean(double mean) {
  Scan s;
  s.sum = mean;
  s.entries = 1;
  return s;
}

TEST(Scale, OrdinaryDataAreLeftAlone) {
  for (const double mean : {1e-3, 0.5, 1.0, 3.0, 1e6}) EXPECT_EQ(scale_of(with_mean(mean)), 1);
}

TEST(Scale, OtherDataComeToAMeanBetweenOneAndTwo) {
  for (const double mean : {1e-30, 1e-8, 9e-4, 2e6, 1e30}) {
    const double scale = scale_of(with_mean(mean));
    EXPECT_GE(mean * scale, 1);
    EXPECT_LT(mean * scale, 2);
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << "a power of two";
  }
}

TEST(Scale, AnEmptySumIsLeftAlone) { EXPECT_EQ(scale_of(with_mean(0)), 1); }

TEST(Scale, PenaltiesKeepTheirWeightInWorkingUnits) {
  // f(vV, wW, hH) = c f(V, W, H) with c = v^beta must hold for every term.
  const Scaling s{.v = 8, .w = 0.5, .h = 16};
  const Penalties p = s.penalties({1, 1, 1, 1}, Loss{1.5});
  const double c = std::pow(8, 1.5);
  EXPECT_NEAR(p.l1_w * 0.5, c, 1e-12);
  EXPECT_NEAR(p.l2_w * 0.25, c, 1e-12);
  EXPECT_NEAR(p.l1_h * 16, c, 1e-12);
  EXPECT_NEAR(p.l2_h * 256, c, 1e-12);
  EXPECT_EQ(s.loss(Loss{2}), 64);
}

}  // namespace
}  // namespace svrmu
