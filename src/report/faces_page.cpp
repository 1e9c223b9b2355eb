#include <algorithm>

#include "report/text.hpp"
#include "svrmu/report/experiment_pages.hpp"

namespace svrmu::report {
namespace {

constexpr Index bases_shown = 14;  // as in the paper's Figure 2

Picture basis_picture(const RowMatrix<double>& W, Index k, const ImageShape& image) {
  Picture picture{
      .caption = std::to_string(k + 1), .rows = image.rows, .columns = image.columns, .pixels = {}};
  for (Index f = 0; f < W.rows(); ++f) picture.pixels.push_back(W(f, k));
  return picture;
}

Table error_table(const experiment::Recovery& recovery) {
  Table table{.name = "errors",
              .caption = "Error ||Vo − WH|| / ||Vo|| and PSNR on the clean data Vo: medians over the seeds",
              .columns = {"algorithm", "error", "least", "most", "PSNR (dB)"},
              .rows = {}};
  if (recovery.true_parts > 0) table.columns.push_back("parts of " + std::to_string(recovery.true_parts));
  for (std::size_t c = 0; c < recovery.contestants.size(); ++c) {
    const experiment::Spread error = error_spread(recovery, c);
    table.rows.push_back({recovery.contestants[c].label, error.median, error.least, error.most,
                          psnr_spread(recovery, c).median});
    if (recovery.true_parts > 0) table.rows.back().emplace_back(parts_spread(recovery, c).median);
  }
  return table;
}

// Of the first seed. The objectives of methods with and without outliers are different functions.
LineChart objective_chart(const experiment::Recovery& recovery) {
  const double entries = static_cast<double>(recovery.features) * static_cast<double>(recovery.samples);
  LineChart chart{
      .name = "objective",
      .caption = "Objective of the methods with outliers, with the first seed",
      .note =
          "1/2 ||V − WH − R||² + λ sum(R), each as far as it went; that of onmf has no R and is not shown.",
      .x_axes = history_axes(),
      .y_label = "objective",
      .log_y = true,
      .series = {}};
  for (const experiment::RecoveryRun& run : recovery.runs)
    if (run.seed == recovery.runs.front().seed && has_outliers(recovery.contestants[run.contestant].solver))
      chart.series.push_back(history_curve(recovery.contestants[run.contestant].label, run.history, entries,
                                           &EpochRecord::objective));
  return chart;
}

}  // namespace

Pictures basis_pictures(const experiment::Recovery& recovery, const ImageShape& image) {
  Pictures all{.name = "bases", .caption = "Bases", .note = "", .pictures = {}};
  for (std::size_t c = 0; c < std::min(experiment::faces_of_the_paper, recovery.bases.size()); ++c) {
    const RowMatrix<double>& W = recovery.bases[c];
    all.per_line = std::min(bases_shown, W.cols());
    for (Index k = 0; k < all.per_line; ++k) all.pictures.push_back(basis_picture(W, k, image));
  }
  return all;
}

Page faces_page(const experiment::Recovery& recovery, const FacesReportOptions& options) {
  Page page{.title = "Experiment 2: parts under outliers", .subtitle = options.data, .sections = {}};
  Section verdict{"Verdict", {}};
  for (const std::string& sentence : faces_verdict(recovery)) verdict.blocks.push_back(Paragraph{sentence});
  verdict.blocks.push_back(error_table(recovery));
  page.sections.push_back(std::move(verdict));
  if (options.image) {
    Section bases{"Bases", {}};
    for (std::size_t c = 0; c < recovery.bases.size(); ++c) {
      Pictures pictures{.name = "bases-" + std::to_string(c + 1),
                        .caption = recovery.contestants[c].label,
                        .note = "The heaviest components with the first seed.",
                        .pictures = {},
                        .per_line = 7};
      for (Index k = 0; k < std::min(bases_shown, recovery.bases[c].cols()); ++k)
        pictures.pictures.push_back(basis_picture(recovery.bases[c], k, *options.image));
      bases.blocks.push_back(std::move(pictures));
    }
    page.sections.push_back(std::move(bases));
  }
  page.sections.push_back({"Convergence", {objective_chart(recovery)}});
  Facts facts = options.facts;
  if (!options.command.empty()) facts.lines.insert(facts.lines.begin(), {"command", options.command});
  facts.lines.emplace_back("version", "svrmu " SVRMU_VERSION);
  page.sections.push_back({"What was done", {std::move(facts)}});
  return page;
}

}  // namespace svrmu::report
