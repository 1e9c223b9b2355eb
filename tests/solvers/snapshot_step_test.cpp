// The sums that batches of svrmu have at the snapshot, and that are kept.
#include "solvers/snapshot_step.hpp"

#include "small_example.hpp"

namespace svrmu {
namespace {

class KeptSums : public testing::Test {
 protected:
  // Sums at the snapshot of the two batches in one pass from `start`.
  std::vector<M> pass(const Factors<double>& start) {
    std::vector<M> found;
    Index batch = 0;
    for (const Batch<double>& v : feed_.batches(4, Order::cyclic)) {
      step_.move_h_and_gather(feed_, v, f_, start, batch++);
      found.emplace_back(step_.sums_s().up);
    }
    return found;
  }

  const SmallExample example_;
  const Matrix<double> V_ = example_.V;
  const std::unique_ptr<MatrixSource<double>> source_ = view(V_);
  const Team alone_{};
  ColumnFeed<double> feed_{*source_, alone_, 0, 1.0, {}};
  const DataTerm<double> term_{};
  SnapshotStep<double> step_{term_, {}};
  Factors<double> f_{.W = example_.W, .H = example_.H, .R = {}};
};

TEST_F(KeptSums, AreMadeOncePerSnapshot) {
  const Factors<double> start = f_;
  step_.begin(2);
  const std::vector<M> first = pass(start);
  for (int i = 0; i < 2; ++i) {
    const auto [begin, count] = batches_of_4[i];
    const M expected = example_.V.middleCols(begin, count) * example_.H.middleCols(begin, count).transpose();
    EXPECT_LE((first[static_cast<std::size_t>(i)] - expected).norm(), 1e-12 * expected.norm());
  }
  // A snapshot that is not looked at any more: nobody makes sums there a second time.
  Factors<double> nothing = start;
  nothing.H.setZero();
  EXPECT_EQ(pass(nothing), first);
  step_.begin(2);
  EXPECT_NE(pass(nothing), first);
}

TEST_F(KeptSums, AreMadeInEveryPassWhereThereIsNoRoom) {
  step_.begin(0);
  const Factors<double> start = f_;
  const std::vector<M> first = pass(start);
  Factors<double> nothing = start;
  nothing.H.setZero();
  EXPECT_TRUE(pass(nothing).front().isZero(0));
}

// The parts of an epoch that was undone belong to factors that are no longer there.
TEST(Svrmu, AfterARollBackMakesItsPartsAnew) {
  SolverRun run(SvrmuOptions{.correction = Correction::replace}, DataTerm<double>{});
  run.epoch();
  const Factors<double> start = run.f;
  run.epoch();
  const Factors<double> after = run.f;
  run.f = start;
  run.solver().roll_back();
  run.epoch();
  EXPECT_EQ(run.f.W, after.W);
  EXPECT_EQ(run.f.H, after.H);
}

}  // namespace
}  // namespace svrmu
