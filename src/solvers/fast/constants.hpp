// Every constant that was tuned for `fast`. Each block names the command whose numbers decided it: run it
// before and after a change (`make bench` builds what it needs; docs/benchmarks.md says how to read its
// tables). What extrapolation is made of is in solvers/momentum.hpp and how many sweeps a product is worth in
// solvers/extrapolated_hals.hpp: hals-ext shares them.
#pragma once

#include "svrmu/matrix.hpp"

namespace svrmu::fast {

// Sizes on a dense V.                                 bench/compete --sets lowrank,powerlaw,parts,large,cbcl
constexpr double sketch_per_component = 1.5;  // l = 1.5 K, rounded up
constexpr double most_of_dense_V = 0.6;  // of F N: a larger surrogate costs as much as V, so none is made
constexpr Index samples_per_drawn_column = 25;  // n = N / 25, but
constexpr Index least_subset_per_component = 75;
constexpr Index most_subset_per_component = 100;
constexpr Index least_subset = 1000;
constexpr Index least_samples_per_subset = 2;  // n <= N / 2
constexpr int sketch_power_steps = 2;

// Sizes on a sparse V.              bench/compete --sets reuters,debian, and --check objective --sets reuters
constexpr Index least_sparse_subset_per_component = 80;  // where N / 2 is below it, no subset is drawn
constexpr Index most_sparse_subset_per_component = 100;
constexpr Index least_sparse_subset = 1000;
constexpr Index rows_per_component = 20;  // the heaviest rows of the subset that W is learned on first
constexpr Index least_rows = 1000;

// Learning W on the subset ends where the objective falls by less than this per iteration, relatively.
//                                              dense: bench/compete --sets large; sparse: --sets
//                                              reuters,debian
constexpr double settled = 5e-5;
constexpr double settled_on_sparse = 1e-3;  // iterations on a sparse V do the rest, and are cheap
constexpr int most_iterations_on_subset = 200;
constexpr int most_iterations_on_sparse_subset = 20;
// Or where the objective is below this share of 1/2||V||^2: on noise-free V it falls without end.
//                                                                                bench/compete --sets paper
constexpr double noise_free = 1e-6;

// H for a new W, with nothing known of it.            bench/compete --sets lowrank,powerlaw; reuters,debian
constexpr int sweeps_over_new_H = 10;
constexpr int sweeps_per_sparse_sweep = 2;  // on a sparse V half the usual sweeps, at least one
constexpr double relative_ridge = 1e-6;     // of the mean diagonal, where least squares begins the sweeps

// Iterations on the surrogate.                        bench/compete --sets powerlaw,large; --check objective
constexpr int least_iterations_on_surrogate = 10;
constexpr int most_iterations_on_surrogate = 40;
constexpr double least_extrapolation = 0.3;  // that a new surrogate begins with
constexpr double drop_of_HHt = 1e-7;  // directions of H H' below this share of the largest are left out of D

// Single precision on a sparse V ends with an epoch that gains less than this share of ||WH||^2: less is
// rounding.                                              bench/compete --check precision --sets
// reuters,debian
constexpr double rounding_gain = 1e-7;

// Iterations per epoch on a sparse or small V: the default tolerance would end too early after a single one.
//                                                                  bench/compete --check objective --sets
//                                                                  reuters
constexpr int iterations_per_epoch = 5;

// Swaps.                       bench/compete --check objective --sets reuters --seeds 10; --sets
// reuters,debian
constexpr int swap_power_steps = 3;
constexpr int iterations_per_swap = 5;  // at most, before it is judged
constexpr Index most_swaps = 6;         // per epoch
constexpr Index most_failed_swaps = 2;
constexpr double little = 0.1;  // of a component's worth: an epoch whose iterations gained less tries a swap
constexpr double very_little =
    0.01;  // of the same: a swap is kept where it gains more than this, and than they

}  // namespace svrmu::fast
