#include "data/feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/factors.hpp"

namespace svrmu {
namespace {

using testing::ElementsAre;

Matrix<double> numbered(Index features, Index samples) {
  Matrix<double> V(features, samples);
  for (Index n = 0; n < samples; ++n)
    for (Index f = 0; f < features; ++f) V(f, n) = static_cast<double>(100 * n + f);
  return V;
}

// One member of a team whose members all hold the same numbers.
class EqualMembers : public Team {
 public:
  explicit EqualMembers(int member, int size) : member_(member), size_(size) {}
  int member() const override { return member_; }
  int size() const override { return size_; }
  void sum(std::span<double> values) const override {
    for (double& x : values) x *= size_;
    ++exchanges;
  }
  void sum(std::span<float> values) const override {
    for (float& x : values) x *= static_cast<float>(size_);
    ++exchanges;
  }

  mutable int exchanges = 0;

 private:
  int member_;
  int size_;
};

class Feed : public testing::Test {
 protected:
  const Matrix<double> V = numbered(3, 10);
  const std::unique_ptr<MatrixSource<double>> source = view(V);
  const Team alone{};
  bool stop = false;
  ColumnFeed<double> feed{*source, alone, 5, 1.0, [this] { return stop; }};

  template <class Pass>
  static std::vector<Index> totals(Pass pass) {
    std::vector<Index> list;
    for (const Batch<double>& v : pass) list.push_back(v.total);
    return list;
  }
};

TEST_F(Feed, BatchesHaveTheSizeThatWasAskedFor) {
  EXPECT_THAT(totals(feed.batches(4, Order::permute_once)), ElementsAre(4, 4, 2));
}

TEST_F(Feed, BatchesLargerThanVHoldAllOfV) {
  EXPECT_THAT(totals(feed.batches(400, Order::reshuffle)), ElementsAre(10));
}

TEST_F(Feed, ColumnsAndSamplesOfABatchBelongTogether) {
  for (const Order order : {Order::cyclic, Order::permute_once, Order::reshuffle, Order::with_replacement})
    for (const Batch<double>& v : feed.batches(3, order)) {
      const auto& data = std::get<DenseColumns<double>>(v.data);
      EXPECT_EQ(v.features, 3);
      for (Index j = 0; j < v.count; ++j)
        EXPECT_EQ(data.data[v.column(j) * data.column_stride], 100 * static_cast<double>(v.sample(j)));
    }
}

TEST_F(Feed, EveryBatchCarriesTheScale) {
  ColumnFeed<double> scaled(*source, alone, 5, 0.25, {});
  for (const Batch<double>& v : scaled.batches(4, Order::cyclic)) EXPECT_EQ(v.scale, 0.25);
}

TEST_F(Feed, WeightsAppearOnlyWhenDrawingWithReplacement) {
  for (const Batch<double>& v : feed.batches(4, Order::reshuffle)) EXPECT_TRUE(v.weights.empty());
  for (const Batch<double>& v : feed.batches(4, Order::with_replacement)) {
    double times = 0;
    for (const double w : v.weights) times += w;
    EXPECT_EQ(times, static_cast<double>(v.total));
    EXPECT_EQ(static_cast<Index>(v.weights.size()), v.count);
  }
}

TEST_F(Feed, APassCountsItsColumnsAndEntries) {
  totals(feed.batches(4, Order::cyclic));
  EXPECT_EQ(feed.columns_read(), 10);
  EXPECT_EQ(feed.gradient_count(), 30);
}

TEST_F(Feed, APassThatFeedsNoGradientCountsItsColumnsOnly) {
  totals(feed.blocks(Counted::columns));
  EXPECT_EQ(feed.columns_read(), 10);
  EXPECT_EQ(feed.gradient_count(), 0);
  totals(feed.columns({1, 4, 5}));
  EXPECT_EQ(feed.columns_read(), 13);
  EXPECT_EQ(feed.gradient_count(), 0);
}

TEST_F(Feed, APassThatRepeatsWorkCountsNothing) {
  totals(feed.blocks(Counted::nothing));
  totals(feed.columns({1, 4, 5}, Counted::nothing));
  EXPECT_EQ(feed.columns_read(), 0);
  EXPECT_EQ(feed.gradient_count(), 0);
}

TEST_F(Feed, AColumnDrawnTwiceIsReadOnceAndCountsTwiceInTheGradient) {
  Index served = 0;
  for (const auto& v : feed.batches(10, Order::with_replacement)) served += v.count;
  EXPECT_LT(served, 10);
  EXPECT_EQ(feed.columns_read(), served);
  EXPECT_EQ(feed.gradient_count(), 30);
}

TEST_F(Feed, WorkDoneElsewhereCanBeCounted) {
  feed.count_gradient(7);
  EXPECT_EQ(feed.gradient_count(), 21);
  EXPECT_EQ(feed.columns_read(), 0);
}

TEST_F(Feed, CountsCanBeRestored) {
  feed.set_counts(123, 45);
  totals(feed.batches(5, Order::cyclic));
  EXPECT_EQ(feed.gradient_count(), 153);
  EXPECT_EQ(feed.columns_read(), 55);
}

TEST_F(Feed, BlocksCoverVInStorageOrder) {
  Index next = 0;
  for (const Batch<double>& v : feed.blocks()) {
    EXPECT_TRUE(v.list.empty());
    for (Index j = 0; j < v.count; ++j) EXPECT_EQ(v.sample(j), next++);
  }
  EXPECT_EQ(next, 10);
}

TEST_F(Feed, BlocksOfTallMatricesAreNarrowAndNeverBelow64) {
  const Matrix<float> flat(1, 1);
  const Matrix<float> tall(1 << 20, 1);
  EXPECT_EQ(ColumnFeed<float>(*view(flat), alone, 0, 1, {}).block_size(), 2048);
  EXPECT_EQ(ColumnFeed<float>(*view(tall), alone, 0, 1, {}).block_size(), 64);
}

TEST_F(Feed, BlocksOfSparseMatricesFollowTheirEntries) {
  SparseMatrix<float> sparse(1 << 20, 4);
  for (Index j = 0; j < 4; ++j)
    for (Index i = 0; i < 1024; ++i) sparse.insert(i, j) = 1;
  sparse.makeCompressed();
  EXPECT_EQ(ColumnFeed<float>(*view(sparse), alone, 0, 1, {}).block_size(), 256);
  const SparseMatrix<float> empty(1 << 20, 4);
  EXPECT_EQ(ColumnFeed<float>(*view(empty), alone, 0, 1, {}).block_size(), 2048);
}

TEST_F(Feed, AnInterruptionEndsThePassBeforeTheNextBatch) {
  int batches = 0;
  for (const Batch<double>& v : feed.batches(2, Order::cyclic)) {
    EXPECT_EQ(v.count, 2);
    if (++batches == 3) stop = true;
  }
  EXPECT_EQ(batches, 3);
  EXPECT_TRUE(feed.interrupted());
  EXPECT_EQ(feed.columns_read(), 6);
}

TEST_F(Feed, AnInterruptedFeedStartsNoOtherPass) {
  stop = true;
  EXPECT_THAT(totals(feed.batches(2, Order::cyclic)), ElementsAre());
  stop = false;
  EXPECT_THAT(totals(feed.batches(2, Order::cyclic)), ElementsAre());
}

TEST_F(Feed, ANewEpochForgetsTheInterruption) {
  stop = true;
  totals(feed.batches(2, Order::cyclic));
  stop = false;
  feed.begin_epoch(2);
  EXPECT_FALSE(feed.interrupted());
  EXPECT_THAT(totals(feed.batches(5, Order::cyclic)), ElementsAre(5, 5));
}

TEST_F(Feed, PassesOfOneEpochAreReshuffledApartAndRepeatable) {
  const auto samples = [&] {
    std::vector<Index> list;
    for (const Batch<double>& v : feed.batches(10, Order::reshuffle))
      for (Index j = 0; j < v.count; ++j) list.push_back(v.sample(j));
    return list;
  };
  feed.begin_epoch(1);
  const auto first = samples();
  const auto second = samples();
  EXPECT_NE(first, second);
  feed.begin_epoch(1);
  EXPECT_EQ(samples(), first);
}

// The samples of the batches that an epoch sees, one list after the other.
template <class Pass>
std::vector<Index> samples_of(Pass pass) {
  std::vector<Index> list;
  for (const Batch<double>& v : pass)
    for (Index j = 0; j < v.count; ++j) list.push_back(v.sample(j));
  return list;
}

TEST_F(Feed, StepsGoOnWhereTheLastEpochEnded) {
  feed.begin_epoch(1);
  EXPECT_THAT(samples_of(feed.steps(2, 4, Order::cyclic)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  feed.begin_epoch(2);
  EXPECT_THAT(samples_of(feed.steps(2, 4, Order::cyclic)), ElementsAre(8, 9, 0, 1, 2, 3));
  feed.begin_epoch(3);
  EXPECT_THAT(samples_of(feed.steps(2, 4, Order::cyclic)), ElementsAre(4, 5, 6, 7, 8, 9));
}

TEST_F(Feed, StepsOfAnEpochDoNotDependOnThoseBefore) {
  for (const Order order : {Order::cyclic, Order::permute_once, Order::reshuffle, Order::with_replacement}) {
    ColumnFeed<double> other(*source, alone, 5, 1.0, {});
    for (Index epoch = 1; epoch <= 7; ++epoch) {
      feed.begin_epoch(epoch);
      samples_of(feed.steps(5, 3, order));
    }
    feed.begin_epoch(8);
    other.begin_epoch(8);
    EXPECT_EQ(samples_of(feed.steps(5, 3, order)), samples_of(other.steps(5, 3, order)));
  }
}

TEST_F(Feed, AsManyStepsAsBatchesAreOnePass) {
  for (const Order order : {Order::cyclic, Order::permute_once, Order::reshuffle, Order::with_replacement})
    for (Index epoch = 1; epoch <= 3; ++epoch) {
      feed.begin_epoch(epoch);
      EXPECT_EQ(samples_of(feed.steps(4, 3, order)), samples_of(feed.batches(3, order)));
    }
}

TEST_F(Feed, FewStepsSeeEveryColumnEquallyOften) {
  for (const Order order : {Order::cyclic, Order::permute_once, Order::reshuffle}) {
    std::vector<int> seen(10, 0);
    for (Index epoch = 1; epoch <= 10; ++epoch) {  // 10 epochs of 1 step are 2 passes of 5 batches
      feed.begin_epoch(epoch);
      for (const Index n : samples_of(feed.steps(1, 2, order))) ++seen[static_cast<std::size_t>(n)];
    }
    EXPECT_THAT(seen, testing::Each(2));
  }
}

TEST_F(Feed, StepsReadAndCountOnlyWhatTheyUse) {
  feed.begin_epoch(2);
  EXPECT_THAT(totals(feed.steps(4, 4, Order::permute_once)), ElementsAre(4, 2, 4, 4));
  EXPECT_EQ(feed.columns_read(), 14);
  EXPECT_EQ(feed.gradient_count(), 42);
}

TEST_F(Feed, StepsAskTheSourceForTheirColumnsAlone) {
  class Asked final : public MatrixSource<double> {
   public:
    explicit Asked(const MatrixSource<double>& of) : of_(of) {}
    Index features() const override { return of_.features(); }
    Index samples() const override { return of_.samples(); }
    bool is_sparse() const override { return of_.is_sparse(); }
    Index stored() const override { return of_.stored(); }
    std::unique_ptr<BatchStream<double>> open(PassOrder order) const override {
      columns += order.ends.back();
      return of_.open(std::move(order));
    }
    mutable Index columns = 0;

   private:
    const MatrixSource<double>& of_;
  };
  for (const Order order : {Order::cyclic, Order::permute_once, Order::reshuffle}) {
    const Asked asked(*source);
    ColumnFeed<double> some(asked, alone, 5, 1.0, {});
    some.begin_epoch(2);
    totals(some.steps(3, 2, order));  // the last two batches of the first pass, and one of the second
    EXPECT_EQ(asked.columns, 6);
  }
}

TEST_F(Feed, OneProcessIsItsOwnTotal) {
  Matrix<double> M = Matrix<double>::Constant(2, 2, 3);
  feed.total(M);
  EXPECT_EQ(M, (Matrix<double>::Constant(2, 2, 3)));
  EXPECT_EQ(feed.total(4.5), 4.5);
  EXPECT_EQ(feed.total_samples(), 10);
  EXPECT_EQ(feed.total_stored(), 30);
}

TEST(TeamFeed, TotalsSeveralArraysInOneExchange) {
  const Matrix<double> V = numbered(3, 4);
  const auto source = view(V);
  const EqualMembers team(1, 3);
  ColumnFeed<double> feed(*source, team, 5, 1.0, {});
  Matrix<double> M = Matrix<double>::Constant(2, 2, 1.5);
  RowMatrix<double> empty;
  RowMatrix<double> W = RowMatrix<double>::Constant(3, 1, -2);
  const int before = team.exchanges;
  feed.total(M, empty, W);
  EXPECT_EQ(team.exchanges, before + 1);
  EXPECT_EQ(M, (Matrix<double>::Constant(2, 2, 4.5)));
  EXPECT_EQ(W, (RowMatrix<double>::Constant(3, 1, -6)));
}

TEST(TeamFeed, KnowsTheSamplesOfAll) {
  const Matrix<float> V = numbered(3, 4).cast<float>();
  const auto source = view(V);
  const EqualMembers team(1, 3);
  ColumnFeed<float> feed(*source, team, 5, 1.0F, {});
  EXPECT_EQ(feed.samples(), 4);
  EXPECT_EQ(feed.total_samples(), 12);
  EXPECT_EQ(feed.total_stored(), 36);
  EXPECT_EQ(feed.global_sample(2), 7);
}

TEST(TeamFeed, CountsTheColumnsOfTheWholeTeam) {
  const Matrix<double> V = numbered(3, 4);
  const auto source = view(V);
  const EqualMembers team(2, 3);
  ColumnFeed<double> feed(*source, team, 5, 1.0, {});
  Index mine = 0;
  for (const Batch<double>& v : feed.batches(5, Order::permute_once)) mine += v.count;
  EXPECT_EQ(mine, 4);
  EXPECT_EQ(feed.columns_read(), 12);
  EXPECT_EQ(feed.gradient_count(), 36);
}

TEST(Factors, ColumnsOfABatchComeOutAndGoBack) {
  const Matrix<double> V = numbered(3, 10);
  const auto source = view(V);
  const Team alone{};
  ColumnFeed<double> feed(*source, alone, 5, 1.0, {});
  Matrix<double> H = numbered(2, 10);
  Matrix<double> h;
  for (const Batch<double>& v : feed.batches(4, Order::permute_once)) {
    take_columns(H, v, h);
    for (Index j = 0; j < v.count; ++j) EXPECT_EQ(h(1, j), 100 * static_cast<double>(v.sample(j)) + 1);
    h.array() += 0.5;
    put_columns(h, v, H);
  }
  EXPECT_EQ(H, (numbered(2, 10).array() + 0.5).matrix());
}

}  // namespace
}  // namespace svrmu
