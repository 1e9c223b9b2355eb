#include "io/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "linalg/validity.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

using fields::huge;
constexpr std::size_t most_steps = 50;

[[noreturn]] void refuse(const std::string& part, const std::string& what) {
  throw InvalidInput(part + ": " + what);
}

template <class M>
void check_size(const std::string& part, const M& matrix, Index rows, Index columns) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  refuse(part, "it is " + shape_text(matrix.rows(), matrix.cols()) + ", but the model needs " +
                   shape_text(rows, columns));
}

template <class M>
void check_size_or_empty(const std::string& part, const M& matrix, Index rows, Index columns) {
  if (matrix.size() > 0) check_size(part, matrix, rows, columns);
}

template <class Scalar>
void check_values(const std::string& part, const Scalar* values, Index count) {
  const Index bad = first_invalid(values, count);
  if (bad == count) return;
  refuse(part, "number " + std::to_string(bad + 1) + " (counted from 1, in the order of memory) is " +
                   number_text(static_cast<double>(values[bad])) + "; all must be finite and nonnegative");
}

template <class Number>
void check_range(const std::string& attribute, Number number, double least, double most) {
  const auto value = static_cast<double>(number);
  if (value >= least && value <= most) return;
  refuse("attribute " + attribute, "it is " + number_text(value) + ", but must lie between " +
                                       number_text(least) + " and " + number_text(most));
}

void check_text(const std::string& attribute, const std::string& text) {
  if (text.find('\0') != std::string::npos) refuse("attribute " + attribute, "it holds a zero byte");
}

void check_names(const std::string& part, const std::vector<std::string>& names, Index count) {
  if (!names.empty() && names.size() != static_cast<std::size_t>(count))
    refuse(part, "there are " + std::to_string(names.size()) + " names for " + std::to_string(count));
}

// The values of a list of options, as attributes.
template <ListsFields Options>
void check_attributes(Options options) {
  for (const detail::OptionRow& row : detail::option_rows<Options>())
    if (row.type != "boolean") check_range(std::string(row.name), row.number(&options), row.least, row.most);
}

// Of a stream, whose factors have no samples, the number of columns may be any.
void check_data(const DataDescription& data, Index features, Index samples) {
  check_range("data/stored", data.stored, 0, 9e18);
  check_range("data/samples", data.samples, 0, 9e18);
  const bool not_described = data.features == 0 && data.samples == 0;
  if (not_described || (data.features == features && (samples == 0 || data.samples == samples))) return;
  refuse("attribute data/features", "the data were " + shape_text(data.features, data.samples) +
                                        ", but the factors are those of " + shape_text(features, samples));
}

void check_preprocessing(const Preprocessing& preprocessing, Index features) {
  if (preprocessing.steps.size() > most_steps)
    refuse("attribute preprocessing/steps",
           "more than " + std::to_string(most_steps) + " steps are not supported");
  for (std::size_t i = 0; i < preprocessing.steps.size(); ++i) {
    const auto& [step, numbers] = preprocessing.steps[i];
    const std::string part = "dataset /preprocessing/numbers_" + std::to_string(i);
    if (numbers.size() != numbers_learned(step, features))
      refuse(part, "it has " + std::to_string(numbers.size()) + " numbers, but the step needs " +
                       std::to_string(numbers_learned(step, features)));
    check_values(part, numbers.data(), static_cast<Index>(numbers.size()));
  }
}

template <class Scalar>
void check_iterate(const std::string& group, const typename Checkpoint<Scalar>::Iterate& iterate,
                   Index features, Index samples, Index rank) {
  check_size("dataset " + group + "/W", iterate.W, features, rank);
  check_size("dataset " + group + "/H", iterate.H, rank, samples);
  check_size_or_empty("dataset " + group + "/R", iterate.R, features, samples);
  // A run that was interrupted between evaluations may hold values that are not finite; none is negative.
  for (const auto& [name, values, count] : {std::tuple{"/W", iterate.W.data(), iterate.W.size()},
                                            std::tuple{"/H", iterate.H.data(), iterate.H.size()}})
    if (std::any_of(values, values + count, [](Scalar x) { return x < 0; }))
      refuse("dataset " + group + name, "it holds negative values");
}

