#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "report/text.hpp"
#include "svrmu/report/experiment_pages.hpp"
#include "text/text.hpp"

namespace svrmu::report {
namespace {

constexpr std::array axes = {experiment::Axis::gradient_counts, experiment::Axis::columns_read,
                             experiment::Axis::solver_seconds};

std::string axis_name(experiment::Axis axis) {
  switch (axis) {
    case experiment::Axis::gradient_counts:
      return "gradient counts";
    case experiment::Axis::columns_read:
      return "passes over V";
    case experiment::Axis::solver_seconds:
      return "seconds in the solver";
  }
  return {};
}

std::vector<const experiment::ComparisonRun*> runs_of(const experiment::Comparison& comparison,
                                                      std::size_t contestant) {
  std::vector<const experiment::ComparisonRun*> runs;
  for (const experiment::ComparisonRun& run : comparison.runs)
    if (run.contestant == contestant) runs.push_back(&run);
  return runs;
}

// Evaluation by evaluation, the medians over the trials of where it was and how far above f_opt.
LineChart::Series median_curve(const experiment::Comparison& comparison, std::size_t contestant) {
  const std::vector<const experiment::ComparisonRun*> runs = runs_of(comparison, contestant);
  std::size_t length = runs.empty() ? 0 : runs.front()->history.size();
  std::vector<std::vector<double>> gap;
  for (const experiment::ComparisonRun* run : runs) {
    length = std::min(length, run->history.size());
    gap.push_back(gaps(comparison, *run));
  }
  LineChart::Series series{.name = comparison.contestants[contestant].label, .x = {}, .y = {}};
  series.x.resize(axes.size());
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t a = 0; a < axes.size(); ++a) {
      std::vector<double> places;
      places.reserve(runs.size());
      for (const experiment::ComparisonRun* run : runs)
        places.push_back(position(comparison, run->history[i], axes[a]));
      series.x[a].push_back(experiment::spread_of(places).median);
    }
    std::vector<double> values;
    values.reserve(gap.size());
    for (const auto& list : gap) values.push_back(list[i]);
    series.y.push_back(experiment::spread_of(values).median);
  }
  return series;
}

LineChart gap_chart(const experiment::Comparison& comparison, const std::vector<std::size_t>& which,
                    const std::string& name, const std::string& caption) {
  LineChart chart{
      .name = name,
      .caption = caption,
      .note =
          "Median over the seeds, on a logarithmic scale; a curve ends where it reaches f_opt. Time "
          "for evaluating the objective is not counted.",
      .x_axes = {},
      .y_label = "f − f_opt",
      .log_y = true,
      .series = {}};
  for (const experiment::Axis axis : axes) chart.x_axes.push_back(axis_name(axis));
  for (const std::size_t c : which) chart.series.push_back(median_curve(comparison, c));
  return chart;
}

std::vector<std::size_t> first_ones(std::size_t count) {
  std::vector<std::size_t> list(count);
  std::iota(list.begin(), list.end(), std::size_t{0});
  return list;
}

