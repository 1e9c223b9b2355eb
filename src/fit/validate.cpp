#include "fit/validate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "linalg/batch_products.hpp"
#include "linalg/kernels.hpp"
#include "linalg/machine.hpp"
#include "solvers/fast_sizes.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

template <class O>
concept Batched = requires(O o) {
  o.batch_size;
};
template <class O>
concept Repeated = requires(O o) {
  o.h_repeats;
};
template <class O>
concept Stepped = requires(O o) {
  o.step;
};
template <class O>
concept Robust = requires(O o) {
  o.outlier_penalty;
};
template <class O>
concept AnyLoss = requires(O o) {
  o.exponent;
};

std::string sizes(Index rows, Index cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

template <class M>
void check_size(const M& matrix, const char* name, Index rows, Index cols, const char* shape) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw InvalidInput(std::string("start ") + name + " is " + sizes(matrix.rows(), matrix.cols()) +
                     ", but must be " + sizes(rows, cols) + " (" + shape + ")");
}

template <class Derived>
void check_values(const Derived& values, const char* name) {
  const Summary all = kernels<typename Derived::Scalar>().summarize(values.data(), values.size());
  if (std::isfinite(all.sum) && all.least >= 0) return;
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i)
      if (!(values(i, j) >= 0) || !std::isfinite(values(i, j)))
        throw InvalidInput(std::string("start ") + name + " holds " +
                           number_text(static_cast<double>(values(i, j))) + " at row " + std::to_string(i) +
                           ", column " + std::to_string(j) +
                           " (counted from 0); it must be finite and nonnegative");
}

void check_penalty(double value, const char* name) {
  if (!(value >= 0) || !std::isfinite(value))
    throw InvalidInput(std::string("penalty ") + name + " is " + number_text(value) +
                       "; it must be finite and not negative");
}

template <class Scalar>
void check_given(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape) {
  const auto& given = options.given;
  if (given.W) {
    check_size(*given.W, "W", shape.features, shape.rank, "features x rank");
    check_values(*given.W, "W");
    if (!(given.W->array() > 0).any()) throw InvalidInput("start W is zero everywhere: no step can leave it");
  }
  if (given.H) {
    check_size(*given.H, "H", shape.rank, shape.local_samples, "rank x samples");
    check_values(*given.H, "H");
    if (shape.local_samples == shape.samples && !(given.H->array() > 0).any())
      throw InvalidInput("start H is zero everywhere: no step can leave it");
  }
  if (given.W && given.H && options.start != Start::automatic)
    throw InvalidInput("start is chosen although both W and H are given; leave it automatic");
  if ((given.W || given.H) && options.start == Start::frobenius)
    throw InvalidInput("start frobenius makes both W and H, but one of them is given");
  if (given.W && given.H && options.restarts > 1)
    throw InvalidInput("restarts is " + std::to_string(options.restarts) +
                       ", but W and H are given: every run would be the same");
  if ((given.R || given.R_sparse) && !has_outliers(solver))
    throw InvalidInput(std::string("a start for R is given, but ") + std::string(name_of(solver)) +
                       " has no outliers; r-svrmu, r-onmf and r-nmf have");
  if (given.R && given.R_sparse) throw InvalidInput("a start for R is given twice, as R and as R_sparse");
  if (given.R) {
    check_size(*given.R, "R", shape.features, shape.local_samples, "features x samples");
    check_values(*given.R, "R");
  }
  constexpr const char* zero_R = "start R is zero everywhere: a multiplicative rule can never leave it";
  const bool alone =
      shape.local_samples == shape.samples;  // a team member's share may well be without outliers
  if (given.R && alone && !(given.R->array() > 0).any()) throw InvalidInput(zero_R);
  if (given.R_sparse) {
    check_size(*given.R_sparse, "R", shape.features, shape.local_samples, "features x samples");
    for (Index j = 0; j < given.R_sparse->cols(); ++j)
      for (typename SparseMatrix<Scalar>::InnerIterator it(*given.R_sparse, j); it; ++it)
        if (!(it.value() >= 0) || !std::isfinite(it.value()))
          throw InvalidInput("start R holds " + number_text(static_cast<double>(it.value())) + " at row " +
                             std::to_string(it.row()) + ", column " + std::to_string(j) +
                             " (counted from 0); it must be finite and nonnegative");
    if (alone && !(given.R_sparse->sum() > 0)) throw InvalidInput(zero_R);
  }
}

