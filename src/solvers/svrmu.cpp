// Stochastic variance-reduced multiplicative updates (Algorithm 1, in mini-batches), with repeated h steps
// (Algorithm 2, SVRMU-ACC) and with outliers (R-SVRMU).
// Kasai, "Stochastic variance reduced multiplicative update for nonnegative matrix factorization", ICASSP
// 2018.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "linalg/products.hpp"
#include "solvers/algorithm.hpp"
#include "solvers/correction.hpp"
#include "solvers/kept_parts.hpp"
#include "solvers/replaced_parts.hpp"
#include "solvers/snapshot_step.hpp"

namespace svrmu {
namespace {

template <class Scalar, class Options>
class Svrmu final : public Solver<Scalar> {
 public:
  // once: on a stream. An epoch is one window of it, whose columns never come again.
  Svrmu(const Options& options, const DataTerm<Scalar>& term, bool once = false)
      : options_(options),
        once_(once),
        term_(term),
        step_(term_, repeats_of(options)),
        replaced_(term_, repeats_of(options), options.batch_size, options.order),
        kept_(term_, repeats_of(options), options.batch_size, options.order) {}

  Descent descent() const override { return Descent::guarded; }

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    if (keeps_parts(feed, f)) {
      kept_.epoch(feed, f, context.start, context.step);
      return;
    }
    // Snapshot (Ws, Hs, Rs), and the full-data gradient there in two nonnegative parts: Qf - Pf, Pf =
    // full_.up / N.
    if (once_) {
      prepare_window(feed, f);
    } else {
      if (!next_is_ready()) all_sums(term_, feed, Counted::columns, f, next_);
      if (feed.interrupted()) return;
      std::swap(full_, next_);
      if (options_.correction != Correction::replace)
        step_.begin(batches_kept(options_, f.W.rows(), feed.total_samples(), f.W.cols()));
    }
    next_ = {};
    if (options_.correction == Correction::replace)
      next_ = replaced_.epoch(feed, f, context.start, full_, context.step, has_room_for_parts(feed, f));
    else
      corrected_steps(feed, f, once_ ? window_start_ : context.start, context.step);
  }

  const Sums<Scalar>* sums() const override { return next_is_ready() ? &next_ : nullptr; }
  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>&) override {
    next_ = {};
    drop_parts();
  }
  void roll_back() override {
    next_ = std::move(full_);
    drop_parts();
  }

  void visit_state(StateVisitor<Scalar>& visit) override {
    if (once_) return;
    visit("snapshot_up", next_.up);
    visit("snapshot_HHt", next_.HHt);
    visit("snapshot_h_sum", next_.h_sum);
    visit("snapshot_rest", next_.rest);
    if (options_.correction == Correction::replace && !term_.frobenius()) kept_.visit_state(visit);
  }

 private:
  bool next_is_ready() const { return next_.up.size() > 0; }
  bool has_room_for_parts(const ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) const {
    return parts_are_few(options_, f.W.rows(), feed.total_samples(), f.W.cols());
  }
  bool keeps_parts(const ColumnFeed<Scalar>& feed, const Factors<Scalar>& f) const {
    return options_.correction == Correction::replace && !term_.frobenius() && has_room_for_parts(feed, f);
  }
  void drop_parts() {
    replaced_.drop();
    kept_.drop();
  }

