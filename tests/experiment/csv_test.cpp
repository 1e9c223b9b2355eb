#include <gtest/gtest.h>

#include "made_comparisons.hpp"

namespace svrmu::experiment {
namespace {

TEST(Csv, HasOneLinePerEvaluation) {
  Comparison comparison = made_comparison("mu", 1, 2, 6);
  comparison.data = "V.npy";
  comparison.trials[0].seed = 7;
  comparison.runs.push_back({0, 0, StopReason::gradient_budget, made_history({{0, 12}, {6, 8.5}})});
  EXPECT_EQ(to_csv({comparison}),
            "data,algorithm,seed,epoch,gradient_counts,columns_read,solver_seconds,objective,gap\n"
            "V.npy,mu,7,0,0,0,0,12,10\n"
            "V.npy,mu,7,1,6,12,0.6,8.5,6.5\n");
}

TEST(Csv, GuardsFormulasAndQuotesWhatNeedsIt) {
  const auto first_cell = [](const std::string& name) {
    Comparison comparison = made_comparison("mu", 1, 0, 1);
    comparison.data = name;
    comparison.runs.push_back({0, 0, StopReason::gradient_budget, made_history({{1, 1}})});
    const std::string text = to_csv({comparison});
    const std::size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.rfind(",mu,") - begin);
  };
  EXPECT_EQ(first_cell("=1+1"), "'=1+1");
  EXPECT_EQ(first_cell("+x"), "'+x");
  EXPECT_EQ(first_cell("-x"), "'-x");
  EXPECT_EQ(first_cell("@x"), "'@x");
  EXPECT_EQ(first_cell("\tx"), "'\tx");
  EXPECT_EQ(first_cell("\rx"), "\"'\rx\"");
  EXPECT_EQ(first_cell("a=b"), "a=b");
  EXPECT_EQ(first_cell("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
  EXPECT_EQ(first_cell("=cmd(\"x\",1)"), "\"'=cmd(\"\"x\"\",1)\"");
}

}  // namespace
}  // namespace svrmu::experiment
