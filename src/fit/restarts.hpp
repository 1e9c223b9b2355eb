// The runs of `restarts`, one after the other, and going on with them after a stop.
#pragma once

#include <optional>
#include <vector>

#include "fit/problem.hpp"
#include "svrmu/fit.hpp"

namespace svrmu {

// The time limit is for all runs together. A run that the limit or the caller stops is the last.
template <class Scalar>
class Restarts {
 public:
  // From the first run on. Both must outlive this.
  Restarts(const Problem<Scalar>& problem, const FitOptions<Scalar>& options);
  // On from a result. Runs that ended by the same rules stand as they are.
  Restarts(const Problem<Scalar>& problem, const FitOptions<Scalar>& options,
           const FitResult<Scalar>& previous);

  FitResult<Scalar> best();
  std::vector<FitResult<Scalar>> all();

 private:
  // A run that ended by its stopping rules; of those before a stop only the best is known, with the seconds
  // of all.
  struct Ended {
    int run;
    double objective;
    double seconds;
  };

  // The next run that is due; nothing when there is none.
  std::optional<FitResult<Scalar>> next();
  FitResult<Scalar> run(int number) const;
  const Ended* better_than(const FitResult<Scalar>& result) const;
  FitResult<Scalar> with_state(FitResult<Scalar> result, int ended) const;
  double seconds_left() const;
  int number_of(std::uint64_t seed) const { return static_cast<int>(seed - state_.first_seed); }
  bool all_stand() const { return stand_ >= state_.restarts; }

  const Problem<Scalar>& problem_;
  const FitResult<Scalar>* previous_ = nullptr;
  RestartState state_;
  int run_ = 0;                   // the next one
  int stand_ = 0;                 // runs before this one are not repeated
  bool previous_stands_ = false;  // the one that is gone on from would not go on if all were run again
  std::vector<Ended> ended_;
  std::optional<StopReason> stopped_;  // before all runs had ended
};

}  // namespace svrmu
