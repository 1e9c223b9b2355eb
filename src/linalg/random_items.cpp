#include "linalg/random_items.hpp"

#include "linalg/kernels.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {

template <class Scalar>
void fill_uniform(const Random& random, double size, Index count, Index K,
                  const std::function<Index(Index)>& number, Scalar* items) {
  parallel_tiles(count, 512, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      kernels<Scalar>().uniform(random.key(), static_cast<std::uint64_t>(number(i)), K, size, items + i * K);
  });
}

template void fill_uniform<float>(const Random&, double, Index, Index, const std::function<Index(Index)>&,
                                  float*);
template void fill_uniform<double>(const Random&, double, Index, Index, const std::function<Index(Index)>&,
                                   double*);

}  // namespace svrmu
