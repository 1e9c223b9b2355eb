// Products of the stored entries of a column with rows of W.
#include <algorithm>
#include <vector>

#include "kernel_tables.hpp"
#include "linalg/kernels.hpp"

namespace svrmu {
namespace {

template <class Scalar>
class SparseKernels : public KernelTables<Scalar> {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SparseKernels, Scalars);

TYPED_TEST(SparseKernels, GatherScatterAndSampleAgreeWithDenseProducts) {
  constexpr Index F = 50;
  const std::vector<std::int32_t> rows32{0, 3, 4, 17, 30, 49};
  const std::vector<std::int64_t> rows64(rows32.begin(), rows32.end());
  const auto n = static_cast<Index>(rows32.size());
  const auto values = this->column(n, 5);
  Eigen::VectorXd v = Eigen::VectorXd::Zero(F);
  for (Index p = 0; p < n; ++p) v(rows32[static_cast<std::size_t>(p)]) = double(values(p));
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 3, 4, 8, 15, 16, 17, 32, 33, 50}) {
      const auto W = random_matrix<RowMatrix<TypeParam>>(F, K, 6);
      const auto h = this->column(K, 7);
      const Eigen::VectorXd Wtv = 0.5 * W.template cast<double>().transpose() * v;
      Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> out(K);
      table.gather32(rows32.data(), values.data(), n, n, W.data(), K, TypeParam(0.5), out.data());
      expect_near<TypeParam>(out, Wtv);
      table.gather64(rows64.data(), values.data(), n, n, W.data(), K, TypeParam(0.5), out.data());
      expect_near<TypeParam>(out, Wtv);

      const RowMatrix<double> sum = W.template cast<double>() + 2 * v * h.template cast<double>().transpose();
      RowMatrix<TypeParam> to = W;
      table.scatter32(rows32.data(), values.data(), n, h.data(), K, TypeParam(2), to.data());
      expect_near<TypeParam>(to, sum);
      to = W;
      table.scatter64(rows64.data(), values.data(), n, h.data(), K, TypeParam(2), to.data());
      expect_near<TypeParam>(to, sum);

      const Eigen::VectorXd Wh = W.template cast<double>() * h.template cast<double>();
      Eigen::VectorXd expected(n);
      for (Index p = 0; p < n; ++p) expected(p) = Wh(rows32[static_cast<std::size_t>(p)]);
      Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> x(n);
      table.sample32(rows32.data(), n, W.data(), h.data(), K, x.data());
      expect_near<TypeParam>(x, expected);
      table.sample64(rows64.data(), n, W.data(), h.data(), K, x.data());
      expect_near<TypeParam>(x, expected);
    }
}

TYPED_TEST(SparseKernels, RowsOf32And64BitsGiveTheSameBits) {
  constexpr Index F = 200;
  for (const Index n : {1, 5, 16, 37, 120}) {
    std::vector<std::int32_t> rows32;
    for (Index p = 0; p < n; ++p) rows32.push_back(static_cast<std::int32_t>(p * F / n));
    const std::vector<std::int64_t> rows64(rows32.begin(), rows32.end());
    const auto values = this->column(n, 5);
    for (const auto& table : tables<TypeParam>())
      for (Index K = 1; K <= 33; ++K) {
        const auto W = random_matrix<RowMatrix<TypeParam>>(F, K, 6);
        const auto h = this->column(K, 7);
        Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> a(K), b(K), x(n), y(n);
        table.gather32(rows32.data(), values.data(), n, n, W.data(), K, TypeParam(0.3), a.data());
        table.gather64(rows64.data(), values.data(), n, n, W.data(), K, TypeParam(0.3), b.data());
        EXPECT_EQ(a, b) << "gather, K = " << K;
        table.sample32(rows32.data(), n, W.data(), h.data(), K, x.data());
        table.sample64(rows64.data(), n, W.data(), h.data(), K, y.data());
        EXPECT_EQ(x, y) << "sample, K = " << K;
        RowMatrix<TypeParam> to32 = W;
        RowMatrix<TypeParam> to64 = W;
        table.scatter32(rows32.data(), values.data(), n, h.data(), K, TypeParam(0.3), to32.data());
        table.scatter64(rows64.data(), values.data(), n, h.data(), K, TypeParam(0.3), to64.data());
        EXPECT_EQ(to32, to64) << "scatter, K = " << K;
      }
  }
}

// Columns are cut where rows are, and an entry must not depend on what stands beside it.
TYPED_TEST(SparseKernels, SampleOfAnEntryIsTheSameWhereverItStands) {
  constexpr Index F = 40;
  for (const auto& table : tables<TypeParam>())
    for (Index K = 1; K <= 70; ++K) {
      const auto W = random_matrix<RowMatrix<TypeParam>>(F, K, 8);
      const auto h = this->column(K, 9);
      std::vector<std::int32_t> rows(F);
      for (Index p = 0; p < F; ++p) rows[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(p);
      Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> whole(F), parts(F);
      table.sample32(rows.data(), F, W.data(), h.data(), K, whole.data());
      Index begin = 0;
      for (Index n = 1; begin < F; begin += n, ++n)
        table.sample32(rows.data() + begin, std::min(n, F - begin), W.data(), h.data(), K,
                       parts.data() + begin);
      EXPECT_EQ(whole, parts) << "K = " << K;
    }
}

TYPED_TEST(SparseKernels, GatherOfNoEntriesIsZero) {
  for (const auto& table : tables<TypeParam>()) {
    std::vector<TypeParam> out(33, TypeParam(9));
    const std::int32_t no_row = 0;
    const TypeParam none = 0;
    table.gather32(&no_row, &none, 0, 0, &none, 33, TypeParam(1), out.data());
    EXPECT_EQ(out, std::vector<TypeParam>(33, TypeParam(0)));
  }
}

TYPED_TEST(SparseKernels, GatherDenseWalksAlongAnyStride) {
  constexpr Index F = 21;
  for (const auto& table : tables<TypeParam>())
    for (const Index K : {1, 7, 17, 40})
      for (const Index stride : {1, 3}) {
        const auto W = random_matrix<RowMatrix<TypeParam>>(F, K, 6);
        const auto v = this->column(F * stride, 8);
        Eigen::VectorXd expected = Eigen::VectorXd::Zero(K);
        for (Index f = 0; f < F; ++f)
          expected += double(v(f * stride)) * W.row(f).transpose().template cast<double>();
        Eigen::Matrix<TypeParam, Eigen::Dynamic, 1> out(K);
        table.gather_dense(v.data(), stride, F, W.data(), K, TypeParam(1), out.data());
        expect_near<TypeParam>(out, expected);
      }
}

}  // namespace
}  // namespace svrmu
