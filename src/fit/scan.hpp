// One pass over V before the work begins: what its values are like, over the whole team.
#pragma once

#include <stop_token>

#include "linalg/batch_scan.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

struct Scan : ColumnScan {
  double entries = 0;  // F N
  Index empty_rows = 0;
  bool single = false;  // V is in single precision

  double mean() const { return sum / entries; }
};

// Cancelled, on all members, when one of them is asked to stop.
template <class Scalar>
Scan scan(const MatrixSource<Scalar>& source, const Team& team, const std::stop_token& stop = {});

// Throws InvalidData when V holds NaN, infinite or negative values, naming the first place, or denormal
// numbers alone: factors in the units of such a V would be denormal too, and have few digits or none.
void check_values(const Scan& scan);

}  // namespace svrmu
