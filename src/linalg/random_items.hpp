// Random starts of factors.
#pragma once

#include <functional>

#include "data/random.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Items of K numbers, uniform in (0, size). Item i gets those of the place number(i), whoever makes it.
template <class Scalar>
void fill_uniform(const Random& random, double size, Index count, Index K,
                  const std::function<Index(Index)>& number, Scalar* items);

}  // namespace svrmu