template <class Scalar, class O>
void check_outlier_options(const O& o, const FitOptions<Scalar>& options) {
  const bool given = options.given.R || options.given.R_sparse;
  const O standard;
  if (o.outlier_update == OutlierUpdate::closed_form) {
    if (given) throw InvalidInput("a start for R is given, but outlier_update closed_form keeps no R");
    if (o.outlier_start != standard.outlier_start)
      throw InvalidInput("outlier_start is set, but outlier_update closed_form keeps no R");
    if (o.outlier_step != standard.outlier_step)
      throw InvalidInput("outlier_step is set, but outlier_update closed_form has no step of R");
  }
  if (given && o.outlier_start != standard.outlier_start)
    throw InvalidInput("outlier_start is set although a start for R is given");
}

}  // namespace

bool is_multiplicative(const SolverOptions& solver) {
  return !std::holds_alternative<HalsOptions>(solver) && !std::holds_alternative<HalsAccOptions>(solver) &&
         !std::holds_alternative<HalsExtOptions>(solver) && !std::holds_alternative<FastOptions>(solver) &&
         !std::holds_alternative<IncHalsOptions>(solver);
}

bool keeps_R(const SolverOptions& resolved) {
  return std::visit(
      []<class O>(const O& o) {
        if constexpr (Robust<O>) return o.outlier_update == OutlierUpdate::multiplicative;
        return false;
      },
      resolved);
}

double step_of(const SolverOptions& solver, Index epoch) {
  return std::visit(
      [&]<class O>(const O& o) {
        if constexpr (Stepped<O>) return o.step / (1 + o.step_decay * static_cast<double>(epoch));
        return 1.0;
      },
      solver);
}

bool has_safeguard(const SolverOptions& solver) {
  return std::visit(
      []<class O>(const O& o) {
        if constexpr (Batched<O>) return o.safeguard;
        return true;
      },
      solver);
}