// "svrmu-acc:inner-passes=5" is the paper's SVRMU-ACC.
std::string paper_name(const std::string& label) {
  std::string name = label.substr(0, label.find(':'));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

// The paper's methods under its names, over one axis, as far as `end`.
LineChart paper_panel(const experiment::Comparison& comparison, std::size_t axis, double end,
                      const std::string& name, const std::string& caption) {
  LineChart chart{.name = name,
                  .caption = caption,
                  .note = "",
                  .x_axes = {axis_name(axes[axis])},
                  .y_label = "optimality gap",
                  .log_y = true,
                  .series = {}};
  for (std::size_t c = 0; c < experiment::paper_contestants().size(); ++c) {
    const LineChart::Series whole = median_curve(comparison, c);
    LineChart::Series part{.name = paper_name(whole.name), .x = {{}}, .y = {}};
    for (std::size_t i = 0; i < whole.y.size() && whole.x[axis][i] <= end; ++i) {
      part.x.front().push_back(whole.x[axis][i]);
      part.y.push_back(whole.y[i]);
    }
    chart.series.push_back(std::move(part));
  }
  return chart;
}

// The paper's Figure 1. Its (b) is "enlarged"; here this is the first quarter of what all methods have run.
LineCharts figure_1(const experiment::Comparison& comparison) {
  const std::size_t counts = 0, seconds = 2;
  const double end = end_of(comparison, axes[seconds], first_ones(experiment::paper_contestants().size()));
  return {.caption = "Figure 1: convergence behavior on synthetic dataset",
          .note =
              "Medians over the seeds. SVRMU and SVRMU-ACC make five inner passes for each snapshot and are "
              "evaluated after them. (b) is the first quarter of the time that all of them ran.",
          .charts = {paper_panel(comparison, counts, end_of(comparison, axes[counts]),
                                 "figure-1a-" + comparison.data,
                                 "(a) Number of gradient counts v.s. optimality gap"),
                     paper_panel(comparison, seconds, end / 4, "figure-1b-" + comparison.data,
                                 "(b) Time v.s. optimality gap (enlarged)")}};
}

// By the median gap where the axis ends, the lowest first; contestants that did not get so far last.
std::vector<std::size_t> by_gap(const experiment::Comparison& comparison, experiment::Axis axis) {
  std::vector<std::size_t> order(comparison.contestants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const double end = end_of(comparison, axis);
  const auto last = [&](std::size_t c) { return gap_spread(comparison, c, axis, end).median; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return last(a) < last(b) || (std::isnan(last(b)) && !std::isnan(last(a)));
  });
  return order;
}

Cell gap_cell(double gap) { return std::isnan(gap) ? Cell("–") : Cell(gap); }

Table gap_table(const experiment::Comparison& comparison, experiment::Axis axis, const std::string& name) {
  const std::vector<double> places = table_places(comparison, axis);
  Table table{
      .name = name,
      .caption = "Gap f − f_opt at " + axis_name(axis) + ": median over the seeds, least and most at the end",
      .columns = {"algorithm"},
      .rows = {},
      .folded = axis != experiment::Axis::gradient_counts};
  for (const double place : places) table.columns.push_back(number(place));
  table.columns.insert(table.columns.end(), {"least", "most"});
  for (const std::size_t c : by_gap(comparison, axis)) {
    std::vector<Cell> row = {comparison.contestants[c].label};
    for (const double place : places) row.push_back(gap_cell(gap_spread(comparison, c, axis, place).median));
    const experiment::Spread end = gap_spread(comparison, c, axis, places.back());
    row.push_back(gap_cell(end.least));
    row.push_back(gap_cell(end.most));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string budget_text(const experiment::Budget& budget) {
  std::vector<std::string> parts;
  if (budget.gradient_counts > 0) parts.push_back(number(budget.gradient_counts) + " gradient counts");
  if (budget.epochs > 0) parts.push_back(number(static_cast<double>(budget.epochs)) + " epochs");
  if (budget.seconds > 0) parts.push_back(number(budget.seconds) + " s in the solver");
  return joined(parts, ", ");
}

Facts facts_of(const experiment::Comparison& comparison, const std::string& command) {
  Facts facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.lines.emplace_back(name, value);
  };
  add("command", command);
  add("data", comparison.data);
  add("which is", comparison.about);
  add("shape", number(static_cast<double>(comparison.samples)) + " samples × " +
                   number(static_cast<double>(comparison.features)) + " features");
  add("components", std::to_string(comparison.rank));
  add("loss", to_string(comparison.loss));
  add("budget of each run", budget_text(comparison.budget));
  std::vector<std::string> seeds;
  std::vector<std::string> optima;
  for (const experiment::Trial& trial : comparison.trials) {
    seeds.push_back(std::to_string(trial.seed));
    const std::string optimum = number(trial.f_opt) + " by " + trial.f_opt_by;
    if (optima.empty() || optima.back() != optimum) optima.push_back(optimum);
  }
  add("seeds", joined(seeds, ", "));
  add("reference", comparison.reference);
  add("f_opt", joined(optima, ", "));
  for (const experiment::Contestant& contestant : comparison.contestants) {
    std::vector<std::string> options;
    for (const OptionInfo& option : options_of(contestant.solver))
      options.push_back(option.name + " " + option.value);
    add(contestant.label.c_str(), joined(options, ", "));
  }
  add("version", "svrmu " SVRMU_VERSION);
  for (const std::string& warning : comparison.warnings) add("note", warning);
  return facts;
}

void add_tables(Section& section, const experiment::Comparison& comparison, const std::string& suffix) {
  for (const experiment::Axis axis : axes) {
    std::string name(choices(axis)[static_cast<std::size_t>(axis)]);
    std::replace(name.begin(), name.end(), '_', '-');
    section.blocks.push_back(gap_table(comparison, axis, "gaps-" + name + suffix));
  }
}

}  // namespace

Page comparison_page(const experiment::Comparison& comparison, const std::string& command) {
  const std::size_t best = by_gap(comparison, experiment::Axis::gradient_counts).front();
  const std::size_t soonest = by_gap(comparison, experiment::Axis::solver_seconds).front();
  const experiment::Trial& trial = comparison.trials.front();
  const Highlights highlights{{
      {"lowest by gradient counts", comparison.contestants[best].label,
       "at " + number(end_of(comparison, experiment::Axis::gradient_counts)) + " counts"},
      {"lowest by time", comparison.contestants[soonest].label,
       "at " + number(end_of(comparison, experiment::Axis::solver_seconds)) + " s"},
      {"f_opt", number(trial.f_opt), "by " + trial.f_opt_by},
  }};
  Section convergence{"Convergence",
                      {gap_chart(comparison, first_ones(comparison.contestants.size()), "gap",
                                 "How far above the lowest objective known")}};
  add_tables(convergence, comparison, "");
  return {.title = "Comparison of " + std::to_string(comparison.contestants.size()) + " algorithms",
          .subtitle = comparison.data,
          .sections = {{"Summary", {highlights}},
                       std::move(convergence),
                       {"What was done", {facts_of(comparison, command)}}}};
}

Page synthetic_page(const std::vector<experiment::Comparison>& comparisons, const std::string& command) {
  Page page{.title = "Experiment 1: synthetic data",
            .subtitle = "Kasai, Stochastic variance reduced multiplicative update for NMF",
            .sections = {}};
  const std::size_t paper = experiment::paper_contestants().size();
  for (const experiment::Comparison& comparison : comparisons) {
    Section section{comparison.data, {}};
    if (!comparison.about.empty()) section.blocks.push_back(Paragraph{"Data: " + comparison.about + "."});
    for (const std::string& sentence : synthetic_verdict(comparison))
      section.blocks.push_back(Paragraph{sentence});
    section.blocks.push_back(figure_1(comparison));
    section.blocks.push_back(gap_chart(comparison, first_ones(paper), "paper-" + comparison.data,
                                       "The paper's methods over every axis"));
    section.blocks.push_back(gap_chart(comparison, first_ones(comparison.contestants.size()),
                                       "all-" + comparison.data, "All algorithms"));
    add_tables(section, comparison, "-" + comparison.data);
    page.sections.push_back(std::move(section));
  }
  Section done{"What was done", {}};
  for (const experiment::Comparison& comparison : comparisons)
    done.blocks.push_back(facts_of(comparison, command));
  page.sections.push_back(std::move(done));
  return page;
}

}  // namespace svrmu::report
