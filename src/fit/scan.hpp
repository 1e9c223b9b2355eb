// One pass over V before the work begins: what its values are like, over the whole team.
#pragma once

#include "linalg/batch_scan.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

struct Scan : ColumnScan {
  double entries = 0;  // F N
  Index empty_rows = 0;

  double mean() const { return sum / entries; }
};

template <class Scalar>
Scan scan(const MatrixSource<Scalar>& source, const Team& team);

// Throws InvalidData, naming the first place, when V holds NaN, infinite or negative values.
void check_values(const Scan& scan);

}  // namespace svrmu