void check_state_number(const StatePart& part, const std::map<std::string, double>& numbers) {
  const std::string attribute = "resume/numbers/" + part.name;
  const auto found = numbers.find(part.name);
  if (found == numbers.end()) refuse("attribute " + attribute, "it is missing");
  check_range(attribute, found->second, part.least, part.most);
  const bool whole = part.kind != StatePart::Kind::number;
  if (whole && found->second != std::floor(found->second))
    refuse("attribute " + attribute, "it is " + number_text(found->second) + ", but must be a whole number");
}

template <class Scalar>
void check_state(const FitResult<Scalar>& fit) {
  if (fit.checkpoint.in_start) return;  // there is no solver yet
  const auto& held = fit.checkpoint.matrices;
  for (const StatePart& part : state_parts(fit)) {
    if (part.kind != StatePart::Kind::matrix) {
      check_state_number(part, fit.checkpoint.numbers);
      continue;
    }
    const std::string name = "dataset /resume/matrices/" + part.name;
    const auto found = held.find(part.name);
    if (found == held.end()) refuse(name, "it is missing");
    if (!part.may_be_empty || found->second.size() > 0)
      check_size(name, found->second, part.rows, part.columns);
  }
}

// A model has no H where it learned from a stream, and only there.
template <class Scalar>
void check_stream(const FitResult<Scalar>& fit) {
  const Checkpoint<Scalar>& at = fit.checkpoint;
  const bool stream = fit.H.cols() == 0;
  if (stream != fit.history.back().estimated)
    refuse("dataset /H", "it is " + shape_text(fit.H.rows(), fit.H.cols()) +
                             ", but the history says that the model " +
                             (stream ? "did not learn" : "learned") + " from a stream");
  if (at.current.W.size() == 0) return;  // it cannot go on
  if (!stream) return check_range("resume/stream_columns", at.stream.columns, 0, 0);
  if (!algorithm_of(fit.solver).traits().streams)
    refuse("attribute options/solver", "it is " + std::string(fit.solver.name()) + ", which takes no stream");
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double most_columns = 1e18;
  const StreamState& s = at.stream;
  const auto columns = static_cast<double>(s.columns);
  check_range("resume/stream_columns", s.columns, 1, most_columns);
  check_range("resume/stream_windows", s.windows, 1, columns);
  check_range("resume/stream_weight", s.weight, 1, most_columns);
  check_range("resume/stream_cost", s.cost, -most, most);
  check_range("resume/stream_on_h", s.on_h, 0, most);
  check_range("resume/stream_residual", s.residual, 0, most);
  check_range("resume/stream_squared", s.squared, 0, most);
  check_range("resume/stream_last_record", s.last_record, 0, columns);
}

