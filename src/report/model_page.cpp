// The report of a model: one function for each section.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "report/charts.hpp"
#include "report/components.hpp"
#include "report/residuals.hpp"
#include "report/text.hpp"
#include "text/text.hpp"

namespace svrmu::report {
namespace {

constexpr Index worst_listed = 20;
constexpr Index worst_drawn = 6;

std::string percent(double share) { return number(100 * share) + " %"; }

template <class Scalar>
bool has_r(const FitResult<Scalar>& fit) {
  return fit.R.size() > 0 || fit.R_sparse.size() > 0;
}

template <class Scalar>
std::string error_text(const FitResult<Scalar>& fit) {
  return std::string("||V − WH") + (has_r(fit) ? " − R" : "") + "|| / ||V||";
}

template <class Scalar>
Section summary_section(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& at = fit.record();
  const EpochRecord& last = fit.history.back();
  const double explained = 1 - at.relative_error * at.relative_error;
  Highlights highlights{{
      {"relative error", number(at.relative_error), error_text(fit)},
      {"explained", percent(explained),
       std::string("of the sum of squares of V") + (has_r(fit) ? ", by WH and the outliers R" : "")},
      {"components", number(double(fit.rank)),
       number(double(model.data.samples)) + " samples × " + number(double(model.data.features)) +
           " features"},
      {"epochs", number(double(last.epoch)), number(last.solver_seconds) + " s in the solver"},
  }};
  return {"Summary",
          {highlights, Paragraph{"End of the run — " + stop_text(fit.reason, model.stopping) + "."}}};
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
  add("end", stop_text(fit.reason, model.stopping));
  const EpochRecord& last = fit.history.back();
  add("objective", number(fit.history.front().objective) + " → " + number(fit.record().objective));
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
  const std::vector<EpochRecord>& history = model.fit.history;
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
  add("objective", "Objective after each evaluation", "objective", &EpochRecord::objective);
  add("relative-error", "Relative error, " + error_text(model.fit), "relative error",
      &EpochRecord::relative_error);
  add("kkt", "Projected gradient over its value at the start", "projected gradient", &EpochRecord::kkt);
  return section;
}

template <class Scalar>
Section components_section(const io::Model<Scalar>& model, const Components& components,
                           const std::optional<ImageShape>& image) {
  Section section{"Components", {}};
  section.blocks.push_back(component_block(model.fit, model.feature_names, image));

  BarCharts weights{.name = "weights",
                    .caption = "Weight of each component: its share of the sum of the entries of WH, in %",
                    .charts = {{"", {}}}};
  Table table{.name = "components",
              .caption = "Components in numbers",
              .columns = {"component", "share %", "sparsity of W", "zeros in W %", "sparsity of H",
                          "zeros in H %", "dominates samples"},
              .rows = {}};
  // Neighbours of a spectrum's peak are part of it.
  const bool spectra = !numeric_names(model.feature_names).empty();
  if (!model.feature_names.empty())
    table.columns.emplace_back(spectra ? "highest peaks" : "strongest features");
  for (const Component& c : components.list) {
    const std::string name = std::to_string(c.number + 1);
    weights.charts[0].bars.emplace_back("component " + name, 100 * c.share);
    table.rows.push_back({double(c.number + 1), 100 * c.share, c.sparsity_w, 100 * c.zeros_w, c.sparsity_h,
                          100 * c.zeros_h, double(c.dominated)});
    if (model.feature_names.empty()) continue;
    std::vector<std::string> features;
    for (const Index f :
         spectra ? highest_peaks(model.fit, c.number, 3) : strongest_features(model.fit, c.number, 3))
      features.push_back(visible(feature_name(model.feature_names, f), 40));
    table.rows.back().emplace_back(joined(features, ", "));
  }
  section.blocks.push_back(std::move(weights));
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(Paragraph{
      "Sparsity is Hoyer's measure: 0 when all entries are alike, 1 when a single one is not 0. A component "
      "dominates a sample if it is the largest part of it."});
  return section;
}

template <class Scalar>
Section similarity_section(const FitResult<Scalar>& fit, const Components& components) {
  const Index shown = std::min<Index>(fit.W.cols(), most_cells_down);
  const std::string note =
      shown_note(static_cast<std::size_t>(shown), static_cast<std::size_t>(fit.W.cols()), "components");
  HeatMap map{.name = "similarity",
              .caption = "Cosine between the components",
              .note = notes({"The experiment::heaviest first.", note}),
              .x_label = "component, in the same order",
              .y_label = "component",
              .value_label = "cosine",
              .rows = shown,
              .columns = shown,
              .values = similarities(fit, components, shown),
              .row_names = {},
              .square = true};
  Table pairs{.name = "similar-components",
              .caption = "The most similar pairs",
              .columns = {"component", "component", "cosine"},
              .rows = {}};
  std::vector<std::pair<Index, Index>> order;
  for (Index i = 0; i < shown; ++i) {
    map.row_names.push_back(std::to_string(components.list[static_cast<std::size_t>(i)].number + 1));
    for (Index j = i + 1; j < shown; ++j) order.emplace_back(i, j);
  }
  const auto cosine = [&](const std::pair<Index, Index>& p) {
    return map.values[static_cast<std::size_t>(p.first * shown + p.second)];
  };
  // The diagonal is 1 and says nothing: the colours are for the rest.
  for (const auto& pair : order) map.most = std::max(map.most, cosine(pair));
  const auto end = order.begin() + std::min<std::ptrdiff_t>(10, std::ptrdiff_t(order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](const auto& a, const auto& b) {
    return cosine(a) > cosine(b) || (cosine(a) == cosine(b) && a < b);
  });
  for (auto pair = order.begin(); pair != end; ++pair)
    pairs.rows.push_back({double(components.list[static_cast<std::size_t>(pair->first)].number + 1),
                          double(components.list[static_cast<std::size_t>(pair->second)].number + 1),
                          cosine(*pair)});
  Section section{"Similarity", {std::move(map)}};
  if (!pairs.rows.empty()) section.blocks.push_back(std::move(pairs));
  return section;
}

template <class Scalar>
Section activations_section(const FitResult<Scalar>& fit, const Components& components) {
  const std::vector<Index> order = by_dominant(fit, components);
  const std::vector<std::size_t> places = spread(order.size(), most_cells_across);
  const std::string samples = shown_note(places.size(), order.size(), "samples");
  const Index rows = std::min<Index>(fit.W.cols(), most_cells_down);
  const std::string parts =
      shown_note(static_cast<std::size_t>(rows), static_cast<std::size_t>(fit.W.cols()), "components");
  HeatMap map{.name = "activations",
              .caption = "How much of each sample each component is",
              .note = notes({samples, parts}),
              .x_label = "samples, in the order of their dominant component",
              .y_label = "component",
              .value_label = "share of the sample",
              .rows = rows,
              .columns = static_cast<Index>(places.size()),
              .values = std::vector<double>(static_cast<std::size_t>(rows) * places.size()),
              .row_names = {}};
  for (std::size_t j = 0; j < places.size(); ++j) {
    const std::vector<double> shares = shares_of_sample(fit, components, order[places[j]]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
      map.values[i * places.size() + j] = shares[i];
  }
  // A few samples of a single component would leave all others pale.
  std::vector<double> sorted = map.values;
  const auto most = sorted.begin() + static_cast<std::ptrdiff_t>(0.995 * double(sorted.size()));
  if (most != sorted.end()) {
    std::nth_element(sorted.begin(), most, sorted.end());
    map.most = *most;
  }
  for (Index i = 0; i < rows; ++i)
    map.row_names.push_back(std::to_string(components.list[static_cast<std::size_t>(i)].number + 1));
  return {"Activations", {std::move(map)}};
}

// Samples, the largest value first.
std::vector<Index> largest_first(const std::vector<double>& values, Index count) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, std::ptrdiff_t(order.size()));
  const auto value = [&](Index i) { return values[static_cast<std::size_t>(i)]; };
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Index a, Index b) { return value(a) > value(b) || (value(a) == value(b) && a < b); });
  order.erase(end, order.end());
  return order;
}

