#include "data/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace svrmu {
namespace {

// The seed whose key for this purpose is `key`: the mixing of seeds is a bijection, taken backwards here.
std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}
std::uint64_t undo_shift(std::uint64_t y, int by) {
  std::uint64_t x = y;
  for (int bits = by; bits < 64; bits += by) x = y ^ (x >> by);
  return x;
}
std::uint64_t seed_with_key(std::uint64_t key, Purpose purpose) {
  std::uint64_t x = undo_shift(key, 31);
  x = undo_shift(x * inverse_of(0x94d049bb133111ebULL), 27);
  x = undo_shift(x * inverse_of(0xbf58476d1ce4e5b9ULL), 30);
  return x - 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(purpose);
}

using Words = std::array<std::uint32_t, 4>;

// philox4x32-10 of Random123's kat_vectors.
Words philox(std::uint64_t key, std::uint64_t low, std::uint64_t high) {
  return Random(seed_with_key(key, Purpose::order), Purpose::order).bits(low, high);
}

TEST(Random, AgreesWithTheKnownAnswerForZeros) {
  EXPECT_EQ(philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Random, AgreesWithTheKnownAnswerForOnes) {
  const std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(philox(ones, ones, ones), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, AgreesWithTheKnownAnswerForDigitsOfPi) {
  EXPECT_EQ(philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UniformNeverReachesItsEnds) {
  const Random random(1, Purpose::start_w);
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 100; ++j) {
      const double u = random.uniform(i, j);
      ASSERT_GT(u, 0);
      ASSERT_LT(u, 1);
    }
}

TEST(Random, DoesNotDependOnTheOrderOfCalls) {
  const Random random(7, Purpose::start_h);
  std::vector<double> forwards;
  for (Index i = 0; i < 50; ++i) forwards.push_back(random.uniform(i, 3));
  for (Index i = 49; i >= 0; --i) {
    random.normal(i, 12);
    EXPECT_EQ(random.uniform(i, 3), forwards[static_cast<std::size_t>(i)]);
  }
}

TEST(Random, UniformHasMeanHalfAndVarianceOneTwelfth) {
  const Random random(11, Purpose::sketch);
  constexpr int n = 100000;
  double sum = 0;
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform(i, i % 7);
    sum += u;
    squares += u * u;
  }
  const double mean = sum / n;
  EXPECT_NEAR(mean, 0.5, 0.005);
  EXPECT_NEAR(squares / n - mean * mean, 1.0 / 12, 0.002);
}

TEST(Random, NormalHasTheMomentsOfTheNormalDistribution) {
  const Random random(12, Purpose::sketch);
  constexpr int n = 100000;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (Index i = 0; i < n; ++i) {
    const double x = random.normal(3, i);
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.03);
  EXPECT_NEAR(fourth / n, 3, 0.2);
}

TEST(Random, IntegersReachEveryValueBelowTheBoundEquallyOften) {
  const Random random(13, Purpose::order);
  std::vector<int> counts(7, 0);
  for (Index i = 0; i < 70000; ++i) ++counts.at(static_cast<std::size_t>(random.integer(7, 0, i)));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Random, IntegerBelowOneIsZero) {
  const Random random(14, Purpose::order);
  for (Index i = 0; i < 100; ++i) EXPECT_EQ(random.integer(1, i, 0), 0);
}

TEST(Random, SeedsAndPurposesHaveTheirOwnStreams) {
  std::set<double> values;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint32_t purpose = 1; purpose <= 7; ++purpose)
      values.insert(Random(seed, static_cast<Purpose>(purpose)).uniform(0, 0));
  EXPECT_EQ(values.size(), 140u);
}

TEST(Random, RowAndColumnOfAPlaceAreNotInterchangeable) {
  const Random random(15, Purpose::start_w);
  EXPECT_NE(random.uniform(2, 5), random.uniform(5, 2));
}

}  // namespace
}  // namespace svrmu
