#include "linalg/low_rank_step.hpp"

#include <algorithm>
#include <numeric>

#include "linalg/gemm.hpp"
#include "linalg/low_rank.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// A <- coefficients factor, for some items.
void multiply_by_factor(const Matrix<float>& coefficients, const LowRankFactor& factor, Index begin,
                        Index count, float* A) {
  const Index K = coefficients.rows();
  Index row = 0;
  for (const RowStack& stack : factor) {
    gemm(Op::plain, Op::plain, K, count, stack.rows, 1.0F, coefficients.data() + row * K, K,
         stack.data + begin * stack.rows, stack.rows, row == 0 ? 0.0F : 1.0F, A, K);
    row += stack.rows;
  }
}

double sum_of(const float* x, Index size) {
  double sum = 0;
  for (Index i = 0; i < size; ++i) sum += static_cast<double>(x[i]);
  return sum;
}

// x <- now + weight (now - x)
void begin_beyond(const float* now, float weight, Index size, float* x) {
  if (weight == 0.0F)  // x may hold anything
    std::copy_n(now, size, x);
  else
    for (Index i = 0; i < size; ++i) x[i] = std::max(now[i] + weight * (now[i] - x[i]), floor_value<float>);
}

}  // namespace

Index rows_of(const LowRankFactor& factor) {
  return std::accumulate(factor.begin(), factor.end(), Index{0},
                         [](Index sum, const RowStack& stack) { return sum + stack.rows; });
}

HalfStep& LowRankStep::operator()(const Task& task) {
  const Index size = items_per_sum(task.count);
  const auto parts = static_cast<std::size_t>((task.count + size - 1) / size);
  if (partial_.size() < parts) partial_.resize(parts);
  parallel_tiles(task.count, size, [&](Index first, Index end) {
    Partial& sums = partial_[static_cast<std::size_t>(first / size)];
    begin(task, sums);
    for (Index at = first; at < end; at += basis_tile)
      move_tile(task, at, std::min(at + basis_tile, end) - at, sums);
  });
  add_up(task, parts);
  return total_;
}

void LowRankStep::begin(const Task& task, Partial& sums) {
  const Index K = task.G->rows();
  sums.gram.setZero(K, K);
  sums.cross.setZero(rows_of(task.factor), K);
  if (task.measure) sums.plain.setZero(K, K);
  sums.fit = sums.sum = 0;
}

void LowRankStep::move_tile(const Task& task, Index begin, Index count, Partial& sums) {
  const Index K = task.G->rows();
  const Index size = count * K;
  Workspace work;
  auto* A = work.take<float>(size);
  auto* beyond = work.take<float>(size);
  const float* now = task.now + begin * K;
  float* x = task.before + begin * K;
  multiply_by_factor(*task.coefficients, task.factor, begin, count, A);
  begin_beyond(now, task.past, size, x);
  hals_tile(x, A, count, *task.G, task.shrink, task.sweeps);
  for (Index i = 0; i < size; ++i)
    beyond[i] = std::max(x[i] + task.beyond * (x[i] - now[i]), floor_value<float>);
  add_products(task, begin, count, x, beyond, A, sums);
}

void LowRankStep::add_products(const Task& task, Index begin, Index count, const float* x,
                               const float* beyond, const float* A, Partial& sums) {
  const Index K = task.G->rows();
  const auto add_cross = [&](const float* left, Index rows, const float* right, float* to, Index stride) {
    gemm(Op::plain, Op::transposed, rows, K, count, 1.0F, left, rows, right, K, 1.0F, to, stride);
  };
  add_cross(beyond, K, beyond, sums.gram.data(), K);
  Index row = 0;
  for (const RowStack& stack : task.factor) {
    add_cross(stack.data + begin * stack.rows, stack.rows, beyond, sums.cross.data() + row,
              sums.cross.rows());
    row += stack.rows;
  }
  if (task.measure) {
    add_cross(x, K, x, sums.plain.data(), K);
    double fit = 0;
    for (Index i = 0; i < count * K; ++i) fit += static_cast<double>(x[i]) * static_cast<double>(A[i]);
    sums.fit += fit;
  }
  if (task.shrink.l1 > 0) sums.sum += sum_of(task.measure ? x : beyond, count * K);
}

void LowRankStep::add_up(const Task& task, std::size_t parts) {
  const Index K = task.G->rows();
  total_.gram.setZero(K, K);
  total_.cross.setZero(rows_of(task.factor), K);
  total_.plain.setZero(K, K);
  total_.fit = total_.sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    total_.gram += partial_[p].gram.cast<double>();
    total_.cross += partial_[p].cross.cast<double>();
    if (task.measure) total_.plain += partial_[p].plain.cast<double>();
    total_.fit += partial_[p].fit;
    total_.sum += partial_[p].sum;
  }
}

}  // namespace svrmu
