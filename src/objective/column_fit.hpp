// H for columns of V with W fixed, each column on its own until its projected gradient is small.
#pragma once

#include "objective/data_term.hpp"
#include "objective/h_step.hpp"

namespace svrmu {

struct ColumnStop {
  double tolerance = 0;  // projected gradient of a column relative to its start
  int max_sweeps = 1;
};

// Writes the columns of H that belong to the batch. A column's bits depend on that column alone, not on its
// neighbors. Returns how many columns the limit of sweeps ended.
template <class Scalar>
Index fit_columns(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                  const ColumnStop& stop, Matrix<Scalar>& H);

}  // namespace svrmu