template <class Scalar>
void check_options(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape) {
  const std::string name(name_of(solver));
  if (shape.features < 1 || shape.samples < 1)
    throw InvalidData("V is " + sizes(shape.features, shape.samples) + ": there is nothing to factorize");
  constexpr Index most = std::numeric_limits<int>::max();
  if (shape.features > most)
    throw InvalidInput("V has " + std::to_string(shape.features) + " features; at most " +
                       std::to_string(most) + " are supported");
  if (options.rank < 1)
    throw InvalidInput("rank (K) is " + std::to_string(options.rank) + "; it must be at least 1");
  if (options.rank > 46340)
    throw InvalidInput("rank (K) is " + std::to_string(options.rank) + "; at most 46340 is supported");
  check_ranges(solver);
  check_penalty(options.penalties.l1_w, "l1_w");
  check_penalty(options.penalties.l2_w, "l2_w");
  check_penalty(options.penalties.l1_h, "l1_h");
  check_penalty(options.penalties.l2_h, "l2_h");
  if (options.restarts < 1)
    throw InvalidInput("restarts is " + std::to_string(options.restarts) + "; it must be at least 1");
  if (options.evaluate_every < 1)
    throw InvalidInput("evaluate_every is " + std::to_string(options.evaluate_every) +
                       "; it must be at least 1");
  if (options.threads < 0)
    throw InvalidInput("threads is " + std::to_string(options.threads) + "; 0 uses all that are available");
  if (options.stopping.max_epochs < 0)
    throw InvalidInput("max_epochs is " + std::to_string(options.stopping.max_epochs) +
                       "; it must not be negative");
  for (const auto& [value, what] : {std::pair{options.stopping.relative_change, "relative_change"},
                                    std::pair{options.stopping.kkt, "kkt"},
                                    std::pair{options.stopping.time_limit_seconds, "time_limit_seconds"},
                                    std::pair{options.stopping.gradient_budget, "gradient_budget"}})
    if (!(value >= 0))
      throw InvalidInput(std::string(what) + " is " + number_text(value) + "; it must not be negative");
  if (!std::isfinite(options.loss.beta))
    throw InvalidInput("beta of the loss is " + number_text(options.loss.beta) + "; it must be finite");

  std::visit(
      [&]<class O>(const O& o) {
        if constexpr (!AnyLoss<O>) {
          if (!options.loss.is_frobenius())
            throw InvalidInput(name + " knows only the frobenius loss, not " + to_string(options.loss) +
                               "; mu, mu-ext, smu, svrmu and asag-mu take any beta-divergence");
        }
        if constexpr (std::is_same_v<O, InmfOptions>) {
          if (options.penalties.any())
            throw InvalidInput("inmf takes no penalties on W or H; inc-mu and the others do");
        }
        if constexpr (std::is_same_v<O, SagMuOptions>) {
          if (o.order == Order::reshuffle || o.order == Order::with_replacement)
            throw InvalidInput(
                "sag-mu keeps a gradient per batch, so batches must stay the same: order must be "
                "cyclic or permute_once");
        }
        if constexpr (std::is_same_v<O, InmfOptions>) {
          if (o.inner_iterations == 1 && o.inner_tolerance != O{}.inner_tolerance)
            throw InvalidInput("inner_tolerance is set, but inner_iterations 1 never looks at it");
        }
        if constexpr (std::is_same_v<O, MuAccOptions> || std::is_same_v<O, HalsAccOptions>) {
          if (o.h_rule_limit > 0 && o.work_ratio != O{}.work_ratio)
            throw InvalidInput("work_ratio is set, but h_rule_limit " + std::to_string(o.h_rule_limit) +
                               " decides instead; set one of them");
        }
        if constexpr (Repeated<O>) {
          // 1 and 5 are what the names X and X-acc come with.
          if (o.h_rule != HRule::fixed && o.h_repeats != 1 && o.h_repeats != 5)
            throw InvalidInput(
                "h_repeats is set, but h_rule paper or gillis ends by its own test; set h_rule_limit");
          if (o.h_rule == HRule::fixed && o.h_rule_limit != 0)
            throw InvalidInput(
                "h_rule_limit is set, but h_rule fixed makes h_repeats steps; choose h_rule paper or "
                "gillis, or set h_repeats");
          if (o.h_rule == HRule::fixed && o.h_rule_tolerance != O{}.h_rule_tolerance)
            throw InvalidInput(
                "h_rule_tolerance is set, but h_rule fixed does not look at it; choose h_rule paper or "
                "gillis");
        }
        if constexpr (std::is_same_v<O, SvrmuOptions> || std::is_same_v<O, RSvrmuOptions> ||
                      std::is_same_v<O, SagMuOptions>) {
          if (o.safeguard && options.evaluate_every > 1)
            throw InvalidInput("evaluate_every is " + std::to_string(options.evaluate_every) +
                               ", but the safeguard of " + name +
                               " looks at every epoch; set it to 1 or turn the safeguard off");
        }
        if constexpr (std::is_same_v<O, MuExtOptions>) {
          if (options.evaluate_every > 1)
            throw InvalidInput(
                "evaluate_every is " + std::to_string(options.evaluate_every) +
                ", but mu-ext looks at every epoch to know whether it went too far; set it to 1");
        }
        if constexpr (Robust<O>) check_outlier_options(o, options);
      },
      solver);
  if (options.start == Start::nndsvd && is_multiplicative(solver))
    throw InvalidInput("start nndsvd has zeros, which the multiplicative steps of " + name +
                       " can never leave; use nndsvda or nndsvdar");
  const bool svd = options.start != Start::automatic && options.start != Start::random &&
                   options.start != Start::frobenius;
  if (svd && options.rank > std::min(shape.features, shape.samples))
    throw InvalidInput("rank (K) is " + std::to_string(options.rank) + ", but V is " +
                       sizes(shape.features, shape.samples) + ": start " +
                       std::string(choices(options.start)[static_cast<std::size_t>(options.start)]) +
                       " needs as many singular vectors; use start random");
  check_given(solver, options, shape);
}

void check_data(const SolverOptions& solver, const Loss& loss, const Scan& scan) {
  check_values(scan);
  if (loss.beta <= 0 && scan.zero.count > 0)
    throw InvalidData("V holds " + number_text(scan.zero.count) + " zeros, the first at row " +
                      std::to_string(scan.zero.row) + ", column " + std::to_string(scan.zero.column) +
                      " (counted from 0), where loss " + to_string(loss) +
                      " is infinite; add a small constant to V or use kl");
  if (scan.max > 0 && !(scan.squared > 0 && std::isfinite(scan.squared)))
    throw InvalidData("V is too " + std::string(scan.squared > 0 ? "large" : "small") +
                      " (its largest value is " + number_text(scan.max) +
                      "): its squares leave the range of double; scale it first");
  if (scan.max == 0)
    throw InvalidData("V is zero everywhere: there is nothing to factorize with " +
                      std::string(name_of(solver)));
}

