#include "data/order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace svrmu {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Order orders[] = {Order::cyclic, Order::permute_once, Order::reshuffle, Order::with_replacement};
constexpr Order passes_over_all[] = {Order::cyclic, Order::permute_once, Order::reshuffle};

Plan plan(Index samples, Index batch_size, Order order, Index epoch = 1, Index pass = 0, int member = 0,
          int size = 1, std::uint64_t seed = 3) {
  return plan_batches({.samples = samples,
                       .batch_size = batch_size,
                       .order = order,
                       .seed = seed,
                       .epoch = epoch,
                       .pass = pass,
                       .member = member,
                       .size = size});
}

// Columns of the whole matrix in the order of the visit.
std::vector<Index> visited(const Plan& plan, int member = 0, int size = 1) {
  std::vector<Index> columns = plan.visit.columns;
  if (columns.empty() && !plan.visit.ends.empty()) {
    columns.resize(static_cast<std::size_t>(plan.visit.ends.back()));
    std::iota(columns.begin(), columns.end(), Index{0});
  }
  for (Index& n : columns) n = n * size + member;
  return columns;
}

// How often each column is in batch i.
std::map<Index, Index> batch_of(const Plan& plan, std::size_t i, int member = 0, int size = 1) {
  const std::vector<Index> columns = visited(plan, member, size);
  const Index begin = i == 0 ? 0 : plan.visit.ends[i - 1];
  std::map<Index, Index> batch;
  for (Index p = begin; p < plan.visit.ends[i]; ++p) {
    const auto at = static_cast<std::size_t>(p);
    batch[columns[at]] += plan.multiplicity.empty() ? 1 : plan.multiplicity[at];
  }
  return batch;
}

Index total_of(const std::map<Index, Index>& batch) {
  Index total = 0;
  for (const auto& [column, times] : batch) total += times;
  return total;
}

TEST(Order, EachPassVisitsEachColumnOnce) {
  for (const Order order : passes_over_all)
    for (const Index samples : {1, 2, 10, 37, 64}) {
      std::vector<Index> columns = visited(plan(samples, 5, order));
      std::sort(columns.begin(), columns.end());
      std::vector<Index> all(static_cast<std::size_t>(samples));
      std::iota(all.begin(), all.end(), Index{0});
      EXPECT_EQ(columns, all);
    }
}

TEST(Order, CyclicNeedsNoListOfColumns) { EXPECT_THAT(plan(20, 6, Order::cyclic).visit.columns, IsEmpty()); }

TEST(Order, TheLastBatchHoldsWhatIsLeft) {
  for (const Order order : orders) EXPECT_THAT(plan(11, 4, order).totals, ElementsAre(4, 4, 3));
}

TEST(Order, ABatchLargerThanAllColumnsHoldsAllColumns) {
  for (const Order order : orders) EXPECT_THAT(plan(7, 100, order).totals, ElementsAre(7));
}

TEST(Order, OneColumnMakesOneBatch) {
  for (const Order order : orders) {
    EXPECT_THAT(plan(1, 1, order).totals, ElementsAre(1));
    EXPECT_THAT(visited(plan(1, 1, order)), ElementsAre(0));
  }
}

TEST(Order, PermuteOnceIsTheSameInEveryEpochAndPass) {
  const std::vector<Index> first = visited(plan(50, 7, Order::permute_once, 1, 0));
  EXPECT_EQ(visited(plan(50, 7, Order::permute_once, 2, 0)), first);
  EXPECT_EQ(visited(plan(50, 7, Order::permute_once, 9, 3)), first);
}

TEST(Order, PermuteOnceIsNotTheStorageOrder) {
  EXPECT_NE(visited(plan(50, 7, Order::permute_once)), visited(plan(50, 7, Order::cyclic)));
}

TEST(Order, PermuteOnceDependsOnTheSeed) {
  EXPECT_NE(visited(plan(50, 7, Order::permute_once, 1, 0, 0, 1, 3)),
            visited(plan(50, 7, Order::permute_once, 1, 0, 0, 1, 4)));
}

TEST(Order, ReshuffleDiffersBetweenEpochsAndPasses) {
  const std::vector<Index> first = visited(plan(50, 7, Order::reshuffle, 1, 0));
  EXPECT_NE(visited(plan(50, 7, Order::reshuffle, 2, 0)), first);
  EXPECT_NE(visited(plan(50, 7, Order::reshuffle, 1, 1)), first);
}