template <class Scalar>
void check_checkpoint(const Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  const Checkpoint<Scalar>& at = fit.checkpoint;
  constexpr double most = std::numeric_limits<double>::max();
  check_iterate<Scalar>("/resume/current", at.current, fit.W.rows(), fit.H.cols(), fit.rank);
  if (at.best) {
    check_iterate<Scalar>("/resume/best", *at.best, fit.W.rows(), fit.H.cols(), fit.rank);
    if (at.best->R.size() != at.current.R.size() || at.best->R_values.size() != at.current.R_values.size())
      refuse("group /resume/best", "its R is not as large as that of /resume/current");
  }
  // Going on drops an epoch that was not finished.
  const std::size_t entries = fit.history.size() - (fit.history.back().partial ? 1 : 0);
  if (at.best_entry >= entries)
    refuse("attribute resume/best_entry", "it is " + std::to_string(at.best_entry) + ", but there are " +
                                              std::to_string(entries) + " whole entries of the history");
  check_range("resume/best_objective", at.best_objective, -most, most);
  check_range("resume/epoch", at.epoch, 0, huge);
  check_range("resume/best_epoch", at.best_epoch, 0, huge);
  check_range("resume/step_factor", at.step_factor, 0, 1);
  check_range("resume/rollbacks", at.rollbacks, 0, huge);
  check_range("resume/gradient_count", at.gradient_count, 0, most);
  check_range("resume/columns_read", at.columns_read, 0, 1e18);
  check_range("resume/w_steps", at.w_steps, 0, 1e18);
  check_range("resume/columns_evaluated", at.columns_evaluated, 0, 1e18);
  check_range("resume/solver_seconds", at.solver_seconds, 0, most);
  check_range("resume/evaluate_seconds", at.evaluate_seconds, 0, most);
  const RestartState& runs = at.runs;
  check_range("resume/runs_restarts", runs.restarts, 1, 1e6);
  check_range("resume/runs_ended", runs.ended, 0, runs.restarts);
  check_range("resume/runs_other_seconds", runs.other_seconds, 0, most);
  check_range("resume/runs_other_objective", runs.other_objective, -most,
              std::numeric_limits<double>::infinity());
  const auto is_run = [&](std::uint64_t seed) {
    return seed - runs.first_seed < static_cast<std::uint64_t>(runs.restarts);
  };
  if (runs.restarts > 1 &&
      !(is_run(fit.seed) && (std::isinf(runs.other_objective) || is_run(runs.other_seed))))
    refuse("attribute resume/runs_first_seed", "the seeds of the restarts do not begin there");
  check_range("resume/kkt_start", at.kkt_start, 0, std::numeric_limits<double>::infinity());
  check_range("resume/violation_start", at.violation_start, 0, std::numeric_limits<double>::infinity());
  check_state(fit);
}

}  // namespace

template <class Scalar>
std::vector<StatePart> state_parts(const FitResult<Scalar>& fit) {
  const Checkpoint<Scalar>& at = fit.checkpoint;
  const StateFacts facts{.F = fit.W.rows(),
                         .N = fit.H.cols(),
                         .K = fit.rank,
                         .loss = fit.loss,
                         .is_empty =
                             [&](const std::string& name) {
                               const auto found = at.matrices.find(name);
                               return found == at.matrices.end() || found->second.size() == 0;
                             },
                         .number =
                             [&](const std::string& name) {
                               const auto found = at.numbers.find(name);
                               return found == at.numbers.end() ? 0 : found->second;
                             }};
  const Algorithm& algorithm = algorithm_of(fit.solver);
  return at.stream.columns > 0 ? algorithm.streaming_state_parts(facts)
                               : algorithm.state_parts(fit.solver, facts);
}

void check_resolved(const SolverOptions& solver, Index samples) {
  if (solver.get_if<Auto>() != nullptr)
    refuse("attribute options/solver", "it is auto, but a finished fit has chosen an algorithm");
  if (const Index* batch_size = solver.find<Index>(Meaning::batch_size))
    check_range("options/batch_size", *batch_size, 1, samples > 0 ? static_cast<double>(samples) : huge);
  const HRule* rule = solver.find<HRule>(Meaning::h_rule);
  if (rule != nullptr && *rule != HRule::fixed)
    check_range("options/h_rule_limit", *solver.find<int>(Meaning::h_rule_limit), 1, fields::huge);
  const auto* penalty = solver.find<std::optional<double>>(Meaning::outlier_penalty);
  if (penalty != nullptr && !*penalty)
    refuse("attribute options/outlier_penalty", "a finished fit has a value for it");
  const auto* update = solver.find<OutlierUpdate>(Meaning::outlier_update);
  if (update != nullptr && *update == OutlierUpdate::automatic)
    refuse("attribute options/outlier_update", "a finished fit has decided it");
}

