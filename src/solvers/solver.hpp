// What fit() asks of an algorithm. A solver holds mathematics only: it never reads the clock, evaluates the
// objective for its own use, decides to stop, or knows where V lies.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "data/factors.hpp"
#include "data/feed.hpp"
#include "linalg/copies.hpp"
#include "objective/data_term.hpp"
#include "objective/h_step.hpp"
#include "objective/sums.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu {

// What fit() does when an epoch ends above the last accepted objective.
enum class Descent {
  monotone,  // cannot happen beyond rounding
  guarded,   // variance reduced: undo the epoch, halve the step
  wandering  // has a noise floor: go on, keep the best factors seen
};

// The ratio a of each step W <- (1-a) W + a W_new: the same throughout the epoch, or falling with each step.
class StepRatio {
 public:
  StepRatio(double a) : a_(a) {}
  // a/(1 + c t)^p, where t counts the W steps of the run.
  StepRatio(double a, double c, double p, Index& t) : a_(a), c_(c), p_(p), t_(&t) {}

  double now() const { return t_ == nullptr ? a_ : a_ / std::pow(1 + c_ * static_cast<double>(*t_), p_); }
  // Of a step that is made now, and counted.
  double next() const {
    const double ratio = now();
    if (t_ != nullptr) ++*t_;
    return ratio;
  }

 private:
  double a_;
  double c_ = 0;
  double p_ = 1;
  Index* t_ = nullptr;
};

template <class Scalar>
struct EpochContext {
  StepRatio step;
  const Factors<Scalar>& start;  // the factors at the start of the epoch
  double keep = 1;               // what a batch leaves of the statistics of earlier ones
  bool measure_violation = false;
};

// Sums of |projected gradient| over the coordinates of each factor, each when its turn came, in working
// units.
struct Violation {
  double of_w = 0;
  double of_h = 0;
};

// Shows the state of a solver by name, to be copied out of it or into it.
template <class Scalar>
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void operator()(const std::string& name, Matrix<Scalar>& matrix) = 0;
  virtual void operator()(const std::string& name, RowMatrix<Scalar>& matrix) = 0;
  virtual void operator()(const std::string& name, double& number) = 0;
  virtual void operator()(const std::string& name, Index& number) = 0;
};

// A part of the state that may be in single precision, shown in that of V.
template <class Scalar, class M>
void visit_as(StateVisitor<Scalar>& visit, const std::string& name, M& matrix) {
  if constexpr (std::is_same_v<Scalar, typename M::Scalar>) {
    visit(name, matrix);
  } else {
    Matrix<Scalar> shown;
    assign(shown, matrix);
    visit(name, shown);
    assign(matrix, shown);
  }
}

// Flags and enumerations are stored as whole numbers.
template <class Scalar, class Value>
void visit_as_number(StateVisitor<Scalar>& visit, const std::string& name, Value& value) {
  static_assert(std::is_same_v<Value, bool> || std::is_enum_v<Value>);
  auto number = static_cast<Index>(value);
  visit(name, number);
  value = static_cast<Value>(number);
}

// A number that may be unknown, which is stored as the largest one: model files keep finite numbers only.
template <class Scalar>
void visit_optional(StateVisitor<Scalar>& visit, const std::string& name, std::optional<double>& value) {
  constexpr double unknown = std::numeric_limits<double>::max();
  double number = value.value_or(unknown);
  visit(name, number);
  value = number == unknown ? std::nullopt : std::optional(number);
}

template <class Scalar>
class Solver {
 public:
  virtual ~Solver() = default;

  virtual Descent descent() const = 0;
  // Once, before the start is evaluated.
  virtual void prepare(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) { forget(feed, f); }
  // Begins anew from these factors: statistics of any others are dropped.
  virtual void forget(ColumnFeed<Scalar>&, const Factors<Scalar>&) {}
  // One outer iteration. Ends early, anywhere, when the feed is interrupted.
  virtual void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) = 0;
  // Whether the next epoch takes its start from the context alone and writes all of the factors, which then
  // need not hold it.
  virtual bool looks_at_start_only(const ColumnFeed<Scalar>&, const Factors<Scalar>&) const { return false; }
  // On a stream: begins with the statistics of samples that W H is taken to equal.
  virtual void assume(const Factors<Scalar>&) {}
  // Sums at the present factors, where the last epoch left them: they give the objective for nothing.
  virtual const Sums<Scalar>* sums() const { return nullptr; }
  // Of the last epoch, where it was to measure it. Only algorithms whose traits say so have it.
  virtual Violation violation() const { return {}; }
  // The epoch was undone: the factors are those that were accepted last.
  virtual void roll_back() {}
  // All that decides the next epoch besides the factors.
  virtual void visit_state(StateVisitor<Scalar>&) {}
};

template <class Scalar>
Shrink<Scalar> scaled(Shrink<Scalar> shrink, double factor) {
  return {static_cast<Scalar>(factor * static_cast<double>(shrink.l1)),
          static_cast<Scalar>(factor * static_cast<double>(shrink.l2))};
}

template <class Scalar>
Shrink<float> rounded(Shrink<Scalar> shrink) {
  return {static_cast<float>(shrink.l1), static_cast<float>(shrink.l2)};
}

// l1 |X| + l2/2 ||X||^2
template <class Scalar, class M>
double penalty(Shrink<Scalar> shrink, const M& X) {
  if (shrink.l1 == 0 && shrink.l2 == 0) return 0;
  const Norms n = norms(X.data(), X.size());
  return static_cast<double>(shrink.l1) * n.l1 + static_cast<double>(shrink.l2) / 2 * n.squared;
}

template <class Options>
Repeats repeats_of(const Options& options) {
  return {options.h_rule, options.h_rule == HRule::fixed ? options.h_repeats : options.h_rule_limit,
          options.h_rule_tolerance};
}

// The h step on one batch, and the sums for the W step that follows.
template <class Scalar>
class BatchStep {
 public:
  BatchStep(const DataTerm<Scalar>& term, const Repeats& repeats) : term_(term), repeats_(repeats) {}

  // Moves H and R on the batch; h is then the batch's part of H.
  void move_h(const ColumnFeed<Scalar>& feed, const Batch<Scalar>& v, Factors<Scalar>& f) {
    take_columns(f.H, v, h);
    update_h(term_, Basis<Scalar>(term_, f.W), v, h, f.R, repeats_, feed);
    put_columns(h, v, f.H);
  }
  // The sums at (W, h). False when the batch is entirely zero: W then has nothing to learn from it.
  bool gather_sums(const ColumnFeed<Scalar>& feed, const Batch<Scalar>& v, const Factors<Scalar>& f) {
    sums.reset(term_, f.W.rows(), f.W.cols());
    add_sums(term_, f.W, v, h, f.R, sums);
    sums.total_over(feed);
    return !sums.up.isZero(0);
  }

  Matrix<Scalar> h;
  Sums<Scalar> sums;

 private:
  const DataTerm<Scalar>& term_;
  Repeats repeats_;
};

}  // namespace svrmu
