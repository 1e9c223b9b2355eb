#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svrmu/error.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/solvers.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

std::string value_of(const SolverOptions& solver, const std::string& name) {
  for (const OptionInfo& option : options_of(solver))
    if (option.name == name) return option.value;
  return "no such option";
}

TEST(Catalog, EveryNameResolvesToItsEntry) {
  for (const SolverInfo& info : catalog()) {
    const SolverOptions solver = solver_named(info.name);
    EXPECT_EQ(solver.name(), info.options.name()) << info.name;
    EXPECT_TRUE(info.name.starts_with(name_of(solver))) << info.name;
    EXPECT_FALSE(info.summary.empty()) << info.name;
  }
}

TEST(Catalog, HoldsEveryAlgorithmOfThePaper) {
  for (const char* name :
       {"mu",         "mu-acc",    "r-nmf",   "hals",        "hals-acc",   "smu",      "smu-acc",
        "svrmu",      "svrmu-acc", "r-svrmu", "r-svrmu-acc", "onmf",       "onmf-acc", "r-onmf",
        "r-onmf-acc", "inmf",      "asag-mu", "sag-mu",      "sag-mu-acc", "inc-mu",   "inc-mu-acc"})
    EXPECT_NO_THROW(solver_named(name)) << name;
}

TEST(Catalog, AcceleratedFormsMakeFiveHSteps) {
  for (const SolverInfo& info : catalog()) {
    if (value_of(info.options, "h_repeats") == "no such option") continue;
    EXPECT_EQ(value_of(info.options, "h_repeats"), info.name.ends_with("-acc") ? "5" : "1") << info.name;
  }
}

TEST(Catalog, DefaultsAreWithinTheirRanges) {
  for (const SolverInfo& info : catalog()) EXPECT_NO_THROW(check_ranges(info.options)) << info.name;
}

TEST(Catalog, AnUnknownNameSuggestsTheNearest) {
  EXPECT_THAT([] { solver_named("svrmuu"); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("'svrmuu'"), HasSubstr("did you mean svrmu?"))));
  EXPECT_THAT([] { solver_named("hals_acc"); },
              ThrowsMessage<InvalidInput>(HasSubstr("did you mean hals-acc?")));
}

TEST(Catalog, ANameLikeNoneListsAll) {
  EXPECT_THAT([] { solver_named("gradient-boosting"); },
              ThrowsMessage<InvalidInput>(
                  AllOf(Not(HasSubstr("did you mean")), HasSubstr("mu, mu-acc"), HasSubstr("inc-mu-acc"))));
}

// A value of the option's type that is not its default.
std::vector<std::string> other_values(const OptionInfo& option) {
  if (option.type == "boolean") return {"true", "false"};
  if (option.type == "choice") return option.choices;
  if (option.type == "integer") return {"3", "17"};
  if (option.least > 0.125) return {"0.75", "0.625"};
  if (option.name == "step_decay_power") return {"0.75", "0.625"};  // above 1/2
  return {"0.25", "0.125"};
}

TEST(Options, EveryOptionOfEverySolverRoundTrips) {
  for (const SolverInfo& info : catalog())
    for (const OptionInfo& option : options_of(info.options))
      for (const std::string& value : other_values(option)) {
        SolverOptions solver = info.options;
        set_option(solver, option.name, value);
        EXPECT_EQ(value_of(solver, option.name), value) << info.name << " " << option.name;
        for (const OptionInfo& other : options_of(info.options))
          if (other.name != option.name) {
            EXPECT_EQ(value_of(solver, other.name), other.value);
          }
      }
}

TEST(Options, TheirPresentValuesCanBeSetAgain) {
  for (const SolverInfo& info : catalog()) {
    SolverOptions solver = info.options;
    for (const OptionInfo& option : options_of(info.options)) {
      EXPECT_NO_THROW(set_option(solver, option.name, option.value)) << info.name << " " << option.name;
      EXPECT_EQ(value_of(solver, option.name), option.value) << info.name << " " << option.name;
    }
  }
}

TEST(Options, EveryOptionSaysWhatItIs) {
  for (const SolverInfo& info : catalog())
    for (const OptionInfo& option : options_of(info.options)) {
      EXPECT_FALSE(option.help.empty()) << info.name << " " << option.name;
      EXPECT_EQ(option.type == "choice", !option.choices.empty()) << info.name << " " << option.name;
      EXPECT_LE(option.least, option.most);
    }
}

TEST(Options, ValuesOutsideTheirRangeAreRefusedByName) {
  for (const SolverInfo& info : catalog())
    for (const OptionInfo& option : options_of(info.options)) {
      if (option.type != "integer" && option.type != "number") continue;
      for (const double value : {option.most * 2, option.least > 0 ? -option.least : -1 - option.least}) {
        SolverOptions solver = info.options;
        EXPECT_THAT([&] { set_option(solver, option.name, number_text(value)); },
                    ThrowsMessage<InvalidInput>(AllOf(HasSubstr(option.name), HasSubstr("must"))))
            << info.name << " " << option.name << " " << value;
        EXPECT_EQ(value_of(solver, option.name), option.value);
      }
    }
}