TEST(Order, ReshuffleOfTheSamePassIsRepeatable) {
  EXPECT_EQ(visited(plan(50, 7, Order::reshuffle, 4, 2)), visited(plan(50, 7, Order::reshuffle, 4, 2)));
}

TEST(Order, EveryColumnIsEquallyOftenFirst) {
  std::vector<int> counts(5, 0);
  for (Index epoch = 1; epoch <= 5000; ++epoch)
    ++counts.at(static_cast<std::size_t>(visited(plan(5, 5, Order::reshuffle, epoch))[0]));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 130);
}

TEST(Order, MultiplicitiesOfDrawnColumnsAddUpToTheBatch) {
  const Plan drawn = plan(23, 9, Order::with_replacement);
  ASSERT_THAT(drawn.totals, ElementsAre(9, 9, 5));
  for (std::size_t i = 0; i < drawn.totals.size(); ++i)
    EXPECT_EQ(total_of(batch_of(drawn, i)), drawn.totals[i]);
}

TEST(Order, AColumnDrawnTwiceIsListedOnceInItsBatch) {
  const Plan drawn = plan(3, 3, Order::with_replacement, 5);
  for (Index epoch = 1; epoch < 20; ++epoch) {
    const Plan again = plan(3, 3, Order::with_replacement, epoch);
    std::vector<Index> columns = visited(again);
    EXPECT_TRUE(std::adjacent_find(columns.begin(), columns.end()) == columns.end());
  }
  EXPECT_EQ(total_of(batch_of(drawn, 0)), 3);
}

TEST(Order, DrawingWithReplacementDiffersBetweenEpochs) {
  EXPECT_NE(visited(plan(200, 50, Order::with_replacement, 1)),
            visited(plan(200, 50, Order::with_replacement, 2)));
}

TEST(Order, MembersPartitionEveryBatch) {
  for (const Order order : orders)
    for (const int size : {2, 3, 7}) {
      const Plan whole = plan(41, 8, order, 2, 1);
      std::vector<Plan> parts;
      for (int member = 0; member < size; ++member) parts.push_back(plan(41, 8, order, 2, 1, member, size));
      for (std::size_t i = 0; i < whole.totals.size(); ++i) {
        std::map<Index, Index> joined;
        for (int member = 0; member < size; ++member)
          for (const auto& [column, times] :
               batch_of(parts[static_cast<std::size_t>(member)], i, member, size)) {
            EXPECT_EQ(joined.count(column), 0u) << "column " << column << " belongs to two members";
            joined[column] = times;
          }
        EXPECT_EQ(joined, batch_of(whole, i));
      }
    }
}

TEST(Order, AllMembersKnowTheSameTotals) {
  for (const Order order : orders)
    for (int member = 0; member < 3; ++member)
      EXPECT_EQ(plan(41, 8, order, 2, 0, member, 3).totals, plan(41, 8, order, 2, 0).totals);
}

TEST(Order, MembersWithoutColumnsGetEmptyBatches) {
  for (const Order order : orders) {
    const Plan last = plan(3, 2, order, 1, 0, 6, 7);
    EXPECT_THAT(last.totals, ElementsAre(2, 1));
    EXPECT_THAT(last.visit.ends, Each(0));
    EXPECT_EQ(last.visit.ends.size(), 2u);
  }
}

TEST(PartOfAPass, HasTheBatchesOfThePassAndOnlyTheirColumns) {
  for (const Order order : orders)
    for (int member = 0; member < 2; ++member) {
      const Plan whole = plan(11, 3, order, 1, 0, member, 2);
      const Plan part = part_of(whole, 1, 3);
      ASSERT_THAT(part.totals, ElementsAre(3, 3));
      EXPECT_EQ(static_cast<Index>(part.visit.columns.size()), part.visit.ends.back());
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(batch_of(part, i, member, 2), batch_of(whole, i + 1, member, 2));
      ASSERT_EQ(part.different.size(), order == Order::with_replacement ? 2 : 0);
      for (std::size_t i = 0; i < part.different.size(); ++i)
        EXPECT_EQ(part.different[i], whole.different[i + 1]);
    }
}

}  // namespace
}  // namespace svrmu