  // The columns of the window are new: their h is fitted to W before the snapshot is taken.
  void prepare_window(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
    const bool kept = has_room_for_parts(feed, f);
    step_.begin(kept ? batches_of(options_, feed.total_samples()) : 0);
    full_.reset(term_, f.W.rows(), f.W.cols());
    Index batch = 0;
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order, Counted::nothing)) {
      step_.move_h(feed, v, f);
      step_.gather_sums(feed, v, f);
      full_.blend(1, step_.sums, 1);
      if (kept) step_.keep(batch++);
    }
    assign(window_start_, f);
  }

  // Algorithm 1 from its snapshot on.
  void corrected_steps(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const Factors<Scalar>& start,
                       const StepRatio& step) {
    feed.count_gradient(feed.total_samples());
    const RowMatrix<Scalar>& Ws = start.W;
    const double per_sample = 1 / static_cast<double>(feed.total_samples());
    Combination<Scalar> full_down;
    full_.add_down(per_sample, Ws, full_down);
    const RowMatrix<Scalar> Qf = full_down.evaluate(Ws.rows(), Ws.cols());

    const Index batches = batches_of(options_, feed.total_samples());
    Index batch = 0;
    bool evaluate = false;  // on a stream: the last time that the batch comes
    const auto move = [&](const Batch<Scalar>& v) {
      // The batch's gradient at (W, h) minus that at the snapshot, as two nonnegative parts.
      const bool learn = step_.move_h_and_gather(feed, v, f, start, batch++ % batches);
      const Sums<Scalar>& sums = step_.sums;
      const Sums<Scalar>& sums_s = step_.sums_s();
      if (evaluate) next_.blend(1, sums, 1);
      if (!learn) return;

      // W <- (1-a) W + a W .* P ./ Q
      const double per_column = 1 / static_cast<double>(v.total);
      Combination<Scalar> P;
      Combination<Scalar> Q;
      sums_s.add_down(per_column, Ws, P);
      P.add(per_column, sums.up).add(per_sample, full_.up);
      sums.add_down(per_column, f.W, Q);
      Q.add(per_column, sums_s.up).add(1, Qf);
      multiply_by_ratio(f.W, P, Q, scaled(term_.on_w, 1 / feed.all_samples()), step.next(), term_.exponent);
    };
    const Index b = options_.batch_size;
    const int passes = std::max(options_.inner_passes, 1);
    if (options_.inner_steps > 0)
      for (const Batch<Scalar>& v : feed.steps(options_.inner_steps, b, options_.order)) move(v);
    else
      for (int pass = 0; pass < passes; ++pass) {
        evaluate = once_ && pass + 1 == passes && sums_outlast_W(term_);
        if (evaluate) next_.reset(term_, Ws.rows(), Ws.cols());
        for (const Batch<Scalar>& v : feed.batches(b, options_.order)) move(v);
      }
    if (!once_ && !feed.interrupted()) all_sums(term_, feed, Counted::columns, f, next_);
  }

  Options options_;
  bool once_;
  DataTerm<Scalar> term_;
  Sums<Scalar> full_;  // at this epoch's snapshot
  Sums<Scalar> next_;  // at the end of the epoch: the objective there, and the next snapshot
  Factors<Scalar> window_start_;
  SnapshotStep<Scalar> step_;
  ReplacedParts<Scalar> replaced_;
  KeptParts<Scalar> kept_;
};

template <class Scalar>
using PlainSvrmu = Svrmu<Scalar, SvrmuOptions>;
template <class Scalar>
using RobustSvrmu = Svrmu<Scalar, RSvrmuOptions>;

// The sums at the next snapshot: all that the loss and the outliers need, or nothing.
std::vector<StatePart> snapshot_state(const StateFacts& at, bool keeps_R) {
  const bool ready = !at.is_empty("snapshot_up");
  const bool frobenius = ready && at.loss.is_frobenius();
  const bool kl = ready && at.loss == Loss::kullback_leibler();
  const bool rest = ready && (keeps_R || !(frobenius || kl));
  return {state_matrix("snapshot_up", at.F, at.K, true),
          state_matrix("snapshot_HHt", frobenius ? at.K : 0, frobenius ? at.K : 0),
          state_matrix("snapshot_h_sum", kl ? at.K : 0, kl ? 1 : 0),
          state_matrix("snapshot_rest", rest ? at.F : 0, rest ? at.K : 0)};
}

// The sums of the batches that are kept while a snapshot is used: up, and rest where there is one.
template <class Options>
double numbers_at_snapshot(const Options& o, const Shape& shape) {
  const Index F = shape.features;
  const Index K = shape.rank;
  return 2 * static_cast<double>(batches_kept(o, F, shape.samples, K) * F * K);
}

// How long a snapshot is used is said once, in passes or in steps.
template <class Options>
void refuse_two_inner_loops(const Options& o) {
  if (o.inner_passes > 0 && o.inner_steps > 0)
    throw InvalidInput("inner_passes " + std::to_string(o.inner_passes) + " and inner_steps " +
                       std::to_string(o.inner_steps) +
                       " both say how long a snapshot is used; set one of them");
}

// Algorithm 1 as printed: single columns, drawn uniformly, N of them per snapshot, nothing undone. In the
// -acc forms with Algorithm 2, whose L is the paper's.
template <class Options>
void as_printed(const Options& entry, const Given& given, Options& o) {
  if (!given("batch_size")) o.batch_size = 1;
  if (!given("order")) o.order = Order::with_replacement;
  if (!given("safeguard")) o.safeguard = false;
  if (!given("correction")) o.correction = Correction::unbiased;
  if (!given("inner_passes") && !given("inner_steps")) o.inner_passes = 1;
  const bool repeated = entry.h_repeats > 1;
  if (repeated && !given("h_rule") && !given("h_repeats")) o.h_rule = HRule::paper;
  if (repeated && o.h_rule != HRule::fixed && !given("h_rule_limit_rule"))
    o.h_rule_limit_rule = HRuleLimit::paper;
}

