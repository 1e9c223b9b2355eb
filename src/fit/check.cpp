#include "fit/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/feed.hpp"
#include "fit/scaling.hpp"
#include "linalg/columns.hpp"
#include "linalg/machine.hpp"
#include "linalg/validity.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

template <class M>
void check_size(const M& matrix, const char* name, Index rows, Index cols, const char* shape) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  throw InvalidInput(std::string("start ") + name + " is " + shape_text(matrix.rows(), matrix.cols()) +
                     ", but must be " + shape_text(rows, cols) + " (" + shape + ")");
}

template <class Scalar>
[[noreturn]] void refuse_value(const char* name, Scalar value, Index row, Index column) {
  throw InvalidInput(std::string("start ") + name + " holds " + number_text(static_cast<double>(value)) +
                     " at row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                     " (counted from 1); it must be finite and nonnegative");
}

template <class M>
void check_values(const M& values, const char* name) {
  const Index at = first_invalid(values.data(), values.size());
  if (at == values.size()) return;
  const Index inner = M::IsRowMajor ? values.cols() : values.rows();
  const Index row = M::IsRowMajor ? at / inner : at % inner;
  const Index column = M::IsRowMajor ? at % inner : at / inner;
  refuse_value(name, values(row, column), row, column);
}

template <class Scalar>
void check_given(const FitOptions<Scalar>& options, const Shape& shape) {
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
        if (!is_valid(it.value())) refuse_value("R", it.value(), it.row(), j);
    if (alone && !(given.R_sparse->sum() > 0)) throw InvalidInput(zero_R);
  }
}

// The option with that meaning is set to something else than its default.
template <class Value>
bool is_set(const SolverOptions& solver, Meaning meaning) {
  const Value* value = solver.find<Value>(meaning);
  return value != nullptr && *value != *solver.defaults().find<Value>(meaning);
}

void check_h_rule(const SolverOptions& solver) {
  const HRule* rule = solver.find<HRule>(Meaning::h_rule);
  if (rule == nullptr) return;
  const int repeats = *solver.find<int>(Meaning::h_repeats);
  // 1 and 5 are what the names X and X-acc come with.
  if (*rule != HRule::fixed && repeats != 1 && repeats != 5)
    throw InvalidInput("h_repeats is set, but h_rule paper or gillis ends by its own test; set h_rule_limit");
  if (*rule == HRule::fixed && is_set<int>(solver, Meaning::h_rule_limit))
    throw InvalidInput(
        "h_rule_limit is set, but h_rule fixed makes h_repeats steps; choose h_rule paper or "
        "gillis, or set h_repeats");
  if (*rule == HRule::fixed && is_set<double>(solver, Meaning::h_rule_tolerance))
    throw InvalidInput(
        "h_rule_tolerance is set, but h_rule fixed does not look at it; choose h_rule paper or "
        "gillis");
  const bool by_rule = is_set<HRuleLimit>(solver, Meaning::h_rule_limit_rule);
  if (*rule == HRule::fixed && by_rule)
    throw InvalidInput(
        "h_rule_limit_rule is set, but h_rule fixed makes h_repeats steps; choose h_rule paper or gillis");
  if (!by_rule && is_set<double>(solver, Meaning::h_rule_share))
    throw InvalidInput(
        "h_rule_share is set, but h_rule_limit_rule balanced does not look at it; choose h_rule_limit_rule "
        "paper or paper_batch");
}

void check_step_decay(const SolverOptions& solver) {
  const double* decay = solver.find<double>(Meaning::step_decay);
  if (decay == nullptr || *decay > 0) return;
  const bool power = is_set<double>(solver, Meaning::step_decay_power);
  if (power || is_set<StepClock>(solver, Meaning::step_decay_clock))
    throw InvalidInput(std::string(power ? "step_decay_power" : "step_decay_clock") +
                       " is set, but step_decay 0 leaves the step as it is; set step_decay");
}

