// Arrays that are long enough to be cut into many tiles.
#include "linalg/sparse_arrays.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "data/random.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

struct Long {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> places;
  std::vector<double> values;
  Index majors = 0;
  Index minors = 0;
};

// Majors of very different lengths, many of them empty, sorted.
Long make_long(Index majors, Index minors, std::uint64_t seed) {
  Long made;
  made.majors = majors;
  made.minors = minors;
  const Random random(seed, Purpose::fill_w);
  for (Index m = 0; m < majors; ++m) {
    const double share = m % 7 == 3 ? 0.9 : m % 3 == 0 ? 0 : 0.05;
    for (Index i = 0; i < minors; ++i)
      if (random.uniform(i, m) < share) {
        made.places.push_back(static_cast<std::int32_t>(i));
        made.values.push_back(random.uniform(m, i));
      }
    made.offsets.push_back(static_cast<std::int64_t>(made.places.size()));
  }
  return made;
}

SparseFault fault_of(const Long& a, bool ordered = true) {
  return find_fault(a.majors, a.minors, a.offsets.data(), a.places.data(), ordered);
}

TEST(SparseArrays, ThatAreRightHaveNoFault) {
  const Long good = make_long(300, 3000, 1);
  ASSERT_GT(good.places.size(), 2U * 65536U) << "several tiles";
  EXPECT_EQ(fault_of(good).kind, SparseFault::Kind::none);
}

// Wherever it is, at any tile's edge too, and for any number of threads.
TEST(SparseArrays, TheFirstFaultIsNamedWhereverItIs) {
  const Long good = make_long(300, 3000, 1);
  for (const Index at : {Index{0}, Index{1}, Index{65535}, Index{65536}, Index{65537}, Index{131072},
                         static_cast<Index>(good.places.size()) - 1})
    for (const int threads : {1, 3}) {
      SCOPED_TRACE("entry " + std::to_string(at) + ", threads " + std::to_string(threads));
      const ThreadScope scope(threads);
      const auto p = static_cast<std::size_t>(at);
      const auto major = static_cast<std::size_t>(
          std::upper_bound(good.offsets.begin(), good.offsets.end(), at) - good.offsets.begin() - 1);
      Long bad = good;
      bad.places[p] = static_cast<std::int32_t>(bad.minors);
      bad.places.back() = -5;  // a later one
      EXPECT_EQ(fault_of(bad, false).kind, SparseFault::Kind::outside);
      EXPECT_EQ(fault_of(bad).major, static_cast<Index>(major));
      EXPECT_EQ(fault_of(bad).value, at + 1 == static_cast<Index>(bad.places.size()) ? -5 : bad.minors);

      bad = good;
      if (p == static_cast<std::size_t>(good.offsets[major])) continue;
      bad.places[p] = bad.places[p - 1];
      EXPECT_EQ(fault_of(bad).kind, SparseFault::Kind::order);
      EXPECT_EQ(fault_of(bad).major, static_cast<Index>(major));
      EXPECT_EQ(fault_of(bad).value, bad.places[p]);
      EXPECT_EQ(fault_of(bad).before, bad.places[p]);
      EXPECT_EQ(fault_of(bad, false).kind, SparseFault::Kind::none);
    }
}

TEST(SparseArrays, AFaultOfTheOffsetsComesFirst) {
  Long bad = make_long(300, 3000, 1);
  bad.places[0] = -1;
  bad.offsets[200] = bad.offsets[202] + 1;
  const SparseFault fault = fault_of(bad);
  EXPECT_EQ(fault.kind, SparseFault::Kind::offsets);
  EXPECT_EQ(fault.major, 200);
}

TEST(SparseArrays, TurnedTwiceAreWhatTheyWere) {
  const Long a = make_long(300, 3000, 2);
  for (const int threads : {1, 2, 5}) {
    const ThreadScope scope(threads);
    const auto turned_once =
        turned<double>(a.majors, a.minors, a.offsets.data(), a.places.data(), a.values.data());
    const auto back = turned<double>(a.minors, a.majors, turned_once.offsets.get(), turned_once.places.get(),
                                     turned_once.values.get());
    for (Index m = 0; m <= a.majors; ++m)
      ASSERT_EQ(back.offsets[static_cast<std::size_t>(m)], a.offsets[static_cast<std::size_t>(m)]);
    EXPECT_TRUE(std::equal(a.places.begin(), a.places.end(), back.places.get()));
    EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), back.values.get()));
  }
}

TEST(SparseArrays, AreTurnedWithTheirPrecision) {
  const Long a = make_long(20, 30, 2);
  const auto single = turned<float>(a.majors, a.minors, a.offsets.data(), a.places.data(), a.values.data());
  const auto whole = turned<double>(a.majors, a.minors, a.offsets.data(), a.places.data(), a.values.data());
  for (std::size_t p = 0; p < a.values.size(); ++p)
    EXPECT_EQ(single.values[p], static_cast<float>(whole.values[p]));
}

// Against a map: sums in the order of the arrays, for any number of threads.
TEST(SparseArrays, AreSortedAndAddedUp) {
  const Long sorted = make_long(300, 3000, 3);
  Long shuffled = sorted;
  const Random random(1, Purpose::order);
  for (Index m = 0; m < shuffled.majors; ++m) {
    const auto begin = static_cast<std::size_t>(shuffled.offsets[static_cast<std::size_t>(m)]);
    const auto end = static_cast<std::size_t>(shuffled.offsets[static_cast<std::size_t>(m) + 1]);
    for (std::size_t p = begin; p < end; ++p)
      if (m % 2 == 1)
        shuffled.places[p] = static_cast<std::int32_t>(random.integer(1000, m, static_cast<Index>(p)));
  }
  std::vector<std::map<std::int32_t, double>> expected(static_cast<std::size_t>(shuffled.majors));
  Index left = 0;
  for (std::size_t m = 0; m < expected.size(); ++m) {
    for (auto p = static_cast<std::size_t>(shuffled.offsets[m]);
         p < static_cast<std::size_t>(shuffled.offsets[m + 1]); ++p)
      expected[m][shuffled.places[p]] += shuffled.values[p];
    left += static_cast<Index>(expected[m].size());
  }
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    Long a = shuffled;
    std::vector<Index> offsets(a.offsets.begin(), a.offsets.end());
    EXPECT_EQ(sort_and_add_up(std::span<Index>(offsets), a.places.data(), a.values.data()), left);
    Index p = 0;
    for (std::size_t m = 0; m < expected.size(); ++m) {
      ASSERT_EQ(offsets[m], p);
      for (const auto& [place, value] : expected[m]) {
        ASSERT_EQ(a.places[static_cast<std::size_t>(p)], place);
        ASSERT_EQ(a.values[static_cast<std::size_t>(p)], value);
        ++p;
      }
    }
    EXPECT_EQ(offsets.back(), p);
  }
}

TEST(SparseArrays, MayBeEmpty) {
  const std::int64_t offsets[] = {3, 3, 3};
  const std::int32_t* places = nullptr;
  const double* values = nullptr;
  EXPECT_EQ(find_fault(2, 5, offsets, places, true).kind, SparseFault::Kind::none);
  const auto out = turned<double>(2, 5, offsets, places, values);
  for (std::size_t c = 0; c < 6; ++c) EXPECT_EQ(out.offsets[c], 0);
}

}  // namespace
}  // namespace svrmu
