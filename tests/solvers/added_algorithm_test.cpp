// An algorithm that is not in the library's list, written as docs/adding_an_algorithm.md says: one struct of
// options, one solver, one description. Everything else comes by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.hpp"
#include "solvers/algorithm.hpp"
#include "svrmu/svrmu.hpp"

namespace svrmu {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Multiplicative updates from an average of the sums of all epochs.
struct ToyOptions {
  Index batch_size = 0;
  Order order = Order::permute_once;
  bool safeguard = true;
  double memory = 0.5;

  static constexpr std::string_view name = "toy";
  static constexpr auto fields() {
    using O = ToyOptions;
    return std::tuple_cat(fields::batches<O>(),
                          std::tuple{Field<O, double>{"memory", &O::memory, 0, 0.99, "weight of the past"}});
  }
};

template <class Scalar>
class Toy final : public Solver<Scalar> {
 public:
  Toy(const ToyOptions& options, const DataTerm<Scalar>& term)
      : options_(options), term_(term), step_(term_, Repeats{}) {}

  Descent descent() const override { return Descent::wandering; }
  void forget(ColumnFeed<Scalar>&, const Factors<Scalar>& f) override {
    past_.reset(term_, f.W.rows(), f.W.cols());
  }
  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, const EpochContext<Scalar>& context) override {
    for (const Batch<Scalar>& v : feed.batches(options_.batch_size, options_.order)) {
      step_.move_h(feed, v, f);
      const bool learn = step_.gather_sums(feed, v, f);
      past_.blend(options_.memory, step_.sums, 1);
      if (learn) multiply_by_ratio(f.W, past_, term_.on_w, context.step.next(), 1);
    }
  }
  void visit_state(StateVisitor<Scalar>& visit) override {
    visit("A", past_.up);
    visit("B", past_.HHt);
  }

 private:
  ToyOptions options_;
  DataTerm<Scalar> term_;
  BatchStep<Scalar> step_;
  Sums<Scalar> past_;
};

class ToyAlgorithm final : public AlgorithmOf<ToyOptions, Construct<Toy>> {
 public:
  std::vector<SolverInfo> entries() const override { return {{"toy", "a toy", ToyOptions{}}}; }
  Traits traits() const override { return {}; }

 protected:
  void check(const ToyOptions& o, const Request&) const override {
    if (o.memory > 0 && o.order == Order::cyclic) throw InvalidInput("memory is of no use with order cyclic");
  }
  std::vector<StatePart> state(const ToyOptions&, const StateFacts& at) const override {
    return {state_matrix("A", at.F, at.K), state_matrix("B", at.K, at.K)};
  }
};

class AddedToy : public testing::Test {
 protected:
  ToyAlgorithm algorithm;
  AddedAlgorithm added{algorithm};
  Matrix<double> V = noisy(12, 400, 3);
};

TEST_F(AddedToy, IsInTheCatalogAndHasItsOptionsByName) {
  EXPECT_EQ(catalog().back().name, "toy");
  SolverOptions solver = solver_named("toy");
  set_option(solver, "memory", "0.25");
  EXPECT_EQ(solver.get<ToyOptions>().memory, 0.25);
  EXPECT_THAT([&] { set_option(solver, "memory", "2"); },
              ThrowsMessage<InvalidInput>(HasSubstr("option memory of toy is 2")));
}

TEST_F(AddedToy, FitsWithTheSafeguardAndItsAutomaticChoices) {
  const auto result = fit(*view(V), ToyOptions{}, FitOptions<double>{.rank = 3});
  EXPECT_EQ(result.solver.get<ToyOptions>().batch_size, 256);
  EXPECT_LT(result.record().objective, 0.5 * result.history.front().objective);
}

TEST_F(AddedToy, ResumesWithTheSameBits) {
  FitOptions<double> options{.rank = 3};
  options.stopping = {.max_epochs = 6, .relative_change = 0};
  const auto whole = fit(*view(V), ToyOptions{}, options);
  options.stopping.max_epochs = 2;
  const auto part = fit(*view(V), ToyOptions{}, options);
  options.stopping.max_epochs = 6;
  const auto resumed = resume(*view(V), part, options);
  EXPECT_EQ(whole.W, resumed.W);
  EXPECT_EQ(whole.H, resumed.H);
}

TEST_F(AddedToy, IsRefusedWhereItSaysSoOrItsTraitsDo) {
  FitOptions<double> options{.rank = 3};
  EXPECT_THAT([&] { fit(*view(V), ToyOptions{.order = Order::cyclic}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("memory is of no use")));
  options.loss = Loss::kullback_leibler();
  EXPECT_THAT([&] { fit(*view(V), ToyOptions{}, options); },
              ThrowsMessage<InvalidInput>(HasSubstr("toy knows only the frobenius loss")));
}

TEST_F(AddedToy, IsPlannedWithItsMemory) {
  EXPECT_GT(plan_fit(*view(V), ToyOptions{}, FitOptions<double>{.rank = 3}).bytes, 400 * 3 * 8);
}

TEST(AddedAlgorithm, LeavesTheCatalogWithItsScope) {
  const std::size_t before = catalog().size();
  {
    const ToyAlgorithm algorithm;
    const AddedAlgorithm added(algorithm);
    EXPECT_EQ(catalog().size(), before + 1);
  }
  EXPECT_EQ(catalog().size(), before);
  EXPECT_THROW(solver_named("toy"), InvalidInput);
}

}  // namespace
}  // namespace svrmu
