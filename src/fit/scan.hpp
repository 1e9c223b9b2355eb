// One look at all of V before the work begins.
#pragma once

#include <limits>

#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

// How often something that V must not hold occurs, and where first (in the order of the columns).
struct Finding {
  double count = 0;
  Index row = 0;
  Index column = 0;
  double value = 0;
};

struct Scan {
  Finding nan;
  Finding infinite;
  Finding negative;
  double sum = 0;
  double squared = 0;                                      // ||V||^2
  double least = std::numeric_limits<double>::infinity();  // of all entries, stored or not
  double max = 0;
  double nonzeros = 0;
  double entries = 0;  // F N
  Finding zero;        // stored or not
  Index empty_rows = 0;
  Index empty_columns = 0;

  double mean() const { return sum / entries; }
};

template <class Scalar>
Scan scan(const MatrixSource<Scalar>& source, const Team& team);

// Throws InvalidInput, naming the first place, when V is empty or holds NaN, Inf or negative values.
void check_values(const Scan& scan);

}  // namespace svrmu
