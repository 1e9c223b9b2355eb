// What `fast` finds worth doing for a V of some shape.
#pragma once

#include <algorithm>

#include "svrmu/solvers.hpp"

namespace svrmu {

struct FastSizes {
  Index subset = 0;  // columns that W is learned on; 0: none
  Index sketch = 0;  // columns of Q; 0: no surrogate
  Index rows = 0;    // of the subset, for a sparse V
};

inline FastSizes choose_sizes(const FastOptions& options, Index F, Index N, bool sparse, Index K) {
  FastSizes sizes;
  if (sparse) {
    const Index least = options.subset_size > 0 ? options.subset_size : std::max<Index>(1000, 80 * K);
    const Index most = options.subset_size > 0 ? options.subset_size : std::max<Index>(1000, 100 * K);
    sizes.subset = N / 2 < least ? 0 : std::min(N / 2, most);
    sizes.rows = std::max<Index>(1000, 20 * K);
    return sizes;
  }
  sizes.sketch = options.sketch_size > 0 ? options.sketch_size : (3 * K + 1) / 2;
  const auto model = static_cast<double>(sizes.sketch + 2 * K) * static_cast<double>(F + N);
  if (options.sketch_size == 0 && model > 0.6 * static_cast<double>(F) * static_cast<double>(N)) return {};
  sizes.subset = options.subset_size > 0 ? options.subset_size
                                         : std::max<Index>(1000, std::clamp(N / 25, 75 * K, 100 * K));
  sizes.subset = std::min(sizes.subset, std::max<Index>(N / 2, 1));
  sizes.sketch = std::min({sizes.sketch, F, sizes.subset});
  return sizes;
}

}  // namespace svrmu
