// The objective and its companions, in the units of the caller. Reads V apart from the solver: nothing here
// counts as the solver's work.
#pragma once

#include <functional>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "fit/scaling.hpp"
#include "objective/cost.hpp"
#include "objective/data_term.hpp"
#include "objective/sums.hpp"

namespace svrmu {

struct Evaluation {
  double objective = 0;
  double cost = 0;
  double relative_error = 0;
  double on_h = 0;  // the penalties on H
};

template <class Scalar>
class Evaluator {
 public:
  // `interrupted` is asked between blocks, as a feed asks it.
  Evaluator(const MatrixSource<Scalar>& source, const Team& team, const DataTerm<Scalar>& term,
            const Loss& loss, const Scan& scan, const Scaling& scaling,
            std::function<bool()> interrupted = {});

  // From here on until it is interrupted again, results mean something.
  void begin() { feed_.begin_epoch(0); }
  bool interrupted() const { return feed_.interrupted(); }

  // With the sums at these factors, where the solver has them, the Frobenius objective costs nothing.
  Evaluation operator()(const Factors<Scalar>& f, const Sums<Scalar>* sums);

  // Norm of the projected gradients of W and H after balancing the components.
  double projected_gradient(const Factors<Scalar>& f);

  Index columns_read() const { return feed_.columns_read(); }

  // What rounding can do to an objective that began at `start`.
  double rounding(double start) const;

 private:
  Cost from_sums(const Factors<Scalar>& f, const Sums<Scalar>& sums) const;

  ColumnFeed<Scalar> feed_;
  DataTerm<Scalar> term_;
  double squared_;      // ||V||^2 in working units
  double trace_limit_;  // share of it below which the residual itself is computed
  double unit_;         // working loss = unit * loss
};

}  // namespace svrmu
