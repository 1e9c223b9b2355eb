// What `fast` finds worth doing for a V of some shape.
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/fast/constants.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu::fast {

struct Sizes {
  Index subset = 0;  // n, columns of the subset v that W is learned on; 0: none
  Index sketch = 0;  // l, columns of the sketch S; 0: no surrogate, and so the sparse road
  Index rows = 0;    // heavy rows of the subset, for a sparse V
};

inline Sizes sizes_for_sparse(const FastOptions& options, Index N, Index K) {
  const auto of_components = [&](Index per_component) {
    return options.subset_size > 0 ? options.subset_size : std::max(least_sparse_subset, per_component * K);
  };
  const Index most = N / least_samples_per_subset_column;
  const bool enough = most >= of_components(least_sparse_subset_per_component);
  return {.subset = enough ? std::min(most, of_components(most_sparse_subset_per_component)) : 0,
          .sketch = 0,
          .rows = std::max(least_rows, rows_per_component * K)};
}

// A given sketch_size has a surrogate for V of any size.
inline Sizes sizes_for_dense(const FastOptions& options, Index F, Index N, Index K) {
  Index sketch = options.sketch_size;
  if (sketch == 0) {
    sketch = std::lround(sketch_per_component * static_cast<double>(K));
    const auto surrogate = static_cast<double>(sketch + 2 * K) * static_cast<double>(F + N);
    if (surrogate > most_of_dense_V * static_cast<double>(F) * static_cast<double>(N)) return {};
  }
  Index subset = options.subset_size;
  if (subset == 0)
    subset = std::max(least_subset, std::clamp(N / samples_per_drawn_column, least_subset_per_component * K,
                                               most_subset_per_component * K));
  subset = std::min(subset, std::max<Index>(N / least_samples_per_subset_column, 1));
  return {.subset = subset, .sketch = std::min({sketch, F, subset}), .rows = 0};
}

inline Sizes choose_sizes(const FastOptions& options, Index F, Index N, bool sparse, Index K) {
  return sparse ? sizes_for_sparse(options, N, K) : sizes_for_dense(options, F, N, K);
}

}  // namespace svrmu::fast
