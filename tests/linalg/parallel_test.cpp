#include "linalg/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace svrmu {
namespace {

std::vector<int> visits(Index count) {
  std::vector<int> counts(static_cast<std::size_t>(count), 0);
  parallel_for(count, [&](Index i) { ++counts[static_cast<std::size_t>(i)]; });
  return counts;
}

TEST(Parallel, VisitsEveryIndexOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadScope scope(threads);
    for (const Index count : {0, 1, 2, 7, 1000})
      EXPECT_EQ(visits(count), std::vector<int>(static_cast<std::size_t>(count), 1));
  }
}

TEST(Parallel, WorksWithoutAScope) { EXPECT_EQ(visits(100), std::vector<int>(100, 1)); }

TEST(Parallel, TilesCoverTheItemsInPiecesOfOneSize) {
  const ThreadScope scope(3);
  std::vector<Index> ends(5, 0);
  parallel_tiles(42, 10, [&](Index begin, Index end) { ends[static_cast<std::size_t>(begin / 10)] = end; });
  EXPECT_EQ(ends, (std::vector<Index>{10, 20, 30, 40, 42}));
}

TEST(Parallel, NoItemsMakeNoTiles) {
  parallel_tiles(0, 10, [](Index, Index) { FAIL(); });
}

TEST(Parallel, NestedLoopsRunInPlace) {
  const ThreadScope scope(4);
  std::vector<std::vector<int>> counts(20, std::vector<int>(30, 0));
  parallel_for(20, [&](Index i) {
    const auto thread = std::this_thread::get_id();
    parallel_for(30, [&](Index j) {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      ++counts[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    });
  });
  EXPECT_EQ(counts, std::vector<std::vector<int>>(20, std::vector<int>(30, 1)));
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  const ThreadScope scope(3);
  EXPECT_THROW(parallel_for(100,
                            [](Index i) {
                              if (i == 57) throw std::runtime_error("57");
                            }),
               std::runtime_error);
}

TEST(Parallel, WorksAgainAfterAnException) {
  const ThreadScope scope(3);
  for (int i = 0; i < 20; ++i)
    EXPECT_THROW(parallel_for(50, [](Index) { throw std::logic_error("always"); }), std::logic_error);
  EXPECT_EQ(visits(1000), std::vector<int>(1000, 1));
}

TEST(Parallel, AnExceptionWithoutPoolReachesTheCallerToo) {
  EXPECT_THROW(parallel_for(3, [](Index) { throw std::logic_error("always"); }), std::logic_error);
}

// More jobs than the counter of jobs in a ticket can tell apart (2^16).
TEST(Parallel, ManySmallJobsFollowEachOther) {
  const ThreadScope scope(2);
  std::vector<Index> sums(3, 0);
  constexpr int jobs = 70000;
  for (int job = 0; job < jobs; ++job)
    parallel_for(3, [&](Index i) { sums[static_cast<std::size_t>(i)] += job; });
  EXPECT_EQ(sums, std::vector<Index>(3, Index{jobs} * (jobs - 1) / 2));
}

TEST(Parallel, ScopesComeAndGo) {
  for (int i = 0; i < 50; ++i) {
    const ThreadScope scope(1 + i % 4);
    EXPECT_EQ(visits(9), std::vector<int>(9, 1));
  }
}

TEST(Parallel, AnInnerScopeGivesTheOuterOneBack) {
  const ThreadScope outer(2);
  {
    const ThreadScope inner(3);
    EXPECT_EQ(visits(100), std::vector<int>(100, 1));
  }
  EXPECT_EQ(visits(100), std::vector<int>(100, 1));
}

TEST(Parallel, SeveralThreadsHaveScopesOfTheirOwn) {
  std::vector<Index> sums(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&sums, t] {
      const ThreadScope scope(2);
      std::vector<Index> squares(100, 0);
      for (Index round = 0; round < 200; ++round)
        parallel_for(100, [&](Index i) { squares[static_cast<std::size_t>(i)] += i * i; });
      sums[t] = std::accumulate(squares.begin(), squares.end(), Index{0});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, std::vector<Index>(4, 200 * 328350));
}

TEST(Parallel, DenormalsAreFlushedInsideAScopeOnly) {
  volatile double small = std::numeric_limits<double>::min();
  {
    const ThreadScope scope(2);
    EXPECT_EQ(small / 4, 0);
    std::vector<double> quarter(8, 1);
    parallel_for(8, [&](Index i) { quarter[static_cast<std::size_t>(i)] = small / 4; });
    EXPECT_EQ(quarter, std::vector<double>(8, 0));
  }
  EXPECT_GT(small / 4, 0);
}

}  // namespace
}  // namespace svrmu
