#include <gmock/gmock.h>

#include "svrmu/report/experiment_pages.hpp"

namespace svrmu::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

EpochRecord report_at(double counts, double objective) {
  EpochRecord report;
  report.gradient_count = counts * 200;
  report.columns_read = static_cast<Index>(counts * 40);
  report.solver_seconds = counts / 10;
  report.objective = objective;
  return report;
}

// 10 x 20, two seeds; the second seed's runs take the same steps from one higher.
experiment::Comparison made(std::string_view contestants) {
  experiment::Comparison comparison;
  comparison.data = "V.npy";
  comparison.features = 10;
  comparison.samples = 20;
  comparison.budget.gradient_counts = 2;
  comparison.contestants = experiment::parse_contestants(contestants);
  for (const std::size_t trial : {0U, 1U}) {
    comparison.trials.push_back({trial, 1, "reference"});
    for (std::size_t c = 0; c < comparison.contestants.size(); ++c) {
      const double height = static_cast<double>(c + trial);
      comparison.runs.push_back(
          {c,
           trial,
           StopReason::gradient_budget,
           {report_at(0, 10 + height), report_at(1, 5 + height), report_at(2, 3 + height)}});
    }
  }
  return comparison;
}

template <class Wanted>
std::vector<Wanted> blocks(const Page& page) {
  std::vector<Wanted> found;
  for (const Section& section : page.sections)
    for (const Block& block : section.blocks)
      if (const auto* wanted = std::get_if<Wanted>(&block)) found.push_back(*wanted);
  return found;
}

TEST(ComparisonPage, CurvesAreMediansOnEveryAxis) {
  const Page page = comparison_page(made("mu,hals"), "svrmu compare V.npy");
  const auto charts = blocks<LineChart>(page);
  ASSERT_EQ(charts.size(), 1U);
  EXPECT_THAT(charts[0].x_axes, ElementsAre("gradient counts", "passes over V", "seconds in the solver"));
  ASSERT_EQ(charts[0].series.size(), 2U);
  EXPECT_THAT(charts[0].series[0].y, ElementsAre(9.5, 4.5, 2.5));
  EXPECT_THAT(charts[0].series[0].x[0], ElementsAre(0, 1, 2));
  EXPECT_THAT(charts[0].series[0].x[1], ElementsAre(0, 2, 4));
  EXPECT_THAT(charts[0].series[0].x[2], ElementsAre(0, 0.1, 0.2));
}

TEST(ComparisonPage, TablesPutTheLowestFirst) {
  const auto tables = blocks<Table>(comparison_page(made("mu,hals"), ""));
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(std::get<std::string>(tables[0].rows[0][0]), "mu");
  EXPECT_EQ(std::get<double>(tables[0].rows[0][5]), 2.5);
  EXPECT_EQ(std::get<double>(tables[0].rows[0][6]), 2);
  EXPECT_EQ(std::get<double>(tables[0].rows[0][7]), 3);
}

