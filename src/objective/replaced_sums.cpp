#include "objective/replaced_sums.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/copies.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

// Powers of the W of its time in a part.
double power_of_up(double beta) { return beta > 2 ? 0 : 2 - beta; }
double power_of_down(double beta) { return beta < 1 ? 0 : 1 - beta; }

constexpr Index values_per_tile = 1 << 14;

template <class Body>
void for_entries(Index count, const Body& body) {
  parallel_tiles(count, values_per_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) body(i);
  });
}

// body(i, W_i^p), the power kept where Scalar can hold it times a sum and divided by one.
template <class Scalar, class Body>
void for_powers(const RowMatrix<Scalar>& W, double p, Index count, const Body& body) {
  const Scalar* w = W.data();
  if (p == 1) {
    for_entries(count, [&](Index i) { body(i, w[i]); });
  } else if (p == 2) {
    for_entries(count, [&](Index i) { body(i, w[i] * w[i]); });
  } else {
    constexpr Scalar most = sizeof(Scalar) == 8 ? Scalar(0x1p300) : Scalar(0x1p60);
    const auto power = static_cast<Scalar>(p);
    for_entries(count, [&](Index i) { body(i, std::clamp(std::pow(w[i], power), 1 / most, most)); });
  }
}

template <class Scalar>
void times_power(const RowMatrix<Scalar>& W, double p, RowMatrix<Scalar>& x) {
  if (p == 0) return;
  for_powers(W, p, x.size(), [values = x.data()](Index i, Scalar power) { values[i] *= power; });
}

// sum <- sum + now - past, of parts that are not negative: rounding must not make it less than one of them.
template <class M>
void replace_part(M& sum, const M& past, const M& now) {
  for_entries(sum.size(), [s = sum.data(), p = past.data(), n = now.data()](Index i) {
    s[i] = std::max(s[i] - p[i] + n[i], n[i]);
  });
}

}  // namespace

template <class Scalar>
void ReplacedSums<Scalar>::weigh(const RowMatrix<Scalar>& W, Sums<Scalar>& sums) const {
  if (term_.frobenius()) return;
  times_power(W, power_of_up(term_.beta), sums.up);
  times_power(W, power_of_down(term_.beta), sums.rest);
}

template <class Scalar>
void ReplacedSums<Scalar>::replace(const Sums<Scalar>& past, const Sums<Scalar>& now) {
  replace_part(all_.up, past.up, now.up);
  replace_part(all_.HHt, past.HHt, now.HHt);
  replace_part(all_.h_sum, past.h_sum, now.h_sum);
  replace_part(all_.rest, past.rest, now.rest);
}

template <class Scalar>
void ReplacedSums<Scalar>::grow(const RowMatrix<Scalar>& growth, Sums<Scalar>& part) const {
  times_power(growth, power_of_up(term_.beta) - power_of_down(term_.beta), part.up);
}

template <class Scalar>
void ReplacedSums<Scalar>::move(RowMatrix<Scalar>& W, double step) {
  if (term_.frobenius()) {
    multiply_by_ratio(W, all_, term_.on_w, step, term_.exponent);
    return;
  }
  // Written as a ratio, the minimum takes penalties and exponents as every multiplicative step does.
  const auto seen_from_W = [&](double p, const RowMatrix<Scalar>& sum, RowMatrix<Scalar>& out) {
    if (p == 0) {
      assign(out, sum);
      return;
    }
    out.resize(sum.rows(), sum.cols());
    for_powers(W, p, sum.size(),
               [from = sum.data(), to = out.data()](Index i, Scalar power) { to[i] = from[i] / power; });
  };
  at_W_.h_sum = all_.h_sum;
  seen_from_W(power_of_up(term_.beta), all_.up, at_W_.up);
  seen_from_W(power_of_down(term_.beta), all_.rest, at_W_.rest);
  multiply_by_ratio(W, at_W_, term_.on_w, step, term_.exponent);
}

template class ReplacedSums<float>;
template class ReplacedSums<double>;

}  // namespace svrmu