TEST(Options, RangesAreCheckedInTheStructToo) {
  EXPECT_THAT([] { check_ranges(SvrmuOptions{.step = 1.5}); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("step of svrmu"), HasSubstr("1.5"))));
  EXPECT_THAT([] { check_ranges(SmuOptions{.batch_size = -1}); },
              ThrowsMessage<InvalidInput>(HasSubstr("batch_size of smu")));
  EXPECT_THAT([] { check_ranges(RNmfOptions{.outlier_penalty = 0}); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("outlier_penalty"), HasSubstr("above 0"))));
  EXPECT_THROW(check_ranges(InmfOptions{.past_weight = std::numeric_limits<double>::quiet_NaN()}),
               InvalidInput);
}

TEST(Options, UnknownOptionsAreRefusedByName) {
  for (const SolverInfo& info : catalog()) {
    SolverOptions solver = info.options;
    EXPECT_THAT([&] { set_option(solver, "colour", "red"); },
                ThrowsMessage<InvalidInput>(
                    AllOf(HasSubstr(std::string(name_of(solver))), HasSubstr("no option colour"))))
        << info.name;
  }
}

TEST(Options, AMisspeltOptionSuggestsTheNearest) {
  SolverOptions solver = SvrmuOptions{};
  EXPECT_THAT([&] { set_option(solver, "batchsize", "4"); },
              ThrowsMessage<InvalidInput>(HasSubstr("did you mean batch_size?")));
}

TEST(Options, DashesAreAsGoodAsUnderscores) {
  SolverOptions solver = SvrmuOptions{};
  set_option(solver, "batch-size", "12");
  set_option(solver, "order", "with-replacement");
  EXPECT_EQ(solver.get<SvrmuOptions>().batch_size, 12);
  EXPECT_EQ(solver.get<SvrmuOptions>().order, Order::with_replacement);
}

TEST(Options, TextThatIsNoNumberIsRefused) {
  for (const char* text : {"", "five", "5x", "nan", "inf", " 5"}) {
    SolverOptions solver = SvrmuOptions{};
    EXPECT_THAT([&] { set_option(solver, "step", text); },
                ThrowsMessage<InvalidInput>(AllOf(HasSubstr("step of svrmu"), HasSubstr("not a number"))))
        << text;
  }
}

TEST(Options, PartsOfANumberOfColumnsAreRefused) {
  SolverOptions solver = SvrmuOptions{};
  EXPECT_THAT([&] { set_option(solver, "batch_size", "2.5"); },
              ThrowsMessage<InvalidInput>(HasSubstr("whole number")));
}

TEST(Options, AnUnknownChoiceListsAll) {
  SolverOptions solver = SvrmuOptions{};
  EXPECT_THAT([&] { set_option(solver, "order", "random"); },
              ThrowsMessage<InvalidInput>(AllOf(HasSubstr("'random'"), HasSubstr("cyclic, permute_once"))));
}

TEST(Options, BooleansAreTrueOrFalse) {
  SolverOptions solver = SvrmuOptions{};
  set_option(solver, "safeguard", "off");
  EXPECT_FALSE(solver.get<SvrmuOptions>().safeguard);
  set_option(solver, "safeguard", "on");
  EXPECT_TRUE(solver.get<SvrmuOptions>().safeguard);
  EXPECT_THAT([&] { set_option(solver, "safeguard", "maybe"); },
              ThrowsMessage<InvalidInput>(HasSubstr("true or false")));
}

TEST(Options, TheOutlierPenaltyCanBeLeftToTheLibrary) {
  SolverOptions solver = RSvrmuOptions{.outlier_penalty = 2};
  set_option(solver, "outlier_penalty", "automatic");
  EXPECT_FALSE(solver.get<RSvrmuOptions>().outlier_penalty.has_value());
}

TEST(LossNames, ParseToTheirBeta) {
  EXPECT_EQ(parse_loss("frobenius"), Loss::frobenius());
  EXPECT_EQ(parse_loss("kl"), Loss::kullback_leibler());
  EXPECT_EQ(parse_loss("is"), Loss::itakura_saito());
  EXPECT_EQ(parse_loss("beta:0.5"), Loss::beta_divergence(0.5));
  EXPECT_EQ(parse_loss("beta:-1"), Loss::beta_divergence(-1));
}

TEST(LossNames, RoundTrip) {
  for (const double beta : {-1.0, 0.0, 0.1, 0.5, 1.0, 1.5, 2.0, 3.25})
    EXPECT_EQ(parse_loss(to_string(Loss{beta})), Loss{beta});
}

TEST(LossNames, NamedBetasAreNamed) {
  EXPECT_EQ(to_string(parse_loss("beta:2")), "frobenius");
  EXPECT_EQ(to_string(parse_loss("beta:1")), "kl");
  EXPECT_EQ(to_string(parse_loss("beta:0")), "is");
  EXPECT_EQ(to_string(Loss{0.5}), "beta:0.5");
}

TEST(LossNames, OthersAreRefused) {
  for (const char* text : {"", "euclid", "beta:", "beta:x", "beta:nan", "KL"})
    EXPECT_THROW(parse_loss(text), InvalidInput) << text;
}

}  // namespace
}  // namespace svrmu
