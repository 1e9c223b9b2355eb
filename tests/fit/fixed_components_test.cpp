// transform() with a W that is given, not fitted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "small_fits.hpp"
#include "sources.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

const double betas[] = {2, 1, 0, 0.5, 1.5, 3};

RowMatrix<double> dictionary() { return random_matrix<RowMatrix<double>>(30, 4, 41); }
Matrix<double> data() { return sparse_product(30, 25, 4, 0.2, 43); }
Matrix<double> positive() { return data().array() + 0.1; }

TEST(FixedComponents, GiveTheBitsOfAModelWithThem) {
  const Matrix<double> V = positive();
  const Penalties penalties{.l1_h = 0.3, .l2_h = 0.1};
  for (const double beta : betas) {
    FitResult<double> model;
    model.W = dictionary();
    model.solver = MuOptions{};
    model.loss = Loss{beta};
    model.penalties = penalties;
    EXPECT_EQ(transform(*view(V), model.W, model.loss, penalties).H, transform(*view(V), model).H)
        << "beta " << beta;
  }
}

// Penalties on W are a constant where W is fixed.
TEST(FixedComponents, PenaltiesOnWChangeNothing) {
  const Matrix<double> V = data();
  EXPECT_EQ(transform(*view(V), dictionary(), Loss{}, {.l1_w = 3, .l2_w = 2}).H,
            transform(*view(V), dictionary(), Loss{}).H);
}

// The others are found as if the zero column were not there, for every loss and storage.
TEST(FixedComponents, AZeroColumnHasARowOfZerosAndChangesNoOther) {
  const RowMatrix<double> live = dictionary();
  RowMatrix<double> W = RowMatrix<double>::Zero(30, 6);
  W.col(1) = live.col(0);
  W.col(2) = live.col(1);
  W.col(4) = live.col(2);
  W.col(5) = live.col(3);
  const Matrix<double> V = positive();
  const SparseMatrix<double> sparse = V.sparseView();
  for (const double beta : betas)
    for (const Penalties penalties : {Penalties{}, Penalties{.l1_h = 0.3}}) {
      SCOPED_TRACE("beta " + std::to_string(beta));
      for (const auto& source : {view(V), view(sparse)}) {
        const auto found = transform(*source, W, Loss{beta}, penalties);
        const auto expected = transform(*source, live, Loss{beta}, penalties);
        EXPECT_EQ(found.unfinished, expected.unfinished);
        EXPECT_TRUE(found.H.row(0).isZero(0));
        EXPECT_TRUE(found.H.row(3).isZero(0));
        EXPECT_EQ(found.H.row(1), expected.H.row(0));
        EXPECT_EQ(found.H.row(2), expected.H.row(1));
        EXPECT_EQ(found.H.row(4), expected.H.row(2));
        EXPECT_EQ(found.H.row(5), expected.H.row(3));
      }
    }
}

TEST(FixedComponents, OfAModelMayBeZeroAsWell) {
  const Matrix<double> V = data();
  FitResult<double> model;
  model.W = dictionary();
  model.W.col(2).setZero();
  model.solver = HalsOptions{};
  const auto found = transform(*view(V), model);
  EXPECT_TRUE(found.H.row(2).isZero(0));
  EXPECT_LT(found.H.maxCoeff(), 100) << "a component without effect must not grow";
}

TEST(FixedComponents, MayAllBeZero) {
  const Matrix<double> V = positive();
  const RowMatrix<double> W = RowMatrix<double>::Zero(30, 2);
  for (const double beta : betas) {
    const auto found = transform(*view(V), W, Loss{beta});
    EXPECT_EQ(found.H, (Matrix<double>::Zero(2, 25)));
    EXPECT_EQ(found.unfinished, 0);
  }
}

// Powers of two change no digits, whatever else is in V and W.
template <class Scalar>
void expect_the_units_of_the_caller(double v, double w) {
  const Matrix<Scalar> V = data().cast<Scalar>();
  const RowMatrix<Scalar> W = dictionary().cast<Scalar>();
  const Matrix<Scalar> scaled_V = V * static_cast<Scalar>(v);
  const RowMatrix<Scalar> scaled_W = W * static_cast<Scalar>(w);
  for (const double beta : {2.0, 1.0}) {
    const Matrix<Scalar> H = transform(*view(V), W, Loss{beta}).H;
    const Matrix<Scalar> found = transform(*view(scaled_V), scaled_W, Loss{beta}).H;
    EXPECT_LE((found * static_cast<Scalar>(w / v) - H).norm(), 1e-3 * static_cast<double>(H.norm()))
        << "beta " << beta << ", V times " << v << ", W times " << w;
  }
}

TEST(FixedComponents, AreInTheUnitsOfTheCaller) {
  expect_the_units_of_the_caller<double>(0x1p-400, 0x1p-50);
  expect_the_units_of_the_caller<double>(0x1p500, 0x1p60);
  expect_the_units_of_the_caller<double>(0x1p-40, 0x1p80);
  expect_the_units_of_the_caller<float>(0x1p120, 0x1p20);
  expect_the_units_of_the_caller<float>(0x1p-100, 1);
}

TEST(FixedComponents, GiveEachColumnAnAnswerOfItsOwn) {
  Matrix<double> V = data();
  V.col(3) *= 1e8;
  V.col(4) *= 1e-8;
  const Penalties penalties{.l1_h = 1e-3, .l2_h = 1e-2};
  for (const double beta : {2.0, 1.0, 1.5}) {
    const auto all = transform(*view(V), dictionary(), Loss{beta}, penalties);
    for (Index n = 0; n < V.cols(); ++n) {
      const Matrix<double> column = V.col(n);
      EXPECT_EQ(transform(*view(column), dictionary(), Loss{beta}, penalties).H, (all.H.col(n)));
    }
  }
}

TEST(FixedComponents, ThatDoNotFitVAreRefusedByTheirShape) {
  const Matrix<double> V = data();
  const RowMatrix<double> tall = RowMatrix<double>::Ones(31, 4);
  const RowMatrix<double> none(30, 0);
  EXPECT_THAT([&] { transform(*view(V), tall, Loss{}); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("W is 31 x 4"), HasSubstr("30 features"))));
  EXPECT_THAT([&] { transform(*view(V), none, Loss{}); },
              ThrowsMessage<InvalidInput>(HasSubstr("W is 30 x 0")));
}

TEST(FixedComponents, BadValuesAreRefusedByTheirPlace) {
  const Matrix<double> V = data();
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    RowMatrix<double> W = dictionary();
    W(6, 2) = bad;
    EXPECT_THAT([&] { transform(*view(V), W, Loss{}); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("W holds"), HasSubstr("row 7, column 3"))));
  }
}

TEST(FixedComponents, ALossOrPenaltyThatIsNoneIsRefused) {
  const Matrix<double> V = data();
  EXPECT_THAT([&] { transform(*view(V), dictionary(), Loss{std::nan("")}); },
              ThrowsMessage<InvalidInput>(HasSubstr("beta of the loss")));
  EXPECT_THAT([&] { transform(*view(V), dictionary(), Loss{}, {.l1_h = -1}); },
              ThrowsMessage<InvalidInput>(HasSubstr("l1_h is -1")));
  EXPECT_THAT([&] { transform(*view(V), dictionary(), Loss::itakura_saito()); },
              ThrowsMessage<InvalidInput>(HasSubstr("zeros")));
}

}  // namespace
}  // namespace svrmu
