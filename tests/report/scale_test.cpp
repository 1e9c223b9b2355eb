#include "report/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace svrmu::report {
namespace {

std::vector<std::string> labels(const Scale& scale, int wanted) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks(scale, wanted)) out.push_back(tick.label);
  return out;
}

TEST(Scale, PutsTheEndsAtTheEnds) {
  const Scale even = scale_of({3, 1, 2}, 10, 110, false);
  EXPECT_DOUBLE_EQ(even(1), 10);
  EXPECT_DOUBLE_EQ(even(3), 110);
  EXPECT_DOUBLE_EQ(even(2), 60);
  const Scale log = scale_of({1, 100}, 0, 2, true);
  EXPECT_DOUBLE_EQ(log(10), 1);
}

TEST(Scale, LeavesOutWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Scale even = scale_of({nan, 1, inf, -inf, 4}, 0, 1, false);
  EXPECT_EQ(even.least, 1);
  EXPECT_EQ(even.most, 4);
  const Scale log = scale_of({0, -3, 0.5, nan, 8}, 0, 1, true);
  EXPECT_EQ(log.least, 0.5);
  EXPECT_EQ(log.most, 8);
}

TEST(Scale, IsNeverEmpty) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const bool log : {false, true})
    for (const std::vector<double>& values : std::vector<std::vector<double>>{
             {}, {0}, {5}, {5, 5}, {-1}, {tiny}, {huge}, {tiny, huge}, {-huge, huge}, {1, 1 + 1e-15}}) {
      const Scale scale = scale_of(values, 0, 100, log, !log);
      EXPECT_LT(scale.least, scale.most);
      for (const double value : values)
        EXPECT_TRUE(std::isfinite(scale(log ? std::abs(value) + 1e-9 : value))) << value;
      const std::vector<Tick> at = ticks(scale, 5);
      EXPECT_FALSE(at.empty());
      EXPECT_LE(at.size(), 50u);
    }
}

TEST(Ticks, AreRoundNumbers) {
  EXPECT_THAT(labels({0, 1, 0, 1, false}, 5), testing::ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
  EXPECT_THAT(labels({-3, 7, 0, 1, false}, 5), testing::ElementsAre("−2", "0", "2", "4", "6"));
  EXPECT_THAT(labels({1e-3, 1e3, 0, 1, true}, 10),
              testing::ElementsAre("0.001", "0.01", "0.1", "1", "10", "100", "1000"));
  EXPECT_THAT(labels({2, 8, 0, 1, true}, 5), testing::ElementsAre("2", "4", "6", "8"));
}

TEST(Spread, KeepsBothEnds) {
  EXPECT_THAT(spread(5, 10), testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(spread(0, 10), testing::IsEmpty());
  const std::vector<std::size_t> places = spread(1'000'003, 1000);
  EXPECT_EQ(places.size(), 1000u);
  EXPECT_EQ(places.front(), 0u);
  EXPECT_EQ(places.back(), 1'000'002u);
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
  EXPECT_EQ(std::adjacent_find(places.begin(), places.end()), places.end());
}

}  // namespace
}  // namespace svrmu::report
