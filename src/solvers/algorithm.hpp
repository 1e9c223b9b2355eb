// What the library knows of an algorithm besides its steps. Each algorithm says it beside its own code.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "objective/data_term.hpp"
#include "solvers/solver.hpp"
#include "svrmu/error.hpp"
#include "svrmu/export.hpp"
#include "svrmu/penalties.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu {

struct Traits {
  bool multiplicative = true;       // zeros in its start stay zero
  bool every_loss = false;          // any beta-divergence; else the Frobenius loss alone
  bool robust = false;              // V ~ WH + R
  bool penalties = true;            // on W and H
  bool noisy_small_batches = true;  // below 5 K columns: worth a warning
  bool violation = false;           // its sweeps can measure it
  bool streams = false;             // learns from columns that it sees once
  Index batches_per_window = 1;     // of a stream: what it holds at a time
};

// Sizes of the problem over the whole team.
struct Shape {
  Index features = 0;
  Index samples = 0;        // over the team
  Index local_samples = 0;  // this member's
  Index rank = 0;
  double stored = 0;  // entries of V, over the team
  bool sparse = false;
};

// What is asked of a fit besides the options of the algorithm.
struct Request {
  Loss loss{};
  Penalties penalties{};
  Index evaluate_every = 1;
};

// One part of a solver's state, as its visit_state() shows it. Files are held against these: resume() trusts
// the sizes. A choice or a flag is stored as a number.
struct StatePart {
  enum class Kind { matrix, number, choice, flag };
  std::string name;
  Kind kind = Kind::matrix;
  Index rows = 0;
  Index columns = 0;
  bool may_be_empty = false;
  double least = 0;
  double most = 0;
};

inline StatePart state_matrix(std::string name, Index rows, Index columns, bool may_be_empty = false) {
  return {std::move(name), StatePart::Kind::matrix, rows, columns, may_be_empty, 0, 0};
}
inline StatePart state_number(std::string name, double least, double most) {
  return {std::move(name), StatePart::Kind::number, 0, 0, false, least, most};
}
template <class Choice>
StatePart state_choice(std::string name, Choice last) {  // an enumeration without gaps
  return {std::move(name), StatePart::Kind::choice, 0, 0, false, 0, static_cast<double>(last)};
}
inline StatePart state_flag(std::string name) {
  return {std::move(name), StatePart::Kind::flag, 0, 0, false, 0, 1};
}

// What a state has to fit. Some parts decide the sizes of others: these are asked for by name.
struct StateFacts {
  Index F = 0;
  Index N = 0;
  Index K = 0;
  Loss loss{};
  std::function<bool(const std::string&)> is_empty;  // of a matrix, or not there
  std::function<double(const std::string&)> number;  // 0 if not there
};

// Whose options a stream begins with: what it cannot have is refused where they were named, and replaced
// where they are those of a fit in memory that goes on.
enum class StreamOptionsOf { caller, fit };

// Whether an option was set by name.
using Given = std::function<bool(std::string_view option)>;

class Algorithm {
 public:
  virtual ~Algorithm() = default;

  virtual std::string_view name() const = 0;            // of its options
  virtual std::vector<SolverInfo> entries() const = 0;  // of the catalog: one, or the accelerated form too
  virtual Traits traits() const = 0;
  // Refuses options that contradict each other or the request: InvalidInput, by name.
  virtual void check_options(const SolverOptions& options, const Request& request) const = 0;
  // Sets what a preset of an entry says, but for the options that `given` names: those are set already.
  virtual void apply_preset(std::string_view preset, const SolverInfo& entry, const Given& given,
                            SolverOptions& options) const = 0;
  // Makes the automatic choices that no other algorithm has.
  virtual void fill_in_options(SolverOptions& options, const Shape& shape) const = 0;
  // Whether its automatic start is a short Frobenius fit.
  virtual bool begins_with_frobenius(const SolverOptions& options, const Loss& loss) const = 0;
  // Numbers beyond V that a fit holds at its peak.
  virtual double numbers_held(const SolverOptions& options, const Shape& shape,
                              std::size_t scalar_size) const = 0;
  virtual std::vector<StatePart> state_parts(const SolverOptions& options, const StateFacts& facts) const = 0;
  // On a stream: the options as they are used there, or InvalidInput, by name; what its state consists of.
  virtual SolverOptions streaming_options(const SolverOptions& options, StreamOptionsOf whose) const = 0;
  virtual std::vector<StatePart> streaming_state_parts(const StateFacts& facts) const = 0;
  // For a stream: an epoch is one window of it. Null where it must see columns again.
  virtual std::unique_ptr<Solver<float>> make_streaming(const SolverOptions& options,
                                                        const DataTerm<float>& term) const = 0;
  virtual std::unique_ptr<Solver<double>> make_streaming(const SolverOptions& options,
                                                         const DataTerm<double>& term) const = 0;
  // The options have their automatic choices filled in.
  virtual std::unique_ptr<Solver<float>> make(const SolverOptions& options,
                                              const DataTerm<float>& term) const = 0;
  virtual std::unique_ptr<Solver<double>> make(const SolverOptions& options,
                                               const DataTerm<double>& term) const = 0;
};

