// The report of a model: what was done, how it converged, and the order of the sections.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "report/charts.hpp"
#include "report/model_sections.hpp"
#include "report/text.hpp"
#include "text/text.hpp"

namespace svrmu::report {
namespace {

template <class Scalar>
std::string error_text(const FitResult<Scalar>& fit) {
  return std::string("||V − WH") + (has_r(fit) ? " − R" : "") + "|| / ||V||";
}

// Such a model has no H, and its objectives are running sums.
template <class Scalar>
bool of_stream(const FitResult<Scalar>& fit) {
  return fit.H.cols() == 0;
}

template <class Scalar>
Section summary_section(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& last = fit.history.back();
  const Quality found = quality(fit);
  const bool known = !std::isnan(found.explained);
  Section section{"Summary", {}};
  for (const std::string& caution : cautions(model))
    section.blocks.push_back(Paragraph{"Note: " + caution + "."});
  const std::string estimate = of_stream(fit) ? ", each column when it was seen" : "";
  section.blocks.push_back(Highlights{{
      {found.measure, number(found.value),
       (fit.loss.is_frobenius() ? error_text(fit) : "of V from WH, summed over all entries") + estimate},
      {"explained",
       !known                ? "—"
       : found.explained < 0 ? "nothing"
                             : percent(found.explained),
       known ? "of " + found.baseline + (has_r(fit) ? ", by WH and the outliers R" : "") : found.meaning},
      {"components", number(double(fit.rank)),
       number(double(model.data.samples)) + " samples × " + number(double(model.data.features)) +
           " features"},
      of_stream(fit) ? Highlights::Number{"columns read", number(double(last.columns_read)),
                                          number(last.solver_seconds) + " s in the solver"}
                     : Highlights::Number{"epochs", number(double(last.epoch)),
                                          number(last.solver_seconds) + " s in the solver"},
  }});
  section.blocks.push_back(Paragraph{"End of the run — " + stop_text(fit, model.stopping) + "."});
  if (of_stream(fit))
    section.blocks.push_back(Paragraph{
        "The model learned from a stream, each column seen once. H was not kept, so weights of components, "
        "activations and single samples are not shown; svrmu transform gives H of any samples. Errors are "
        "running sums over the columns when they were seen, by a W that has become better since."});
  return section;
}

template <class Scalar>
Section facts_section(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  Facts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.lines.emplace_back(name, value);
  };
  const double entries = double(model.data.features) * double(model.data.samples);
  add("command", model.command);
  add("data", model.data.path);
  add("shape", number(double(model.data.samples)) + " samples × " + number(double(model.data.features)) +
                   " features, " +
                   (model.data.sparse ? "sparse, " + number(double(model.data.stored)) + " entries (" +
                                            percent(double(model.data.stored) / std::max(entries, 1.0)) + ")"
                                      : "dense"));
  add("samples in",
      model.data.samples_in == io::SamplesIn::rows ? "rows of the file" : "columns of the file");
  add("preprocessing", model.preprocessing.steps.empty() ? "none" : to_string(model.preprocessing));
  add("algorithm", model.algorithm);
  std::vector<std::string> options;
  for (const OptionInfo& option : options_of(fit.solver)) options.push_back(option.name + " " + option.value);
  add("its options", joined(options, ", "));
  add("loss", to_string(fit.loss));
  const Penalties& p = fit.penalties;
  add("penalties", !p.any() ? "none"
                            : "l1_w " + number_text(p.l1_w) + ", l2_w " + number_text(p.l2_w) + ", l1_h " +
                                  number_text(p.l1_h) + ", l2_h " + number_text(p.l2_h));
  add("components", std::to_string(fit.rank) + (model.normalize ? ", columns of W scaled to norm 1" : ""));
  add("seed", std::to_string(fit.seed));
  add("precision", sizeof(Scalar) == 4 ? "float32" : "float64");
  add("end", stop_text(fit, model.stopping));
  const EpochRecord& last = fit.history.back();
  add("objective", of_stream(fit)
                       ? number(fit.record().objective) + ", estimated"
                       : number(fit.history.front().objective) + " → " + number(fit.record().objective));
  add("work", number(double(last.columns_read)) + " columns read; " + number(last.solver_seconds) +
                  " s in the solver, " + number(last.evaluate_seconds) + " s evaluating");
  if (last.rollbacks > 0) add("undone", number(double(last.rollbacks)) + " epochs, by the safeguard");
  add("made", model.created);
  add("version", "svrmu " + model.version);
  for (const std::string& warning : fit.warnings) add("note", warning);
  return {"What was done", {facts}};
}

template <class Scalar>
Section convergence_section(const io::Model<Scalar>& model) {
  const bool stream = of_stream(model.fit);
  std::vector<EpochRecord> history;  // of a stream: not of a fit before it, whose numbers are no running sums
  for (const EpochRecord& record : model.fit.history)
    if (record.estimated == stream) history.push_back(record);
  const double entries = double(model.data.features) * double(model.data.samples);
  Section section{"Convergence", {}};
  const auto add = [&](const char* name, const std::string& caption, const char* label,
                       double EpochRecord::*value) {
    LineChart chart{.name = name,
                    .caption = caption,
                    .x_axes = history_axes(),
                    .y_label = label,
                    .log_y = true,
                    .series = {history_curve(model.algorithm, history, entries, value)}};
    const std::vector<double>& y = chart.series.front().y;
    const bool any = std::any_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
    if (any) section.blocks.push_back(std::move(chart));
  };
  // A sum over more and more columns only grows.
  if (!stream) add("objective", "Objective after each evaluation", "objective", &EpochRecord::objective);
  // Of another loss the relative error may well rise while the fit becomes better.
  if (model.fit.loss.is_frobenius())
    add("relative-error",
        "Relative error, " + error_text(model.fit) + (stream ? ", of the columns so far" : ""),
        "relative error", &EpochRecord::relative_error);
  else if (stream)
    add("divergence", "Divergence of the columns so far, each when it was seen", "divergence",
        &EpochRecord::cost);
  else if (model.fit.penalties.any())
    add("divergence", "Divergence, the objective without its penalties", "divergence", &EpochRecord::cost);
  add("kkt", "Projected gradient over its value at the start", "projected gradient", &EpochRecord::kkt);
  add("violation", "Projected gradients met in an epoch over those of the first", "violation",
      &EpochRecord::violation);
  return section;
}

template <class Scalar>
std::string title_of(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options) {
  if (!options.title.empty()) return options.title;
  const std::string name = std::filesystem::path(model.data.path).filename().string();
  return name.empty() || name == "-" ? "Factorization" : name;
}

}  // namespace

