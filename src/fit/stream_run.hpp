// One call of fit_stream() or update(): windows of a stream, each an epoch of a solver that never sees it
// again.
#pragma once

#include <memory>

#include "fit/evaluate.hpp"
#include "fit/scaling.hpp"
#include "fit/scan.hpp"
#include "solvers/algorithm.hpp"
#include "svrmu/update.hpp"

namespace svrmu {

template <class Scalar>
class StreamRun {
 public:
  // What is passed must outlive the run.
  StreamRun(ColumnStream<Scalar>& V, const StreamOptions<Scalar>& options);

  FitResult<Scalar> from_nothing(const SolverOptions& solver, const StreamStart<Scalar>& start);
  FitResult<Scalar> from_model(const FitResult<Scalar>& model);

 private:
  void begin(const SolverOptions& resolved);
  void take_past(const FitResult<Scalar>& model);
  bool serve();
  Scan look_over() const;
  void check_window(const Scan& scan) const;
  StopReason learn_all(bool served);
  bool learn(const Scan& scan);
  void hand_out_h() const;
  void record(bool stays);
  FitResult<Scalar> result(StopReason reason);

  ColumnStream<Scalar>& V_;
  const StreamOptions<Scalar>& options_;
  Index window_ = 0;
  Batch<Scalar> served_;

  FitResult<Scalar> result_;  // all that is known of it
  Scaling scaling_;
  DataTerm<Scalar> term_;
  std::unique_ptr<Solver<Scalar>> solver_;
  Factors<Scalar> factors_;  // W, and H of the window
  Factors<Scalar> start_;    // W before the window
  StreamState state_;
  Index columns_ = 0;  // of this call
  double solver_seconds_ = 0;
  double evaluate_seconds_ = 0;
  double gradient_count_ = 0;
  Index read_before_ = 0;
  Index w_steps_ = 0;  // counted where the step ratio falls with them
  double last_step_ = 1;
  double last_error_ = 0;
  bool observer_stops_ = false;
};

}  // namespace svrmu
