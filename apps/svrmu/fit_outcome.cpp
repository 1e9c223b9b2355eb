#include "fit_outcome.hpp"

#include <filesystem>
#include <iostream>

#include "console.hpp"
#include "errors.hpp"
#include "json.hpp"
#include "spool.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

// Within this folder the short name says enough.
std::string spoken_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::string relative = std::filesystem::path(path).lexically_relative(here).string();
  return error || relative.empty() || relative.starts_with("..") ? path : relative;
}

// The flags that let a run go on: limits that are used up are doubled.
template <class Scalar>
std::string higher_limits(const io::Model<Scalar>& model) {
  const Stopping& limits = model.stopping;
  const EpochRecord& last = model.fit.history.back();
  std::string flags;
  if (last.epoch - (last.partial ? 1 : 0) >= limits.max_epochs)
    flags += " --epochs " + std::to_string(2 * std::max<Index>(limits.max_epochs, 1));
  if (last.solver_seconds >= limits.time_limit_seconds)
    flags += " --time-limit " + short_number(std::max(1.0, 2 * last.solver_seconds)) + "s";
  if (limits.gradient_budget > 0 && last.gradient_count >= limits.gradient_budget)
    flags += " --grad-budget " + number_text(2 * last.gradient_count);
  return flags;
}

template <class Scalar>
void tell_next(const FitFlags& flags, const io::Model<Scalar>& model) {
  if (quality(model.fit).diverged) return;  // a caution has told what helps
  const StopReason reason = model.fit.reason;
  const std::string path = shell_word(flags.output_path());
  if (reason == StopReason::relative_change || reason == StopReason::kkt || reason == StopReason::violation ||
      reason == StopReason::error_fall || reason == StopReason::numerical_failure)
    return say("next  svrmu top " + path);
  const bool gone = model.data.path == standard_stream || is_pipe(model.data.path);
  const std::string input = gone ? "INPUT" : shell_word(spoken_path(model.data.path));
  say("go on svrmu fit " + input + " --resume " + path + higher_limits(model));
}

}  // namespace

template <class Scalar>
std::string trace_text(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  Json history = Json::array();
  for (const EpochRecord& report : fit.history) history.push_back(json_of(report));
  return dump({{"algorithm", model.algorithm},
               {"stop_reason", to_string(fit.reason)},
               {"seed", fit.seed},
               {"rank", fit.rank},
               {"loss", to_string(fit.loss)},
               {"options", values_of(fit.solver)},
               {"null_cost", number_or_null(fit.null_cost)},
               {counted_from, first_index},
               {"returned", fit.returned},
               {"history", history}});
}

template <class Scalar>
void tell_plan(const FitFlags& flags, const io::MatrixFile& file, const MatrixSource<Scalar>& V,
               const SolverOptions& solver, const Choice& choice, const FitOptions<Scalar>& options) {
  const FitPlan plan = plan_fit(V, solver, options);
  const double entries = static_cast<double>(plan.data.features) * static_cast<double>(plan.data.samples);
  const double v_bytes = file.is_sparse() ? plan.data.stored * double(sizeof(Scalar) + sizeof(Index))
                                          : entries * double(sizeof(Scalar));
  if (flags.json) {
    Json json = {{"samples", plan.data.samples},
                 {"features", plan.data.features},
                 {"stored", plan.data.stored},
                 {"nonzeros", plan.data.nonzeros},
                 {"sparse", file.is_sparse()},
                 {"precision", precision_name<Scalar>},
                 {"transposed", io::needs_transposition(file)},
                 {"algorithm", choice.name},
                 {"chosen_because", choice.reason},
                 {"options", values_of(plan.solver)},
                 {"bytes_of_V", v_bytes},
                 {"bytes_beyond_V", plan.bytes},
                 {"output", flags.output_path()},
                 {"warnings", plan.warnings}};
    return write_text("-", dump(json), false);
  }
  const auto line = [](const std::string& text) { std::cout << text << "\n"; };
  line("nonzeros     " + number_text(plan.data.nonzeros) + " of " + number_text(entries) + " (" +
       short_number(100 * plan.data.nonzeros / entries) + " %)");
  line("values       " + short_number(plan.data.least) + " to " + short_number(plan.data.most) + ", mean " +
       short_number(plan.data.mean));
  line("algorithm    " + choice.name + (choice.reason.empty() ? "" : ": " + choice.reason));
  for (const OptionInfo& option : options_of(plan.solver)) line("  " + option.name + " " + option.value);
  line("precision    " + std::string(precision_name<Scalar>));
  if (io::needs_transposition(file)) line("transposition  once: the file is compressed along the features");
  line("memory       " + byte_size(v_bytes) + " for V, " + byte_size(plan.bytes) + " beyond it");
  line("output       " + printable(flags.output_path()));
  for (const std::string& warning : plan.warnings) line("note         " + printable(warning));
}

