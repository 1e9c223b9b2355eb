#include "linalg/bounded_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/kernels.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// L <- Cholesky's factor of the rows and columns `chosen` of Q + l2, by rows. False: a pivot is lost in
// rounding, or negative.
template <class Scalar>
bool factorize(const Quadratic<Scalar>& q, const Index* chosen, Index n, double room, double* L) {
  const auto entry = [&](Index i, Index j) {
    return static_cast<double>(q.Q[chosen[i] * q.K + chosen[j]]) +
           (i == j ? static_cast<double>(q.shrink.l2) : 0.0);
  };
  for (Index i = 0; i < n; ++i) {
    double* row = L + i * n;
    for (Index j = 0; j < i; ++j)
      row[j] = (entry(i, j) - kernels<double>().dot(row, L + j * n, j)) / L[j * n + j];
    const double diagonal = entry(i, i);
    const double pivot = diagonal - kernels<double>().dot(row, row, i);
    if (!(pivot > room * diagonal) || !(diagonal > 0)) return false;
    row[i] = std::sqrt(pivot);
  }
  return true;
}

// z <- solution of L L'z = z.
void solve_with(const double* L, Index n, double* z) {
  for (Index i = 0; i < n; ++i) z[i] = (z[i] - kernels<double>().dot(L + i * n, z, i)) / L[i * n + i];
  for (Index i = n; i-- > 0;) {
    z[i] /= L[i * n + i];
    kernels<double>().add_scaled(z, -z[i], L + i * n, i);
  }
}

// How often a jump that the floor stopped begins anew, without the entries that are there now.
constexpr int most_in_a_row = 10;

// True: the floor stopped it.
template <class Scalar>
bool jump_once(const Quadratic<Scalar>& q, Scalar* y) {
  constexpr double room = 1e-12;
  Workspace work;
  auto* chosen = work.take<Index>(q.K);
  Index n = 0;
  for (Index k = 0; k < q.K; ++k)
    if (y[k] > floor_value<Scalar>) chosen[n++] = k;
  auto* L = work.take<double>(n * n);
  if (n == 0 || !factorize(q, chosen, n, room, L)) return false;
  auto* d = work.take<double>(n);  // toward the minimum: minus the gradient, solved
  for (Index i = 0; i < n; ++i) {
    const Index k = chosen[i];
    d[i] = static_cast<double>(q.a[k]) - static_cast<double>(q.shrink.l1) -
           static_cast<double>(q.shrink.l2) * static_cast<double>(y[k]) -
           static_cast<double>(kernels<Scalar>().dot(q.Q + k * q.K, y, q.K));
  }
  solve_with(L, n, d);
  double t = 1;
  Index first = -1;  // to reach the floor
  for (Index i = 0; i < n; ++i) {
    const double above = static_cast<double>(y[chosen[i]]) - static_cast<double>(floor_value<Scalar>);
    if (d[i] * t >= -above) continue;
    t = -above / d[i];
    first = i;
  }
  for (Index i = 0; i < n; ++i) {
    Scalar& entry = y[chosen[i]];
    entry = std::max(static_cast<Scalar>(static_cast<double>(entry) + t * d[i]), floor_value<Scalar>);
  }
  if (first >= 0) y[chosen[first]] = floor_value<Scalar>;
  return first >= 0;
}

}  // namespace

template <class Scalar>
void jump(const Quadratic<Scalar>& q, Scalar* y) {
  for (int times = 0; times < most_in_a_row && jump_once(q, y); ++times) continue;
}

template <class Scalar>
void minimize(const Quadratic<Scalar>& q, double tolerance, int max_sweeps, Scalar* y) {
  double first = -1;
  for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
    const double change = kernels<Scalar>().hals_sweep(y, q.a, 1, q.Q, q.K, q.shrink);
    if (first < 0) first = change;
    if (change <= tolerance * tolerance * first) return;
    if (sweep % sweeps_per_jump(q.K) == 0) jump(q, y);
  }
}

template <class Scalar>
bool positive_definite(const Quadratic<Scalar>& q) {
  constexpr double room = 1e-6;
  Workspace work;
  auto* all = work.take<Index>(q.K);
  for (Index k = 0; k < q.K; ++k) all[k] = k;
  return factorize(q, all, q.K, room, work.take<double>(q.K * q.K));
}

#define SVRMU_INSTANTIATE(S)                                       \
  template void jump<S>(const Quadratic<S>&, S*);                  \
  template void minimize<S>(const Quadratic<S>&, double, int, S*); \
  template bool positive_definite<S>(const Quadratic<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