// What most fits hold: the iterate, its last and best epoch, checkpoint and result; sums, gradients and
// snapshots; Gram matrices and their partial sums.
inline double usual_numbers(const Shape& shape) {
  const auto F = static_cast<double>(shape.features);
  const auto N = static_cast<double>(shape.local_samples);
  const auto K = static_cast<double>(shape.rank);
  return 7 * (F + N) * K + 8 * F * K + 16 * K * K;
}

// What a factor of each precision is made with: SolverOf<Scalar>(options, term).
template <template <class> class SolverOf>
struct Construct {
  template <class Scalar, class Options>
  static std::unique_ptr<Solver<Scalar>> make(const Options& options, const DataTerm<Scalar>& term) {
    return std::make_unique<SolverOf<Scalar>>(options, term);
  }
};

// The same, and SolverOf<Scalar>(options, term, true) for streams.
template <template <class> class SolverOf>
struct ConstructStreaming : Construct<SolverOf> {
  template <class Scalar, class Options>
  static std::unique_ptr<Solver<Scalar>> make_streaming(const Options& options,
                                                        const DataTerm<Scalar>& term) {
    return std::make_unique<SolverOf<Scalar>>(options, term, true);
  }
};

// A stream has one order, and no end of an epoch at which a safeguard could judge.
template <class Options>
Options in_served_order(Options options, StreamOptionsOf whose) {
  if (whose == StreamOptionsOf::caller && options.order != Order::cyclic && options.order != Options{}.order)
    throw InvalidInput(
        "order is set, by its name or by a preset, but a stream comes in its own order; leave it out");
  options.order = Order::cyclic;
  options.safeguard = false;
  return options;
}

// An algorithm from its options and its solver; what it does not say is the usual.
template <class Options, class Factory>
class AlgorithmOf : public Algorithm {
 public:
  std::string_view name() const final { return Options::name; }
  void check_options(const SolverOptions& o, const Request& request) const final {
    check(o.get<Options>(), request);
  }
  void apply_preset(std::string_view name, const SolverInfo& entry, const Given& given,
                    SolverOptions& o) const final {
    Options options = o.get<Options>();
    preset(name, entry.options.get<Options>(), given, options);
    o = std::move(options);
  }
  void fill_in_options(SolverOptions& o, const Shape& shape) const final {
    Options options = o.get<Options>();
    fill_in(options, shape);
    o = std::move(options);
  }
  bool begins_with_frobenius(const SolverOptions& o, const Loss& loss) const final {
    return frobenius_first(o.get<Options>(), loss);
  }
  double numbers_held(const SolverOptions& o, const Shape& shape, std::size_t scalar_size) const final {
    return numbers(o.get<Options>(), shape, scalar_size);
  }
  std::vector<StatePart> state_parts(const SolverOptions& o, const StateFacts& facts) const final {
    return state(o.get<Options>(), facts);
  }
  std::unique_ptr<Solver<float>> make(const SolverOptions& o, const DataTerm<float>& term) const final {
    return Factory::template make<float>(o.get<Options>(), term);
  }
  std::unique_ptr<Solver<double>> make(const SolverOptions& o, const DataTerm<double>& term) const final {
    return Factory::template make<double>(o.get<Options>(), term);
  }
  SolverOptions streaming_options(const SolverOptions& o, StreamOptionsOf whose) const final {
    return on_stream(o.get<Options>(), whose);
  }
  std::vector<StatePart> streaming_state_parts(const StateFacts& facts) const final {
    return stream_state(facts);
  }
  std::unique_ptr<Solver<float>> make_streaming(const SolverOptions& o,
                                                const DataTerm<float>& term) const final {
    return streaming(o.get<Options>(), term);
  }
  std::unique_ptr<Solver<double>> make_streaming(const SolverOptions& o,
                                                 const DataTerm<double>& term) const final {
    return streaming(o.get<Options>(), term);
  }