void check_outlier_options(const SolverOptions& solver, bool given) {
  const OutlierUpdate* update = solver.find<OutlierUpdate>(Meaning::outlier_update);
  if (update == nullptr) return;
  const bool start_set = is_set<OutlierStart>(solver, Meaning::outlier_start);
  if (*update == OutlierUpdate::closed_form) {
    if (given) throw InvalidInput("a start for R is given, but outlier_update closed_form keeps no R");
    if (start_set) throw InvalidInput("outlier_start is set, but outlier_update closed_form keeps no R");
    if (is_set<OutlierStep>(solver, Meaning::outlier_step))
      throw InvalidInput("outlier_step is set, but outlier_update closed_form has no step of R");
  }
  if (given && start_set) throw InvalidInput("outlier_start is set although a start for R is given");
}

// "mu, mu-ext and smu"
std::string names_of_algorithms(bool Traits::*trait) {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : algorithms())
    if (algorithm->traits().*trait) names.emplace_back(algorithm->name());
  if (names.size() == 1) return names.front();
  const std::string last = names.back();
  names.pop_back();
  return list_text(names) + " and " + last;
}

template <class Scalar>
void check_traits(const SolverOptions& solver, const FitOptions<Scalar>& options) {
  const Algorithm& algorithm = algorithm_of(solver);
  const Traits traits = algorithm.traits();
  const std::string name(solver.name());
  if (!traits.every_loss && !options.loss.is_frobenius())
    throw InvalidInput(name + " knows only the frobenius loss, not " + to_string(options.loss) + "; " +
                       names_of_algorithms(&Traits::every_loss) + " take any beta-divergence");
  if (!traits.penalties && options.penalties.any())
    throw InvalidInput(name + " takes no penalties on W or H; inc-mu and the others do");
  if ((options.given.R || options.given.R_sparse) && !traits.robust)
    throw InvalidInput("a start for R is given, but " + name + " has no outliers; " +
                       names_of_algorithms(&Traits::robust) + " have");
  if (options.stopping.violation > 0 && !traits.violation)
    throw InvalidInput("violation is " + number_text(options.stopping.violation) + ", but " + name +
                       " does not measure it; " + names_of_algorithms(&Traits::violation) +
                       " can stop by it, and every algorithm by kkt");
  if (options.start == Start::nndsvd && traits.multiplicative)
    throw InvalidInput("start nndsvd has zeros, which the multiplicative steps of " + name +
                       " can never leave; use nndsvda or nndsvdar");
  check_h_rule(solver);
  check_step_decay(solver);
  check_outlier_options(solver, options.given.R || options.given.R_sparse);
  algorithm.check_options(solver, {options.loss, options.penalties, options.evaluate_every});
}

}  // namespace

template <class Scalar>
void check_options(const SolverOptions& solver, const FitOptions<Scalar>& options, const Shape& shape) {
  if (shape.features < 1 || shape.samples < 1)
    throw InvalidData("V is " + shape_text(shape.features, shape.samples) +
                      ": there is nothing to factorize");
  constexpr Index most = std::numeric_limits<int>::max();
  if (shape.features > most)
    throw InvalidInput("V has " + std::to_string(shape.features) + " features; at most " +
                       std::to_string(most) + " are supported");
  check_ranges(options);
  check_ranges(options.penalties);
  check_ranges(options.stopping);
  check_ranges(solver);
  if (!options.force_rank) check_rank(options.rank, shape.features, shape.samples);
  check_traits(solver, options);
  const bool svd = options.start != Start::automatic && options.start != Start::random &&
                   options.start != Start::frobenius;
  if (svd && options.rank > std::min(shape.features, shape.samples))
    throw InvalidInput("rank is " + std::to_string(options.rank) + ", but V is " +
                       shape_text(shape.features, shape.samples) + ": start " +
                       std::string(choices(options.start)[static_cast<std::size_t>(options.start)]) +
                       " needs as many singular vectors; use start random");
  check_given(options, shape);
}

void check_rank(Index rank, Index features, Index samples) {
  const Index most = std::min(features, samples);
  if (rank > most && most > 0)  // an empty V is refused for that
    throw InvalidInput("rank is " + std::to_string(rank) + ", but the smaller side of V (" +
                       shape_text(features, samples) + ") is " + std::to_string(most) + ": with " +
                       std::to_string(most) + " components WH can be V itself; choose fewer, or force_rank");
}