TEST(ComparisonPage, NamesAreShownAsText) {
  experiment::Comparison comparison = made("mu");
  comparison.data = "<script>alert(1)</script>";
  const std::string page = html(comparison_page(comparison, "svrmu '<img src=x>'"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x>")));
}

TEST(SyntheticPage, HasTheVerdictOfEachKindOfData) {
  experiment::Comparison comparison = made("paper,mu");
  comparison.data = "lowrank-scaled";
  const Page page = synthetic_page({comparison}, "");
  const auto sentences = blocks<Paragraph>(page);
  const auto verdict = synthetic_verdict(comparison);
  ASSERT_EQ(sentences.size(), verdict.size());
  EXPECT_EQ(sentences[1].text, verdict[1]);
  EXPECT_EQ(blocks<LineChart>(page)[0].series.size(), 7U);
  EXPECT_EQ(blocks<LineChart>(page)[1].series.size(), 8U);
}

TEST(SyntheticPage, HasBothPanelsOfFigure1UnderThePapersNames) {
  experiment::Comparison comparison = made("paper,mu");
  comparison.data = "lowrank-scaled";
  // The first of the paper's methods to end does so at 0.8 s; the last goes on to 1.6 s. mu does not count.
  for (experiment::ComparisonRun& run : comparison.runs) {
    const double pace = run.contestant == 7 ? 0.01 : run.contestant == 3 ? 0.4 : 0.8;
    for (EpochRecord& record : run.history) record.solver_seconds = pace * record.gradient_count / 200;
    run.history.insert(run.history.begin() + 1, report_at(0.25, 9));
    run.history[1].solver_seconds = 0.25 * pace;
  }
  const Page page = synthetic_page({comparison}, "");
  const auto figures_1 = blocks<LineCharts>(page);
  ASSERT_EQ(figures_1.size(), 1U);
  ASSERT_EQ(figures_1[0].charts.size(), 2U);
  const LineChart& a = figures_1[0].charts[0];
  const LineChart& b = figures_1[0].charts[1];
  EXPECT_EQ(a.caption, "(a) Number of gradient counts v.s. optimality gap");
  EXPECT_EQ(b.caption, "(b) Time v.s. optimality gap (enlarged)");
  EXPECT_THAT(a.x_axes, ElementsAre("gradient counts"));
  EXPECT_THAT(b.x_axes, ElementsAre("seconds in the solver"));
  std::vector<std::string> names;
  for (const LineChart::Series& series : b.series) names.push_back(series.name);
  EXPECT_THAT(names, ElementsAre("INMF", "ONMF", "ASAG-MU", "SMU", "SVRMU", "SMU-ACC", "SVRMU-ACC"));
  EXPECT_THAT(a.series[0].x[0], ElementsAre(0, 0.25, 1, 2));
  EXPECT_THAT(b.series[0].x[0], ElementsAre(0, 0.2)) << "the first quarter of 0.8 s";
  EXPECT_THAT(b.series[3].x[0], ElementsAre(0, 0.1));
  EXPECT_EQ(b.series[0].y.size(), 2U);
  const std::string text = html(page);
  EXPECT_THAT(text, HasSubstr("side-by-side"));
  EXPECT_THAT(text, HasSubstr("SVRMU-ACC"));
  std::vector<std::string> files;
  for (const FigureFile& file : figures(page)) files.push_back(file.name);
  EXPECT_THAT(files,
              ::testing::IsSupersetOf({"figure-1a-lowrank-scaled.svg", "figure-1b-lowrank-scaled.svg"}));
}

experiment::Recovery recovered() {
  const Generated<double> swimmers = generate<double>(DataKind::swimmer);
  experiment::RecoveryOptions options;
  options.rank = 3;
  options.gradient_counts = 1;
  options.seeds = {0};
  return recover(experiment::scaled_to(swimmers.V.leftCols(30), 50), experiment::faces_contestants(10, 1),
                 options);
}

TEST(FacesPage, ShowsTheBasesOfEveryMethod) {
  const experiment::Recovery recovery = recovered();
  const Page page = faces_page(recovery, {.data = "swimmer", .image = ImageShape{32, 32}});
  EXPECT_EQ(blocks<PicturePanels>(page).size(), 1U);
  const auto others = blocks<Pictures>(page);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[1].caption, "r-svrmu");
  EXPECT_EQ(blocks<PicturePanels>(faces_page(recovery, {})).size(), 0U);
  EXPECT_EQ(blocks<LineChart>(page)[0].series.size(), 5U);
  const auto tables = blocks<Table>(page);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(std::get<double>(tables[0].rows[3][5]), alike_spread(recovery, 3, 0).median);
  EXPECT_EQ(std::get<double>(tables[0].rows[3][6]), clean_spread(recovery, 3).median);
  EXPECT_EQ(std::get<double>(tables[0].rows[3][7]), start_spread(recovery, 3).median);
}

TEST(BasisPanels, AreThoseOfThePapersFigure2) {
  const experiment::Recovery recovery = recovered();
  const PicturePanels panels = basis_panels(recovery, {32, 32});
  std::vector<std::string> captions;
  for (const Pictures& pictures : panels.panels) captions.push_back(pictures.caption);
  EXPECT_THAT(captions, ElementsAre("(a) R-NMF (batch)", "(b) ONMF", "(c) R-ONMF", "(d) R-SVRMU (proposed)"));
  ASSERT_EQ(panels.panels[3].pictures.size(), 3U);
  EXPECT_EQ(panels.panels[3].per_line, 7);
  EXPECT_EQ(panels.panels[3].pictures[1].pixels[5], first_bases(recovery, 3)(5, 1));
  EXPECT_THAT(panels.panels[3].note, HasSubstr("r-svrmu-acc:inner-passes=5"));
  const auto files = figures({.title = "", .subtitle = "", .sections = {{"", {panels}}}});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "figure-2.png");
  EXPECT_THAT(files[0].bytes, ::testing::StartsWith("\x89PNG"));
  EXPECT_EQ(files[1].name, "figure-2.svg");
  for (const std::string& caption : captions) EXPECT_THAT(files[1].bytes, HasSubstr(caption));
}

}  // namespace
}  // namespace svrmu::report