template <class Scalar>
void write_outputs(const FitFlags& flags, const io::Model<Scalar>& model, Outputs which) {
  const FitResult<Scalar>& fit = model.fit;
  const auto due = [&](const std::string& path) {
    return !path.empty() && (path == standard_stream) == (which == Outputs::stream);
  };
  const std::vector<std::string> components = component_names(fit.rank);
  const std::vector<std::string> none;
  if (due(flags.save_w))
    write_dense(flags.save_w, io::dense_view(fit.W),
                {model.feature_names, model.feature_names.empty() ? none : components}, flags.force);
  if (due(flags.save_h))
    write_dense(flags.save_h, io::dense_view(fit.H),
                {model.sample_names.empty() ? none : components, model.sample_names}, flags.force);
  if (due(flags.save_r)) {
    const io::MatrixNames names{model.feature_names, model.sample_names};
    if (fit.R.size() > 0)
      write_dense(flags.save_r, io::dense_view(fit.R), names, flags.force);
    else
      write_sparse(flags.save_r, fit.R_sparse, names, flags.force);
  }
  if (due(flags.trace)) write_text(flags.trace, trace_text(model), flags.force);
}

template <class Scalar>
Json model_json(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& at = fit.record();
  const Quality found = quality(fit);
  return {{"features", model.data.features},
          {"rank", fit.rank},
          {"algorithm", model.algorithm},
          {"options", values_of(fit.solver)},
          {"loss", to_string(fit.loss)},
          {"preprocessing", to_string(model.preprocessing)},
          {"seed", fit.seed},
          {"stop_reason", to_string(fit.reason)},
          {"objective", number_or_null(at.objective)},
          {"cost", number_or_null(at.cost)},
          {"relative_error", number_or_null(at.relative_error)},
          {"null_cost", number_or_null(fit.null_cost)},
          {"explained", number_or_null(found.explained)},
          {"explained_of", found.baseline}};
}

template <class Scalar>
void tell_result(const FitFlags& flags, const io::Model<Scalar>& model, const std::string& chosen,
                 double seconds) {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& at = fit.record();
  const EpochRecord& last = fit.history.back();
  const Quality found = quality(fit);
  std::vector<std::string> notes = report::cautions(model);
  for (const std::string& note : notes) say(bold("note:") + " " + note);
  if (flags.json) {
    notes.insert(notes.end(), fit.warnings.begin(), fit.warnings.end());
    Json files = {{"model", flags.output_path()}};
    const auto name = [&](const char* what, const std::string& path) {
      if (!path.empty()) files[what] = path;
    };
    name("w", flags.save_w);
    name("h", flags.save_h);
    name("r", flags.save_r);
    name("trace", flags.trace);
    name("report", flags.report.html);
    name("figures", flags.report.figures);
    Json json = {{"input", model.data.path},
                 {"samples", model.data.samples},
                 {"precision", precision_name<Scalar>},
                 {"chosen_because", chosen}};
    json.update(model_json(model));
    json.update(Json{{"epochs", last.epoch},
                     {"gradient_count", last.gradient_count},
                     {"columns_read", last.columns_read},
                     {"columns_evaluated", last.columns_evaluated},
                     {"solver_seconds", last.solver_seconds},
                     {"evaluate_seconds", last.evaluate_seconds},
                     {"seconds", seconds},
                     {"warnings", notes},
                     {"files", files}});
    write_text("-", dump(json), false);
  }
  say(bold(printable(model.algorithm)) + ", " + counted(static_cast<double>(last.epoch), "epoch", "epochs") +
      " in " + duration(last.solver_seconds) + ": " + report::stop_text(fit, model.stopping));
  say(found.measure + " " + bold(short_number(found.value)) + ": " + found.meaning + "; objective " +
      short_number(fit.history.front().objective) + " -> " + short_number(at.objective));
  if (fit.R_sparse.nonZeros() > 0)
    say("outliers " + std::to_string(fit.R_sparse.nonZeros()) + " of " +
        number_text(static_cast<double>(model.data.features) * static_cast<double>(model.data.samples)) +
        " entries");
  if (last.rollbacks > 0)
    say(counted(static_cast<double>(last.rollbacks), "epoch was", "epochs were") +
        " undone by the safeguard");
  for (const std::string& warning : fit.warnings) say("note: " + printable(warning));
  say("model " + printable(flags.output_path()));
  for (const auto& [what, path] : {std::pair{"W     ", &flags.save_w}, std::pair{"H     ", &flags.save_h},
                                   std::pair{"R     ", &flags.save_r}, std::pair{"trace ", &flags.trace}})
    if (!path->empty() && *path != standard_stream) say(what + printable(*path));
  tell_report(flags.report);
  tell_next(flags, model);
}

int code_of_end(StopReason reason, const std::string& model_path) {
  if (reason != StopReason::numerical_failure) return done;
  complain("the objective was no longer finite; the last good factors are in " + model_path +
           "; try another --algorithm, --init or --seed");
  return numerical_failure;
}

template Json model_json(const io::Model<float>&);
template Json model_json(const io::Model<double>&);
template std::string trace_text(const io::Model<float>&);
template std::string trace_text(const io::Model<double>&);
template void tell_plan(const FitFlags&, const io::MatrixFile&, const MatrixSource<float>&,
                        const SolverOptions&, const Choice&, const FitOptions<float>&);
template void write_outputs(const FitFlags&, const io::Model<float>&, Outputs);
template void tell_result(const FitFlags&, const io::Model<float>&, const std::string&, double);
template void tell_plan(const FitFlags&, const io::MatrixFile&, const MatrixSource<double>&,
                        const SolverOptions&, const Choice&, const FitOptions<double>&);
template void write_outputs(const FitFlags&, const io::Model<double>&, Outputs);
template void tell_result(const FitFlags&, const io::Model<double>&, const std::string&, double);

}  // namespace svrmu::cli
