// What a fit is compared with: the loss of the null model.
#pragma once

#include <functional>

#include "fit/scan.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/source.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

// As FitResult::null_cost has it. Frobenius: from the scan alone; other losses: two passes over V. NaN where
// these were interrupted.
template <class Scalar>
double null_cost(const MatrixSource<Scalar>& V, const Team& team, const Loss& loss, const Scan& scan,
                 const std::function<bool()>& interrupted = {});

}  // namespace svrmu