void check_zeros(const Loss& loss, const Scan& scan) {
  if (loss.beta <= 0 && scan.zero.count > 0)
    throw InvalidData("V holds " + number_text(scan.zero.count) + " zeros, the first at row " +
                      std::to_string(scan.zero.row + 1) + ", column " + std::to_string(scan.zero.column + 1) +
                      " (counted from 1), where loss " + to_string(loss) +
                      " is infinite; add a small constant to V or use kl");
}

void check_data(const SolverOptions& solver, const Loss& loss, const Scan& scan) {
  check_values(scan);
  check_zeros(loss, scan);
  // The objective, which can be far below V's squares, must have all its digits in the units of V.
  constexpr double least = 0x1p-900;
  const double unit = std::pow(scale_of(scan), loss.beta);
  const bool squares = scan.squared >= least && std::isfinite(scan.squared);
  if (scan.max > 0 && !(squares && unit >= 0x1p-1000 && unit <= 1 / least))
    throw InvalidData("V is too " + std::string(scan.max > 1 ? "large" : "small") +
                      " (its largest value is " + number_text(scan.max) + "): its " +
                      (squares ? "loss " + to_string(loss) : "squares") +
                      " would leave the range of double; scale it first");
  if (scan.max == 0)
    throw InvalidData("V is zero everywhere: there is nothing to factorize with " +
                      std::string(name_of(solver)));
}

template <class Scalar>
void check_given_outliers(const MatrixSource<Scalar>& V, const GivenStart<Scalar>& given) {
  if (!V.is_sparse() || (!given.R && !given.R_sparse)) return;
  const Team alone{};  // each member judges its own columns
  ColumnFeed<Scalar> feed(V, alone, 0, Scalar(1), {});
  Finding outside;
  std::vector<char> stored(static_cast<std::size_t>(V.features()));
  const auto mark = [&](const Batch<Scalar>& v, Index j, char value) {
    for_entries(v, j, [&](Index f, Scalar) { stored[static_cast<std::size_t>(f)] = value; });
  };
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    for (Index j = 0; j < v.count; ++j) {
      const Index n = v.sample(j);
      const auto look_at = [&](Index f, Scalar r) {
        if (r > 0 && stored[static_cast<std::size_t>(f)] == 0) outside.note(f, n, static_cast<double>(r));
      };
      mark(v, j, 1);
      if (given.R)
        for (Index f = 0; f < V.features(); ++f) look_at(f, (*given.R)(f, n));
      else
        for (typename SparseMatrix<Scalar>::InnerIterator it(*given.R_sparse, n); it; ++it)
          look_at(it.row(), it.value());
      mark(v, j, 0);
    }
  if (outside.count > 0)
    throw InvalidInput(
        "start R " + holds_text(outside, "positive") +
        ", where the sparse V has no entry: outliers live where V does. Is it the R of this V, "
        "with samples in the same order? If so, set them to 0, or give V as a dense matrix");
}

template <class Scalar>
void check_outliers(const Outliers<Scalar>& R, bool kept, const Shape& shape) {
  const Index dense = kept && !shape.sparse ? shape.features * shape.local_samples : 0;
  const Index stored = R.offsets.empty() ? 0 : R.offsets.back();
  if (R.dense.size() != dense || static_cast<Index>(R.values.size()) != stored)
    throw InvalidInput("the outliers of the result to go on from do not fit V: it must be the V of that run");
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

template void check_given_outliers<float>(const MatrixSource<float>&, const GivenStart<float>&);
template void check_given_outliers<double>(const MatrixSource<double>&, const GivenStart<double>&);
template void check_outliers<float>(const Outliers<float>&, bool, const Shape&);
template void check_outliers<double>(const Outliers<double>&, bool, const Shape&);
template void check_options<float>(const SolverOptions&, const FitOptions<float>&, const Shape&);
template void check_options<double>(const SolverOptions&, const FitOptions<double>&, const Shape&);

}  // namespace svrmu
