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
  const auto pictures = blocks<Pictures>(page);
  ASSERT_EQ(pictures.size(), 6U);
  EXPECT_EQ(pictures[3].caption, "r-svrmu-acc:inner-passes=5");
  ASSERT_EQ(pictures[3].pictures.size(), 3U);
  EXPECT_EQ(pictures[3].pictures[1].pixels[5], recovery.bases[3](5, 1));
  EXPECT_EQ(blocks<Pictures>(faces_page(recovery, {})).size(), 0U);
  EXPECT_EQ(blocks<LineChart>(page)[0].series.size(), 5U);
}

TEST(BasisPictures, HaveALineForEachOfThePapersMethods) {
  const Pictures pictures = basis_pictures(recovered(), {32, 32});
  EXPECT_EQ(pictures.per_line, 3);
  EXPECT_EQ(pictures.pictures.size(), 12U);
  const auto files = figures({.title = "", .subtitle = "", .sections = {{"", {pictures}}}});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_THAT(files[0].bytes, ::testing::StartsWith("\x89PNG"));
}

}  // namespace
}  // namespace svrmu::report