template <class Scalar>
SolverOptions resolve(SolverOptions solver, const FitOptions<Scalar>& options, const Shape& shape,
                      const Scan& scan, std::vector<std::string>& warnings) {
  const Index K = shape.rank;
  if (scan.empty_rows > 0)
    warnings.push_back("V has " + std::to_string(scan.empty_rows) +
                       " rows without a value: their rows of W are zero");
  if (scan.empty_columns > 0)
    warnings.push_back("V has " + std::to_string(scan.empty_columns) +
                       " columns without a value: their columns of H are zero");
  if (K > std::min(shape.features, shape.samples))
    warnings.push_back("rank " + std::to_string(K) + " is above the smaller side of V (" +
                       sizes(shape.features, shape.samples) + "): some components will be redundant");
  std::visit(
      [&]<class O>(O& o) {
        if constexpr (Batched<O>) {
          const bool chosen = o.batch_size > 0;
          if (!chosen) o.batch_size = std::max<Index>(5 * K, 256);
          o.batch_size = std::min(o.batch_size, shape.samples);
          if (chosen && o.batch_size < std::min(5 * K, shape.samples) && !std::is_same_v<O, IncMuOptions>)
            warnings.push_back("batch_size " + std::to_string(o.batch_size) +
                               " is below 5 K = " + std::to_string(5 * K) + ": the steps of W are noisy" +
                               (o.safeguard ? "" : " and may diverge without the safeguard"));
        }
        if constexpr (Repeated<O>) {
          if (o.h_rule != HRule::fixed && o.h_rule_limit == 0) {
            // What W'V and W'W cost in units of one h step: about that many steps are worth a quarter of it.
            const auto F = static_cast<double>(shape.features);
            const auto b = static_cast<double>(o.batch_size);
            const auto k = static_cast<double>(K);
            const double rho = 1 + (F * b + F * k) / (b * (k + 1));
            o.h_rule_limit = static_cast<int>(std::clamp(std::floor(1 + 0.25 * rho), 1.0, 20.0));
          }
        }
        if constexpr (Robust<O>) {
          if (!o.outlier_penalty) o.outlier_penalty = 0.02 * scan.max;
          if (o.outlier_update == OutlierUpdate::automatic) {
            const O standard;
            const bool about_R = options.given.R || options.given.R_sparse ||
                                 o.outlier_start != standard.outlier_start ||
                                 o.outlier_step != standard.outlier_step;
            o.outlier_update = about_R ? OutlierUpdate::multiplicative : OutlierUpdate::closed_form;
          }
        }
      },
      solver);
  return solver;
}

template <class Scalar>
DataTerm<Scalar> make_term(const SolverOptions& solver, const Loss& loss, const Penalties& penalties,
                           double v_scale) {
  DataTerm<Scalar> term;
  term.beta = loss.beta;
  term.on_w = {static_cast<Scalar>(penalties.l1_w), static_cast<Scalar>(penalties.l2_w)};
  term.on_h = {static_cast<Scalar>(penalties.l1_h), static_cast<Scalar>(penalties.l2_h)};
  std::visit(
      [&]<class O>(const O& o) {
        if constexpr (AnyLoss<O>) {
          if (o.exponent == Exponent::mm)
            term.exponent = loss.beta < 1 ? 1 / (2 - loss.beta) : loss.beta > 2 ? 1 / (loss.beta - 1) : 1;
        }
        if constexpr (Robust<O>) {
          term.lambda = static_cast<Scalar>(v_scale * *o.outlier_penalty);
          term.sequential = o.outlier_step == OutlierStep::sequential;
          term.outliers = o.outlier_update == OutlierUpdate::multiplicative ? OutlierModel::multiplicative
                                                                            : OutlierModel::closed_form;
        }
      },
      solver);
  return term;
}

