#include <algorithm>
#include <cmath>

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

Pictures basis_pictures(const experiment::Recovery& recovery, std::size_t contestant,
                        const std::string& caption, const ImageShape& image) {
  const RowMatrix<double>& W = first_bases(recovery, contestant);
  Pictures pictures{.name = "bases-" + std::to_string(contestant + 1),
                    .caption = caption,
                    .note = recovery.contestants[contestant].label + ": the heaviest components, first seed",
                    .pictures = {},
                    .per_line = 7};
  for (Index k = 0; k < std::min(bases_shown, W.cols()); ++k)
    pictures.pictures.push_back(basis_picture(W, k, image));
  return pictures;
}

Cell cosine_cell(const experiment::Spread& spread) {
  return std::isnan(spread.median) ? Cell("–") : Cell(spread.median);
}

Table error_table(const experiment::Recovery& recovery) {
  Table table{.name = "errors",
              .caption =
                  "Error ||Vo − WH|| / ||Vo|| and PSNR on the clean data Vo, and the matched centered "
                  "cosine of the bases with those of others: medians over the seeds",
              .columns = {"algorithm", "error", "least", "most", "PSNR (dB)", "with r-nmf", "with clean data",
                          "with the start"},
              .rows = {}};
  if (recovery.true_parts > 0) table.columns.push_back("parts of " + std::to_string(recovery.true_parts));
  for (std::size_t c = 0; c < recovery.contestants.size(); ++c) {
    const experiment::Spread error = error_spread(recovery, c);
    table.rows.push_back({recovery.contestants[c].label, error.median, error.least, error.most,
                          psnr_spread(recovery, c).median, cosine_cell(alike_spread(recovery, c, 0)),
                          cosine_cell(clean_spread(recovery, c)), cosine_cell(start_spread(recovery, c))});
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

PicturePanels basis_panels(const experiment::Recovery& recovery, const ImageShape& image) {
  constexpr std::array<const char*, experiment::faces_of_the_paper> names = {
      "(a) R-NMF (batch)", "(b) ONMF", "(c) R-ONMF", "(d) R-SVRMU (proposed)"};
  PicturePanels all{
      .name = "figure-2", .caption = "Figure 2: basis representations", .note = "", .panels = {}};
  for (std::size_t c = 0; c < names.size(); ++c)
    all.panels.push_back(basis_pictures(recovery, c, names[c], image));
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
    bases.blocks.push_back(basis_panels(recovery, *options.image));
    for (std::size_t c = experiment::faces_of_the_paper; c < recovery.contestants.size(); ++c)
      bases.blocks.push_back(basis_pictures(recovery, c, recovery.contestants[c].label, *options.image));
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
