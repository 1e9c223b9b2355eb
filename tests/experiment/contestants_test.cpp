#include <gmock/gmock.h>

#include "svrmu/error.hpp"
#include "svrmu/experiment/compare.hpp"

namespace svrmu::experiment {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> labels(const std::vector<Contestant>& contestants) {
  std::vector<std::string> list;
  for (const Contestant& contestant : contestants) list.push_back(contestant.label);
  return list;
}

std::string refusal(std::string_view text, const OptionValues& shared = {}) {
  try {
    parse_contestants(text, shared);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Contestants, OptionsBelongToTheNameBeforeThem) {
  const auto list = parse_contestants("smu,svrmu-acc:inner-passes=5,h_repeats=3,hals");
  EXPECT_THAT(labels(list), ElementsAre("smu", "svrmu-acc:inner-passes=5,h_repeats=3", "hals"));
  const auto& options = list[1].solver.get<SvrmuOptions>();
  EXPECT_EQ(options.inner_passes, 5);
  EXPECT_EQ(options.h_repeats, 3);
}

TEST(Contestants, PaperIsTheSevenMethodsAsTheAuthorRunsThem) {
  const auto list = parse_contestants("paper,hals");
  ASSERT_EQ(list.size(), 8U);
  EXPECT_THAT(labels(paper_contestants()),
              ElementsAre("inmf", "onmf", "asag-mu", "smu", "svrmu:inner-passes=5", "smu-acc",
                          "svrmu-acc:inner-passes=5"));
  EXPECT_EQ(list[6].solver.get<SvrmuOptions>().h_repeats, 5);
  EXPECT_EQ(list[6].solver.get<SvrmuOptions>().inner_passes, 5);
}

TEST(Contestants, SharedOptionsGoWhereTheyExistAndGiveWayToOwnOnes) {
  const auto list =
      parse_contestants("mu,smu,svrmu:batch-size=7", {{"batch_size", "30"}, {"safeguard", "false"}});
  EXPECT_EQ(list[1].solver.get<SmuOptions>().batch_size, 30);
  EXPECT_EQ(list[2].solver.get<SvrmuOptions>().batch_size, 7);
  EXPECT_FALSE(list[2].solver.get<SvrmuOptions>().safeguard);
  EXPECT_THAT(labels(list), ElementsAre("mu", "smu", "svrmu:batch-size=7"));
}

TEST(Contestants, WhatMakesNoSenseIsRefusedByName) {
  EXPECT_THAT(refusal(""), HasSubstr("a name is missing"));
  EXPECT_THAT(refusal("mu,,hals"), HasSubstr("a name is missing"));
  EXPECT_THAT(refusal("mu,"), HasSubstr("a name is missing"));
  EXPECT_THAT(refusal(":x=1"), HasSubstr("a name is missing"));
  EXPECT_THAT(refusal("smuu"), AllOf(HasSubstr("smuu"), HasSubstr("did you mean smu")));
  EXPECT_THAT(refusal("mu,mu"), HasSubstr("mu is named twice"));
  EXPECT_THAT(refusal("paper,smu"), HasSubstr("smu is named twice"));
  EXPECT_THAT(refusal("step=1,mu"), HasSubstr("option step=1 belongs to no algorithm"));
  EXPECT_THAT(refusal("smu,step=1"), HasSubstr("option step=1 belongs to no algorithm"));
  EXPECT_THAT(refusal("paper:step=1"), HasSubstr("paper stands for several"));
  EXPECT_THAT(refusal("mu:inner-passes=5"), HasSubstr("mu has no option inner_passes; it has exponent"));
  EXPECT_THAT(refusal("svrmu:inner-passes=-1"), HasSubstr("inner_passes"));
  EXPECT_THAT(refusal("svrmu:inner-passes=five"), HasSubstr("not a number"));
  EXPECT_THAT(refusal("svrmu:inner-passes"), HasSubstr("name=value"));
  EXPECT_THAT(refusal("svrmu:=5"), HasSubstr("name=value"));
  EXPECT_THAT(refusal("svrmu:inner-passes="), HasSubstr("name=value"));
  EXPECT_THAT(refusal("mu,hals", {{"batch_size", "10"}}),
              HasSubstr("none of these algorithms has the option batch_size"));
}

}  // namespace
}  // namespace svrmu::experiment