namespace {

// Of `fast`: the iterate, its epoch's start (which becomes the result) and, with a sketch, first that of the
// subset and then a model of V, both in single precision; without one the two iterates before, the checkpoint
// and, for sparse V, a copy by rows. On a sparse V with a subset all iterates are in single precision.
double numbers_of(const FastOptions& options, const Shape& shape, std::size_t size) {
  const auto F = static_cast<double>(shape.features);
  const auto N = static_cast<double>(shape.local_samples);
  const auto K = static_cast<double>(shape.rank);
  const FastSizes sizes = choose_sizes(options, shape.features, shape.samples, shape.sparse, shape.rank);
  const double single = static_cast<double>(sizeof(float)) / static_cast<double>(size);
  const double sums = 4 * F * K;
  if (sizes.sketch == 0) {
    const double factors = K * (F + N);
    const bool in_single = sizes.subset > 0 && size != sizeof(float);
    const std::size_t value = in_single ? sizeof(float) : size;
    const bool copied = shape.sparse && sparse_rows_are_small(shape.stored, value, shape.features,
                                                              shape.samples, shape.rank, size);
    const double rows = copied ? sparse_rows_bytes(shape.stored, value) / static_cast<double>(size) : 0;
    return (in_single ? 3 + 3 * single : 5) * factors + (in_single ? sums * single : sums) +
           rows * N / static_cast<double>(shape.samples);
  }
  const auto l = static_cast<double>(sizes.sketch);
  const auto n = static_cast<double>(sizes.subset);
  const double subset = 2 * K * (F + N) + (F + n) * (2 * l + 2 * K) * single;
  return std::max(subset, (l + 4 * K) * (F + N)) + sums;
}

}  // namespace

double memory_needed(const SolverOptions& solver, Start start, const Shape& shape, std::size_t scalar_size) {
  if (start == Start::frobenius)
    return std::max(memory_needed(solver, Start::random, shape, scalar_size),
                    memory_needed(FastOptions{}, Start::random, shape, scalar_size));
  const auto F = static_cast<double>(shape.features);
  const auto N = static_cast<double>(shape.local_samples);
  const auto K = static_cast<double>(shape.rank);
  const auto size = static_cast<double>(scalar_size);
  if (const auto* fast = std::get_if<FastOptions>(&solver))
    return size * (numbers_of(*fast, shape, scalar_size) + 16 * K * K);
  double numbers = 7 * (F + N) * K;  // the iterate, its last and best epoch, checkpoint and result
  numbers += 8 * F * K;              // sums, gradients and snapshots
  numbers += 16 * K * K;             // Gram matrices and their partial sums
  std::visit(
      [&]<class O>(const O& o) {
        if constexpr (std::is_same_v<O, MuAccOptions> || std::is_same_v<O, HalsAccOptions>) numbers += N * K;
        if constexpr (std::is_same_v<O, HalsExtOptions> || std::is_same_v<O, MuExtOptions>)
          numbers += (F + N) * K;
        if constexpr (std::is_same_v<O, SagMuOptions>) {
          const auto b = static_cast<double>(std::max<Index>(o.batch_size, 1));
          numbers += 4 * F * K * std::ceil(static_cast<double>(shape.samples) / b);
        }
        if constexpr (Robust<O>) {
          if (o.outlier_update == OutlierUpdate::multiplicative)
            numbers += 6 * (shape.sparse ? shape.stored * N / static_cast<double>(shape.samples) : F * N);
        }
      },
      solver);
  return size * numbers;
}

void check_memory(double bytes) {
  const double available = available_memory();
  if (bytes <= available) return;
  const auto gib = [](double b) {
    return number_text(std::round(b / 1024 / 1024 / 1024 * 10) / 10) + " GiB";
  };
  throw ResourceLimit(
      "the fit needs " + gib(bytes) + " beyond V, but only " + gib(available) +
      " are available; use a smaller rank, float instead of double, or a solver without tables");
}

template void check_options<float>(const SolverOptions&, const FitOptions<float>&, const Shape&);
template void check_options<double>(const SolverOptions&, const FitOptions<double>&, const Shape&);
template SolverOptions resolve<float>(SolverOptions, const FitOptions<float>&, const Shape&, const Scan&,
                                      std::vector<std::string>&);
template SolverOptions resolve<double>(SolverOptions, const FitOptions<double>&, const Shape&, const Scan&,
                                       std::vector<std::string>&);
template DataTerm<float> make_term<float>(const SolverOptions&, const Loss&, const Penalties&, double);
template DataTerm<double> make_term<double>(const SolverOptions&, const Loss&, const Penalties&, double);

}  // namespace svrmu
