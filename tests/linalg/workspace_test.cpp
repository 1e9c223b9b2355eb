#include "linalg/workspace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

struct Array {
  std::int32_t* data;
  Index size;
};

// Fills new arrays with numbers of their own, nested to some depth, and counts those that did not keep them.
Index overwritten(int depth, Index largest) {
  Workspace work;
  std::vector<Array> arrays;
  for (Index i = 0; i < 5; ++i) {
    const Index size = (i * 7919 + depth * 104729) % largest + 1;
    arrays.push_back({work.take<std::int32_t>(size), size});
    std::fill_n(arrays.back().data, size, static_cast<std::int32_t>(100 * depth + i));
  }
  Index wrong = depth > 0 ? overwritten(depth - 1, largest) : 0;
  // What was taken after the nested workspaces ended must not overlap either.
  arrays.push_back({work.take<std::int32_t>(largest), largest});
  std::fill_n(arrays.back().data, largest, static_cast<std::int32_t>(100 * depth + 5));
  if (depth > 0) wrong += overwritten(depth - 1, largest);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    wrong += arrays[i].size - std::count(arrays[i].data, arrays[i].data + arrays[i].size,
                                         static_cast<std::int32_t>(100 * depth + static_cast<int>(i)));
  return wrong;
}

TEST(Workspace, ArraysThatLiveTogetherDoNotOverlap) {
  for (const Index largest : {10, 1000, 40000, 300000}) EXPECT_EQ(overwritten(4, largest), 0);
}

TEST(Workspace, EveryThreadHasItsOwn) {
  const ThreadScope threads(4);
  std::vector<Index> wrong(64);
  parallel_for(64, [&](Index i) { wrong[static_cast<std::size_t>(i)] = overwritten(2, 1000 * (i % 8 + 1)); });
  EXPECT_EQ(wrong, std::vector<Index>(64));
}

TEST(Workspace, ArraysBeginAtMultiplesOf64Bytes) {
  Workspace work;
  for (const Index size : {1, 3, 64, 100, 100000}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(work.take<char>(size)) % 64, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(work.take<double>(size)) % 64, 0U);
  }
}

// Takes arrays that did not fit at first, twice as large in all as the first block.
std::vector<const double*> places() {
  Workspace work;
  std::vector<const double*> found;
  for (int i = 0; i < 4; ++i) found.push_back(work.take<double>(100000));
  return found;
}

TEST(Workspace, SameWorkIsDoneInTheSameMemory) {
  places();
  const std::vector<const double*> second = places();
  EXPECT_EQ(places(), second);
  EXPECT_EQ(second[1] - second[0], second[2] - second[1]);
}

// A load waits for a store before it if their places in a page are the same.
TEST(Workspace, ArraysOfWholePagesBeginAtDifferentPlacesOfTheirPages) {
  Workspace work;
  const auto place = [&] { return reinterpret_cast<std::uintptr_t>(work.take<double>(512)) % 4096; };
  const std::uintptr_t first = place();
  const std::uintptr_t second = place();
  EXPECT_NE(first, second);
  EXPECT_NE(second, place());
}

TEST(Workspace, NestedWorkFindsOneBlockTheNextTime) {
  const auto distance = [](Index outer_size) {
    Workspace outer;
    const double* first = outer.take<double>(outer_size);
    Workspace inner;
    return inner.take<double>(1 << 20) - first;
  };
  distance(1 << 12);
  distance(1 << 12);
  EXPECT_EQ(distance(1 << 12), (1 << 11) + distance(1 << 11)) << "one behind the other";
}

TEST(Workspace, MemoryOfAFailedTileIsGivenBack) {
  const auto first = [] {
    Workspace work;
    return work.take<double>(10);
  };
  const double* place = first();
  try {
    Workspace work;
    work.take<double>(20);
    throw std::runtime_error("tile");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(first(), place);
}

TEST(Workspace, OnlyTheLatestGivesMemory) {
  Workspace outer;
  {
    Workspace inner;
    EXPECT_THROW(outer.take<double>(1), std::logic_error);
    EXPECT_NE(inner.take<double>(1), nullptr);
  }
  EXPECT_NE(outer.take<double>(1), nullptr);
}

TEST(Workspace, EmptyArraysAreAllowed) {
  Workspace work;
  EXPECT_NO_THROW(work.take<float>(0));
}

}  // namespace
}  // namespace svrmu