class SvrmuAlgorithm final : public AlgorithmOf<SvrmuOptions, ConstructStreaming<PlainSvrmu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"svrmu", "variance-reduced stochastic updates: no noise floor", SvrmuOptions{}, {"paper"}},
            {"svrmu-acc",
             "svrmu with 5 h steps per batch: the paper's best",
             accelerated(SvrmuOptions{}),
             {"paper"}}};
  }
  Traits traits() const override { return {.every_loss = true, .streams = true, .batches_per_window = 16}; }

 protected:
  void check(const SvrmuOptions& o, const Request& request) const override {
    refuse_unguarded_epochs(o, request);
    refuse_two_inner_loops(o);
    refuse_replaced_twice(o);
  }
  void preset(std::string_view, const SvrmuOptions& entry, const Given& given,
              SvrmuOptions& o) const override {
    as_printed(entry, given, o);
  }
  void fill_in(SvrmuOptions& o, const Shape& shape) const override { fill_in_automatic(o, shape); }
  SvrmuOptions on_stream(const SvrmuOptions& o, StreamOptionsOf whose) const override {
    SvrmuOptions served = in_served_order(o, whose);
    if (o.correction == Correction::replace && whose == StreamOptionsOf::caller)
      throw InvalidInput("correction is replace, but a stream does not bring a batch again; leave it out");
    served.correction = Correction::unbiased;
    return served;
  }
  // Without the safeguard it is the published method, from a random start.
  bool frobenius_first(const SvrmuOptions& o, const Loss& loss) const override {
    return o.safeguard && (loss == Loss::kullback_leibler() || loss == Loss::itakura_saito());
  }
  // With two copies of the parts: a run that can be interrupted keeps those of the epoch's start.
  double numbers(const SvrmuOptions& o, const Shape& shape, std::size_t) const override {
    const Index F = shape.features;
    const Index K = shape.rank;
    const bool kept = o.correction == Correction::replace && parts_are_few(o, F, shape.samples, K);
    const double parts =
        kept ? 4 * static_cast<double>(batches_of(o, shape.samples) * F * K) : numbers_at_snapshot(o, shape);
    return usual_numbers(shape) + parts + static_cast<double>((F + shape.local_samples) * K);
  }
  std::vector<StatePart> state(const SvrmuOptions& o, const StateFacts& at) const override {
    std::vector<StatePart> state = snapshot_state(at, false);
    for (StatePart& part : parts_state(o, at)) state.push_back(std::move(part));
    return state;
  }
};

class RSvrmuAlgorithm final : public AlgorithmOf<RSvrmuOptions, Construct<RobustSvrmu>> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"r-svrmu", "svrmu with outliers, V ~ WH + R", RSvrmuOptions{}, {"paper"}},
            {"r-svrmu-acc", "r-svrmu with 5 h steps per batch", accelerated(RSvrmuOptions{}), {"paper"}}};
  }
  Traits traits() const override { return {.robust = true}; }

 protected:
  void check(const RSvrmuOptions& o, const Request& request) const override {
    refuse_unguarded_epochs(o, request);
    refuse_two_inner_loops(o);
    refuse_replaced_twice(o);
  }
  void preset(std::string_view, const RSvrmuOptions& entry, const Given& given,
              RSvrmuOptions& o) const override {
    as_printed(entry, given, o);
    if (!given("outlier_update")) o.outlier_update = OutlierUpdate::multiplicative;
  }
  void fill_in(RSvrmuOptions& o, const Shape& shape) const override { fill_in_automatic(o, shape); }
  double numbers(const RSvrmuOptions& o, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + numbers_of_R(o.outlier_update, shape) + numbers_at_snapshot(o, shape);
  }
  std::vector<StatePart> state(const RSvrmuOptions& o, const StateFacts& at) const override {
    return snapshot_state(at, o.outlier_update == OutlierUpdate::multiplicative);
  }
};

}  // namespace

const Algorithm& svrmu_algorithm() {
  static const SvrmuAlgorithm algorithm;
  return algorithm;
}

const Algorithm& r_svrmu_algorithm() {
  static const RSvrmuAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
