// Every constant that was tuned for `fast`, and the command that measures what it does: run it before and
// after a change. bench/compete prints the time to within 10, 1 and 0.1 % of the best objective
// (docs/benchmarks.md); `make bench` builds what it needs.
//
// hals-ext shares two things, which are therefore elsewhere: the weights of extrapolation are in
// solvers/momentum.hpp, the number of sweeps per product with V is in solvers/extrapolated_hals.hpp.
#pragma once

#include "svrmu/matrix.hpp"

namespace svrmu::fast {

// Sizes on a dense V. Measured by bench/compete --sets lowrank,powerlaw,parts,large

// l = 1.5 K, rounded up, but at most F and n: columns of the sketch S.
constexpr double sketch_per_component = 1.5;
// V^ takes (l + 2K)(F + N) numbers. Above this share of F N, iterations on it cost as much as on V, and there
// is no surrogate. (bench/compete --sets cbcl, which is such a V)
constexpr double most_of_dense_V = 0.6;
// n = N / 25 columns in the subset, but between 75 K and 100 K; at least 1000 in any case; and at most half
// of all.
constexpr Index samples_per_drawn_column = 25;
constexpr Index least_subset_per_component = 75;
constexpr Index most_subset_per_component = 100;
constexpr Index least_subset = 1000;
constexpr Index least_samples_per_subset_column = 2;
// Of the range finder: each is two products with the subset, and brings S nearer to the best one.
constexpr int sketch_power_steps = 2;

// Sizes on a sparse V. Measured by bench/compete --sets reuters,debian --seeds 10

// n = max(1000, 100 K) columns, at most half of all; where half of all is less than max(1000, 80 K), none.
constexpr Index least_sparse_subset_per_component = 80;
constexpr Index most_sparse_subset_per_component = 100;
constexpr Index least_sparse_subset = 1000;
// max(1000, 20 K) heavy rows of the subset, that W is learned on first. Fewer save 5 % of the time
// and lose some of the best minima.
constexpr Index rows_per_component = 20;
constexpr Index least_rows = 1000;

// Learning W on the subset. Measured by bench/compete --sets lowrank,large (dense), reuters,debian (sparse)

// It has settled where the objective falls by less than this per iteration, relatively (settling.hpp). What a
// sparse subset leaves to do is cheap on V itself.
constexpr double settled = 5e-5;
constexpr double settled_on_sparse = 1e-3;
constexpr int most_iterations_on_subset = 200;
constexpr int most_iterations_on_sparse_subset = 20;
// Or where the objective is below this share of 1/2||v||^2 (of the sketch's v, or of the heavy rows): on
// noise-free data it falls without end.
// (bench/compete --sets paper)
constexpr double noise_free = 1e-6;

// H for a W that is new. Measured by bench/compete --sets lowrank,powerlaw (dense), reuters,debian (sparse)

// Sweeps at the first pass over a dense V.
constexpr int sweeps_over_new_H = 10;
// On a sparse V (steps 8 and 9) the usual sweeps divided by this, at least one.
constexpr int fewer_sparse_sweeps = 2;
// Added to the diagonal of W'W or h h' before it is inverted, relative to the diagonal's mean.
constexpr double relative_ridge = 1e-6;

// Iterations on the surrogate. Measured by bench/compete --sets powerlaw,large and --check objective --sets
// powerlaw: with fewer, the run's tolerance ends it too early

constexpr int least_iterations_on_surrogate = 10;
constexpr int most_iterations_on_surrogate = 40;
// The weight of extrapolation that a new surrogate begins with, at least.
constexpr double least_extrapolation = 0.3;
// Directions of H H' below this share of the largest are left out of D: single precision does not know them.
constexpr double drop_of_HHt = 1e-7;

// Iterations on a sparse or small V. Measured by bench/compete --check objective --sets reuters,cbcl

// Per epoch: with one alone, the run's default tolerance would end it too early.
constexpr int iterations_per_epoch = 5;
// Single precision ends with an epoch that gains less than this share of ||WH||^2: less is rounding.
// (bench/compete --check precision --sets reuters,debian)
constexpr double rounding_gain = 1e-7;

// Swaps. Measured by bench/compete --check objective --sets reuters --seeds 10 --threads 1

// All candidates together take swap_power_steps + 1 passes over V.
constexpr int swap_power_steps = 3;
// At most so many plain iterations before a swap is judged.
constexpr int iterations_per_swap = 5;
// Swaps that are tried per epoch, and those among them that are undone.
constexpr Index most_swaps = 6;
constexpr Index most_failed_swaps = 2;
// A swap is tried where the epoch's iterations gained at most this share of what the component that would go
// is worth.
constexpr double little_of_worth = 0.1;
// It is kept where it gains more than these iterations did, and more than this share of that worth.
constexpr double least_of_worth = 0.01;

}  // namespace svrmu::fast
