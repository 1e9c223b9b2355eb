// Which columns make up which batch: a function of (seed, epoch, pass) over all columns of all processes.
#pragma once

#include <cstdint>
#include <vector>

#include "svrmu/solvers.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

struct Batching {
  Index samples = 0;  // over the whole team
  Index batch_size = 0;
  Order order = Order::cyclic;
  std::uint64_t seed = 0;
  Index epoch = 0;
  Index pass = 0;  // within the epoch
  int member = 0;
  int size = 1;
};

// This member's part of every batch of one pass.
struct Plan {
  PassOrder visit;                  // local columns
  std::vector<Index> totals;        // size of each batch over the team, repeated columns counted
  std::vector<Index> multiplicity;  // of each visited column; empty: once each
  std::vector<Index> different;     // columns of each batch over the team; empty: none is repeated
};

Plan plan_batches(const Batching& batching);
// The batches begin ... end - 1 of a pass, and only their columns.
Plan part_of(const Plan& pass, Index begin, Index end);

// `count` different ones of `samples` columns, increasing.
std::vector<Index> draw_columns(Index samples, Index count, std::uint64_t seed);
// This member's part of one batch of these columns (increasing, counted over the whole team).
Plan plan_columns(const std::vector<Index>& columns, int member, int size);

}  // namespace svrmu
