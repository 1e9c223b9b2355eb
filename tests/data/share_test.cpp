#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svrmu/source.hpp"

namespace svrmu {
namespace {

using testing::ElementsAre;

class Member : public Team {
 public:
  Member(int member, int size) : member_(member), size_(size) {}
  int member() const override { return member_; }
  int size() const override { return size_; }

 private:
  int member_;
  int size_;
};

Matrix<double> row_of(Index samples) {
  return Matrix<double>(Eigen::RowVectorXd::LinSpaced(samples, 0, double(samples) - 1));
}

std::vector<double> columns(const MatrixSource<double>& source, PassOrder order) {
  const auto stream = source.open(std::move(order));
  Batch<double> v;
  std::vector<double> list;
  while (stream->next(v))
    for (Index j = 0; j < v.count; ++j) {
      const auto& data = std::get<DenseColumns<double>>(v.data);
      list.push_back(data.data[v.column(j) * data.column_stride]);
    }
  return list;
}

TEST(Share, HoldsEachSizethColumn) {
  const Matrix<double> V = row_of(8);
  const auto whole = view(V);
  const auto share = share_of(*whole, Member(1, 3));
  EXPECT_EQ(share->samples(), 3);
  EXPECT_THAT(columns(*share, {{}, {2, 3}}), ElementsAre(1, 4, 7));
}

TEST(Share, TakesLocalNumbersInALists) {
  const Matrix<double> V = row_of(8);
  const auto whole = view(V);
  const auto share = share_of(*whole, Member(2, 3));
  EXPECT_THAT(columns(*share, {{1, 0}, {2}}), ElementsAre(5, 2));
}

TEST(Share, SharesOfAllMembersAddUpToAllColumns) {
  const Matrix<double> V = row_of(10);
  const auto whole = view(V);
  for (const int size : {1, 2, 3, 7, 12}) {
    Index samples = 0;
    for (int rank = 0; rank < size; ++rank) samples += share_of(*whole, Member(rank, size))->samples();
    EXPECT_EQ(samples, 10);
  }
}

TEST(Share, MoreMembersThanColumnsLeavesSomeWithNone) {
  const Matrix<double> V = row_of(2);
  const auto whole = view(V);
  const auto share = share_of(*whole, Member(2, 3));
  EXPECT_EQ(share->samples(), 0);
  EXPECT_THAT(columns(*share, {{}, {0}}), ElementsAre());
}

TEST(Share, ADenseShareStoresFeaturesTimesItsSamples) {
  const Matrix<double> V = Matrix<double>::Ones(3, 5);
  const auto whole = view(V);
  for (int rank = 0; rank < 2; ++rank) {
    const auto share = share_of(*whole, Member(rank, 2));
    EXPECT_EQ(share->stored(), share->features() * share->samples());
  }
}

TEST(Share, StoredEntriesOfAllMembersAddUp) {
  Matrix<double> dense = Matrix<double>::Zero(3, 5);
  dense(0, 0) = dense(1, 3) = dense(2, 4) = 1;
  const SparseMatrix<double> V = dense.sparseView();
  const auto whole = view(V);
  Index stored = 0;
  for (int rank = 0; rank < 2; ++rank) stored += share_of(*whole, Member(rank, 2))->stored();
  EXPECT_EQ(stored, 3);
}

TEST(Share, IsAsSparseAsTheWhole) {
  const SparseMatrix<double> V(2, 4);
  const auto whole = view(V);
  EXPECT_TRUE(share_of(*whole, Member(0, 2))->is_sparse());
  EXPECT_EQ(share_of(*whole, Member(0, 2))->features(), 2);
}

}  // namespace
}  // namespace svrmu