ImageShape parse_image_shape(std::string_view text) {
  ImageShape shape;
  const std::size_t cross = text.find('x');
  const auto whole = [](std::string_view part, Index& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && value >= 1 && value <= 1'000'000;
  };
  if (cross == std::string_view::npos || !whole(text.substr(0, cross), shape.rows) ||
      !whole(text.substr(cross + 1), shape.columns))
    throw InvalidInput("'" + visible(text, 40) +
                       "' is not the size of a picture; write ROWSxCOLUMNS, such as 19x19");
  return shape;
}

std::vector<std::string> history_axes() {
  return {"epochs", "gradient counts", "columns read", "seconds in the solver"};
}

LineChart::Series history_curve(const std::string& name, const std::vector<EpochRecord>& history,
                                double entries, double EpochRecord::*value) {
  LineChart::Series out{name, std::vector<std::vector<double>>(4), {}};
  for (const EpochRecord& record : history) {
    out.x[0].push_back(double(record.epoch));
    out.x[1].push_back(record.gradient_count / std::max(entries, 1.0));
    out.x[2].push_back(double(record.columns_read));
    out.x[3].push_back(record.solver_seconds);
    out.y.push_back(record.*value);
  }
  return out;
}

template <class Scalar>
std::string stop_text(const FitResult<Scalar>& fit, const Stopping& stopping) {
  switch (fit.reason) {
    case StopReason::relative_change:
      if (is_exact<Scalar>(fit.record()))
        return std::string("converged: WH") + (has_r(fit) ? " + R" : "") + " equals V up to rounding";
      return "converged: the objective fell by less than " + number(stopping.relative_change) + " of itself";
    case StopReason::kkt:
      return "converged: the projected gradient fell to " + number(stopping.kkt) + " of its start";
    case StopReason::violation:
      return "converged: the projected gradients met in an epoch fell to " + number(stopping.violation) +
             " of the first epoch's";
    case StopReason::error_fall:
      return "converged: sqrt(2 loss) fell by less than " + number(stopping.error_fall) + " of its start";
    case StopReason::epoch_limit:
      return "at the limit of " + std::to_string(stopping.max_epochs) +
             (stopping.max_epochs == 1 ? " epoch" : " epochs");
    case StopReason::gradient_budget:
      return "the gradient budget is used up";
    case StopReason::time_limit:
      return "the time limit is reached";
    case StopReason::cancelled:
      return "interrupted";
    case StopReason::numerical_failure:
      return "the objective was no longer finite; the last good factors are kept";
    case StopReason::end_of_stream:
      return "all samples were read";
  }
  return {};
}

template <class Scalar>
Page model_page(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options) {
  const Components components = components_of(model.fit);
  Page page{.title = title_of(model, options),
            .subtitle = "Nonnegative matrix factorization, V ≈ WH" +
                        std::string(has_r(model.fit) ? " + R" : "") + ", by " + model.algorithm + ", " +
                        number(double(model.fit.rank)) + " components",
            .sections = {summary_section(model), convergence_section(model),
                         components_section(model, components, options.image),
                         similarity_section(model.fit, components)}};
  if (!of_stream(model.fit)) page.sections.push_back(activations_section(model.fit, components));
  if (options.V != nullptr) page.sections.push_back(residual_section(model, components, options));
  if (has_r(model.fit)) page.sections.push_back(outlier_section(model, options));
  page.sections.push_back(facts_section(model));
  if (options.V == nullptr && !of_stream(model.fit))
    page.sections.front().blocks.push_back(Paragraph{
        "Residuals of single samples are not shown: they need the data, which a model does not hold."});
  return page;
}

#define SVRMU_INSTANTIATE(S)                                               \
  template std::string stop_text<S>(const FitResult<S>&, const Stopping&); \
  template Page model_page<S>(const io::Model<S>&, const ModelReportOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
