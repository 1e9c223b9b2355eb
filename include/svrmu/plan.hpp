/// \file
/// What is known before the work begins: what V is like, and what a fit would do with it.
#pragma once

#include <string>
#include <vector>

#include "svrmu/choose.hpp"
#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

/// How often something occurs in V, and where first, in the order of the samples; both counted from 0.
struct Occurrence {
  double count = 0;   ///< how often
  Index feature = 0;  ///< row of the first
  Index sample = 0;   ///< column of the first
};

/// What V is like.
struct DataSummary {
  Index features = 0;        ///< rows
  Index samples = 0;         ///< columns
  double stored = 0;         ///< entries held
  double nonzeros = 0;       ///< among all entries
  double least = 0;          ///< the smallest value
  double most = 0;           ///< the largest value
  double mean = 0;           ///< of all entries
  Index empty_features = 0;  ///< without a value
  Index empty_samples = 0;   ///< without a value
  Occurrence nan;            ///< values that are not numbers
  Occurrence infinite;       ///< values that are infinite
  Occurrence negative;       ///< values below 0
};

/// One look at all of V. Refuses nothing.
template <class Scalar>
SVRMU_API DataSummary describe(const MatrixSource<Scalar>& V, int threads = 0);

/// What a fit would do.
struct FitPlan {
  DataSummary data;                   ///< what V is like
  Choice choice;                      ///< the algorithm and the start: what Auto chose, or what was named
  SolverOptions solver;               ///< automatic choices filled in
  double bytes = 0;                   ///< memory beyond V, at its peak
  std::vector<std::string> warnings;  ///< what the caller should know
};

/// Checks all that fit() would check, and tells what it would do.
template <class Scalar>
SVRMU_API FitPlan plan_fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                           const FitOptions<Scalar>& options);

}  // namespace svrmu