// A line of pictures for each sample: as it is, as the model has it, what is left, and the outliers.
template <class Scalar>
Pictures sample_pictures(const io::Model<Scalar>& model, const ImageShape& image,
                         const MatrixSource<Scalar>& V, std::vector<Index> samples, const char* name,
                         const char* caption) {
  const FitResult<Scalar>& fit = model.fit;
  const Matrix<Scalar> v = columns_of(V, samples);
  const Matrix<Scalar> r = outliers_of(fit, samples);
  Pictures out{.name = name, .caption = caption, .pictures = {}, .per_line = has_r(fit) ? 4 : 3};
  const auto add = [&](const std::string& what, const Matrix<Scalar>& column) {
    Picture picture{what, image.rows, image.columns, {}};
    for (Index f = 0; f < column.rows(); ++f) picture.pixels.push_back(double(column(f, 0)));
    out.pictures.push_back(std::move(picture));
  };
  Matrix<Scalar> wh(fit.W.rows(), v.cols());
  for (Index j = 0; j < v.cols(); ++j) wh.col(j) = fit.W * fit.H.col(samples[static_cast<std::size_t>(j)]);
  const Matrix<Scalar> left = (v - wh - r).cwiseAbs();
  out.most = v.size() > 0 ? double(v.maxCoeff()) : 0;
  // What is left is often too little to be seen on that scale.
  int gain = 1;
  for (const int more : {2, 5, 10, 20, 50, 100})
    if (left.size() > 0 && more * double(left.maxCoeff()) <= out.most) gain = more;
  for (Index j = 0; j < v.cols(); ++j) {
    add(sample_name(model.sample_names, samples[static_cast<std::size_t>(j)]), v.col(j));
    add("WH", wh.col(j));
    add(gain == 1 ? "what is left" : std::to_string(gain) + " × what is left", Scalar(gain) * left.col(j));
    if (has_r(fit)) add("outliers", r.col(j));
  }
  out.note = "All on one scale, from 0 to " + number(out.most) + ".";
  return out;
}