template <class Scalar>
void check_factors(const FitResult<Scalar>& fit) {
  const Index features = fit.W.rows();
  const Index samples = fit.H.cols();
  if (features < 1 || fit.W.cols() < 1) refuse("dataset /W", "it is " + shape_text(features, fit.W.cols()));
  if (fit.rank != fit.W.cols())
    refuse("attribute rank",
           "it is " + std::to_string(fit.rank) + ", but W has " + std::to_string(fit.W.cols()) + " columns");
  check_size("dataset /H", fit.H, fit.rank, samples);
  check_values("dataset /W", fit.W.data(), fit.W.size());
  check_values("dataset /H", fit.H.data(), fit.H.size());
  const std::vector<double>& norms = fit.column_norms;
  if (!norms.empty() && static_cast<Index>(norms.size()) != fit.rank)
    refuse("dataset /column_norms", "it has " + std::to_string(norms.size()) + " numbers for " +
                                        std::to_string(fit.rank) + " components");
  const auto bad =
      std::find_if(norms.begin(), norms.end(), [](double x) { return !(x > 0) || std::isinf(x); });
  if (bad != norms.end())
    refuse("dataset /column_norms", "number " + std::to_string(bad - norms.begin()) +
                                        " (counted from 0) is " + number_text(*bad) +
                                        "; all must be finite and positive");
}

template <class Scalar>
void check_model(const Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  check_factors(fit);
  const Index features = fit.W.rows();
  const Index samples = fit.H.cols();
  check_size_or_empty("dataset /R", fit.R, features, samples);
  check_values("dataset /R", fit.R.data(), fit.R.size());
  check_size_or_empty("group /R", fit.R_sparse, features, samples);
  if (!fit.R_sparse.isCompressed()) refuse("group /R", "the sparse matrix is not compressed");
  check_values("dataset /R/data", fit.R_sparse.valuePtr(), fit.R_sparse.nonZeros());
  if (fit.R.size() > 0 && fit.R_sparse.size() > 0) refuse("R", "it is both dense and sparse");

  if (fit.history.empty()) refuse("group /history", "it has no entry");
  if (fit.returned >= fit.history.size())
    refuse("attribute returned", "it is " + std::to_string(fit.returned) + ", but there are " +
                                     std::to_string(fit.history.size()) + " entries of the history");
  check_stream(fit);
  if (!std::isnan(fit.null_cost)) check_range("null_cost", fit.null_cost, 0, fields::largest);
  check_range("loss", fit.loss.beta, -fields::largest, fields::largest);
  check_attributes(fit.penalties);
  check_attributes(model.stopping);
  check_range("evaluate_every", model.evaluate_every, 1, huge);
  constexpr double least_scale = std::numeric_limits<double>::min();
  constexpr double most_scale = std::numeric_limits<double>::max();
  check_range("w_scale", fit.checkpoint.w_scale, least_scale, most_scale);
  check_range("h_scale", fit.checkpoint.h_scale, least_scale, most_scale);
  check_range("h_scale", fit.checkpoint.w_scale * fit.checkpoint.h_scale, least_scale, most_scale);
  check_ranges(fit.solver);
  check_resolved(fit.solver, samples);

  check_text("algorithm", model.algorithm);
  check_text("command", model.command);
  check_text("created", model.created);
  check_text("version", model.version);
  check_text("data/path", model.data.path);
  check_names("dataset /feature_names", model.feature_names, features);
  check_names("dataset /sample_names", model.sample_names, samples);
  check_data(model.data, features, samples);
  check_preprocessing(model.preprocessing, features);
  if (fit.checkpoint.current.W.size() > 0) check_checkpoint(model);
}

template std::vector<StatePart> state_parts<float>(const FitResult<float>&);
template std::vector<StatePart> state_parts<double>(const FitResult<double>&);
template void check_factors<float>(const FitResult<float>&);
template void check_factors<double>(const FitResult<double>&);
template void check_model<float>(const Model<float>&);
template void check_model<double>(const Model<double>&);

}  // namespace svrmu::io
