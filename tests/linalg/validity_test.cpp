#include "linalg/validity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace svrmu {
namespace {

template <class Scalar>
class Validity : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Validity, Scalars);

TYPED_TEST(Validity, FiniteNonnegativeNumbersAreValid) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> values = {
      0, TypeParam(-0.0), 1, Limits::min(), Limits::denorm_min(), Limits::max()};
  EXPECT_EQ(first_invalid(values.data(), static_cast<Index>(values.size())), 6);
  EXPECT_EQ(first_invalid(values.data(), 0), 0);
}

TYPED_TEST(Validity, FirstInvalidNumberIsFoundWhereverItLies) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam bad :
       {TypeParam(-1), -Limits::denorm_min(), Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
    for (const Index place : {0, 1, 63, 64, 65, 127, 255, 256, 257, 511, 598, 599}) {
      std::vector<TypeParam> values(600, TypeParam(1));
      for (const std::size_t zero : {2, 258, 512}) values[zero] = TypeParam(-0.0);
      values.back() = -1;
      values[static_cast<std::size_t>(place)] = bad;
      EXPECT_EQ(first_invalid(values.data(), 600), place) << bad;
    }
}

TEST(InvalidValues, AreCountedByKindWithTheFirstPlace) {
  InvalidValues found;
  found.note(1, 2, -3.5);
  found.note(4, 5, std::numeric_limits<double>::quiet_NaN());
  found.note(6, 7, -std::numeric_limits<double>::infinity());
  found.note(8, 9, -1);
  EXPECT_EQ(holds_text(found.nan, "NaN"), "holds 1 NaN value, at row 5, column 6 (counted from 1)");
  EXPECT_EQ(holds_text(found.infinite, "infinite"),
            "holds 1 infinite value, at row 7, column 8 (counted from 1)");
  EXPECT_EQ(holds_text(found.negative, "negative"),
            "holds 2 negative values, the first -3.5 at row 2, column 3 (counted from 1)");
}

}  // namespace
}  // namespace svrmu