template <class Scalar>
Section residual_section(const io::Model<Scalar>& model, const Components& components,
                         const ModelReportOptions<Scalar>& options) {
  const std::vector<double> residuals = sample_residuals(*options.V, model.fit);
  const std::vector<Index> worst = largest_first(residuals, worst_listed);
  const std::string what = has_r(model.fit) ? "||v − Wh − r|| / ||v||" : "||v − Wh|| / ||v||";
  Table table{.name = "worst-samples",
              .caption = "The samples that are fitted worst",
              .columns = {"sample", "residual", "dominant component"},
              .rows = {}};
  const bool named = !model.sample_names.empty();
  if (named) table.columns.insert(table.columns.begin() + 1, "name");
  for (const Index n : worst) {
    const Index place = components.dominant[static_cast<std::size_t>(n)];
    table.rows.push_back({double(n + 1), residuals[static_cast<std::size_t>(n)],
                          place < 0
                              ? std::string("none")
                              : std::to_string(components.list[static_cast<std::size_t>(place)].number + 1)});
    if (named) table.rows.back().insert(table.rows.back().begin() + 1, sample_name(model.sample_names, n));
  }
  Section section{"Residuals", {}};
  section.blocks.push_back(Dots{.name = "residuals",
                                .caption = "Residual of each sample, " + what,
                                .x_label = "sample",
                                .y_label = "residual",
                                .values = residuals});
  section.blocks.push_back(Histogram{.name = "residual-histogram",
                                     .caption = "How the residuals are distributed",
                                     .x_label = "residual",
                                     .y_label = "samples",
                                     .values = residuals});
  section.blocks.push_back(std::move(table));
  if (options.image)
    section.blocks.push_back(sample_pictures(
        model, *options.image, *options.V,
        {worst.begin(), worst.begin() + std::min<std::ptrdiff_t>(worst_drawn, std::ptrdiff_t(worst.size()))},
        "worst-samples", "The worst samples, what the model makes of them, and what is left"));
  return section;
}

