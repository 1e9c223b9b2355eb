// Online multiplicative updates, and their form with outliers (r-onmf): W follows sums over the batches seen
// so far. After Zhao & Tan, "Online nonnegative matrix factorization with outliers", 2016; the sums restart
// with each epoch unless told otherwise.
#include "solvers/online.hpp"
#include "solvers/online_replace.hpp"

namespace svrmu {
namespace {

struct MakeOnmf {
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make(const OnmfOptions& options, const DataTerm<Scalar>& term) {
    if (options.statistics == Statistics::replace) return make_online_replace(options, term);
    const bool accumulate = options.statistics == Statistics::accumulate;
    return std::make_unique<Online<Scalar, OnmfOptions>>(
        options, options.w_repeats, accumulate ? OnlineSums::never : OnlineSums::each_epoch, term);
  }
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make(const ROnmfOptions& options, const DataTerm<Scalar>& term) {
    return std::make_unique<Online<Scalar, ROnmfOptions>>(options, options.w_repeats, OnlineSums::each_epoch,
                                                          term);
  }
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> make_streaming(const OnmfOptions& options,
                                                        const DataTerm<Scalar>& term) {
    return std::make_unique<Online<Scalar, OnmfOptions>>(options, options.w_repeats,
                                                         OnlineSums::never_and_once, term);
  }
};

class OnmfAlgorithm final : public AlgorithmOf<OnmfOptions, MakeOnmf> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"onmf", "online updates from sums over batches; for one-pass streams", OnmfOptions{}},
            {"onmf-acc", "onmf with 5 h steps per batch", accelerated(OnmfOptions{})}};
  }
  Traits traits() const override { return {.streams = true}; }

 protected:
  OnmfOptions on_stream(const OnmfOptions& o, StreamOptionsOf whose) const override {
    if (whose == StreamOptionsOf::caller && o.statistics == Statistics::replace)
      throw InvalidInput("statistics is replace, but no batch of a stream comes again; use accumulate");
    OnmfOptions options = in_served_order(o, whose);
    options.statistics = Statistics::accumulate;
    return options;
  }
  std::vector<StatePart> stream_state(const StateFacts& at) const override { return statistics_state(at); }
  std::vector<StatePart> state(const OnmfOptions& o, const StateFacts& at) const override {
    if (o.statistics == Statistics::reset) return {};
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K),
            o.statistics == Statistics::accumulate ? state_matrix("C", 0, 0) : state_matrix("seen", 1, at.N),
            state_number("columns", 0, fields::huge)};
  }
};

class ROnmfAlgorithm final : public AlgorithmOf<ROnmfOptions, MakeOnmf> {
 public:
  std::vector<SolverInfo> entries() const override {
    return {{"r-onmf", "onmf with outliers, V ~ WH + R", ROnmfOptions{}},
            {"r-onmf-acc", "r-onmf with 5 (h, r) steps per batch", accelerated(ROnmfOptions{})}};
  }
  Traits traits() const override { return {.robust = true}; }

 protected:
  double numbers(const ROnmfOptions& o, const Shape& shape, std::size_t) const override {
    return usual_numbers(shape) + numbers_of_R(o.outlier_update, shape);
  }
};

}  // namespace

const Algorithm& onmf_algorithm() {
  static const OnmfAlgorithm algorithm;
  return algorithm;
}

const Algorithm& r_onmf_algorithm() {
  static const ROnmfAlgorithm algorithm;
  return algorithm;
}

}  // namespace svrmu