 protected:
  virtual void check(const Options&, const Request&) const {}
  // One of those that entries() list; `entry` are the options that it has without.
  virtual void preset(std::string_view, const Options& /*entry*/, const Given&, Options&) const {}
  virtual void fill_in(Options&, const Shape&) const {}
  virtual Options on_stream(const Options&, StreamOptionsOf) const {
    throw InvalidInput(std::string(Options::name) + " has to see columns again, which a stream cannot; " +
                       "use inc-hals, inc-mu, onmf, smu or svrmu, or their accelerated forms");
  }
  virtual std::vector<StatePart> stream_state(const StateFacts&) const { return {}; }
  virtual bool frobenius_first(const Options&, const Loss&) const { return false; }
  virtual double numbers(const Options&, const Shape& shape, std::size_t) const {
    return usual_numbers(shape);
  }
  virtual std::vector<StatePart> state(const Options&, const StateFacts&) const { return {}; }

 private:
  template <class Scalar>
  static std::unique_ptr<Solver<Scalar>> streaming(const Options& o, const DataTerm<Scalar>& term) {
    if constexpr (requires { Factory::template make_streaming<Scalar>(o, term); })
      return Factory::template make_streaming<Scalar>(o, term);
    else
      return nullptr;
  }
};

// Statistics A = V H' and B = H H' of the columns so far, and how many there are.
inline std::vector<StatePart> statistics_state(const StateFacts& at) {
  return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K),
          state_number("columns", 0, fields::huge)};
}

// X-acc: X with five h steps per batch.
template <class Options>
Options accelerated(Options options) {
  options.h_repeats = 5;
  return options;
}

// For algorithms that look at the objective of every epoch.
inline void refuse_rare_evaluations(const Request& request, const std::string& because) {
  if (request.evaluate_every > 1)
    throw InvalidInput("evaluate_every is " + std::to_string(request.evaluate_every) + ", but " + because);
}

// The same for those whose safeguard does.
template <class Options>
void refuse_unguarded_epochs(const Options& options, const Request& request) {
  if (options.safeguard)
    refuse_rare_evaluations(request, "the safeguard of " + std::string(Options::name) +
                                         " looks at every epoch; set it to 1 or turn the safeguard off");
}

// What a fit holds of R: nothing in closed form.
inline double numbers_of_R(OutlierUpdate update, const Shape& shape) {
  if (update != OutlierUpdate::multiplicative) return 0;
  const auto N = static_cast<double>(shape.local_samples);
  if (!shape.sparse) return 6 * static_cast<double>(shape.features) * N;
  return 6 * shape.stored * N / static_cast<double>(shape.samples);
}

SVRMU_API const Algorithm& algorithm_of(const SolverOptions& solver);
std::vector<const Algorithm*> algorithms();  // in the order of the documentation

// While it lives, the library has one more algorithm. Not for use beside running fits.
class AddedAlgorithm {
 public:
  explicit AddedAlgorithm(const Algorithm& algorithm);
  ~AddedAlgorithm();
  AddedAlgorithm(const AddedAlgorithm&) = delete;
  AddedAlgorithm& operator=(const AddedAlgorithm&) = delete;
};

template <class Scalar>
std::unique_ptr<Solver<Scalar>> make_solver(const SolverOptions& options, const DataTerm<Scalar>& term) {
  return algorithm_of(options).make(options, term);
}

}  // namespace svrmu