template <class Scalar>
Section outlier_section(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options) {
  const FitResult<Scalar>& fit = model.fit;
  std::vector<double> sums(static_cast<std::size_t>(fit.H.cols())), counts(sums.size()), largest(sums.size());
  const bool dense = fit.R.size() > 0;
  // The multiplicative rule never reaches 0: what is small there is no outlier.
  const double least = dense ? 0.01 * double(fit.R.maxCoeff()) : 0;
  const auto add = [&](Index n, double value) {
    if (!(value > least)) return;
    const auto i = static_cast<std::size_t>(n);
    sums[i] += value;
    counts[i] += 1;
    largest[i] = std::max(largest[i], value);
  };
  for (Index n = 0; n < fit.H.cols(); ++n) {
    if (dense)
      for (Index f = 0; f < fit.R.rows(); ++f) add(n, double(fit.R(f, n)));
    else
      for (typename SparseMatrix<Scalar>::InnerIterator it(fit.R_sparse, n); it; ++it)
        add(n, double(it.value()));
  }
  const double found = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto touched = double(std::count_if(counts.begin(), counts.end(), [](double c) { return c > 0; }));
  const double entries = double(fit.W.rows()) * double(fit.H.cols());
  Section section{"Outliers", {}};
  section.blocks.push_back(Highlights{
      {{"outliers found", number(found), percent(found / std::max(entries, 1.0)) + " of the entries"},
       {"samples with outliers", number(touched),
        percent(touched / std::max(double(fit.H.cols()), 1.0)) + " of the samples"}}});
  if (dense)
    section.blocks.push_back(
        Paragraph{"Counted are entries of R above 1 % of the largest, " + number(least) + "."});
  const std::vector<Index> worst = largest_first(sums, worst_listed);
  Table table{.name = "outliers",
              .caption = "The samples with the most outliers",
              .columns = {"sample", "name", "outliers", "their sum", "the largest"},
              .rows = {}};
  std::vector<Index> drawn;
  for (const Index n : worst) {
    const auto i = static_cast<std::size_t>(n);
    if (counts[i] == 0) break;
    table.rows.push_back({double(n + 1), sample_name(model.sample_names, n), counts[i], sums[i], largest[i]});
    if (static_cast<Index>(drawn.size()) < worst_drawn) drawn.push_back(n);
  }
  if (table.rows.empty()) {
    section.blocks.push_back(Paragraph{"No entry of V is an outlier under this penalty."});
    return section;
  }
  section.blocks.push_back(std::move(table));
  if (options.image && options.V != nullptr)
    section.blocks.push_back(sample_pictures(model, *options.image, *options.V, drawn, "outliers",
                                             "Samples with the most outliers, what the model makes of them, "
                                             "what is left, and the outliers"));
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
  for (const EpochRecord& report : history) {
    out.x[0].push_back(double(report.epoch));
    out.x[1].push_back(report.gradient_count / std::max(entries, 1.0));
    out.x[2].push_back(double(report.columns_read));
    out.x[3].push_back(report.solver_seconds);
    out.y.push_back(report.*value);
  }
  return out;
}

std::string stop_text(StopReason reason, const Stopping& stopping) {
  switch (reason) {
    case StopReason::relative_change:
      return "converged: the objective fell by less than " + number(stopping.relative_change) + " of itself";
    case StopReason::kkt:
      return "converged: the projected gradient fell to " + number(stopping.kkt) + " of its start";
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
  }
  return {};
}

template <class Scalar>
Page model_page(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options) {
  const Components components = components_of(model.fit);
  Page page{
      .title = title_of(model, options),
      .subtitle = "Nonnegative matrix factorization, V ≈ WH" + std::string(has_r(model.fit) ? " + R" : "") +
                  ", by " + model.algorithm + ", " + number(double(model.fit.rank)) + " components",
      .sections = {summary_section(model), convergence_section(model),
                   components_section(model, components, options.image),
                   similarity_section(model.fit, components), activations_section(model.fit, components)}};
  if (options.V != nullptr) page.sections.push_back(residual_section(model, components, options));
  if (has_r(model.fit)) page.sections.push_back(outlier_section(model, options));
  page.sections.push_back(facts_section(model));
  if (options.V == nullptr)
    page.sections.front().blocks.push_back(Paragraph{
        "Residuals of single samples are not shown: they need the data, which a model does not hold."});
  return page;
}

#define SVRMU_INSTANTIATE(S) template Page model_page<S>(const io::Model<S>&, const ModelReportOptions<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
