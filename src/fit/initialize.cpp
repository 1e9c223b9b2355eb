#include "fit/initialize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "data/random.hpp"
#include "fit/svd.hpp"
#include "linalg/columns.hpp"
#include "linalg/copies.hpp"
#include "linalg/powers.hpp"
#include "linalg/products.hpp"
#include "linalg/random_items.hpp"

namespace svrmu {
namespace {

template <class Scalar>
RowMatrix<Scalar> random_W(const ColumnFeed<Scalar>& feed, Index K, std::uint64_t seed, double size) {
  RowMatrix<Scalar> W(feed.features(), K);
  const auto feature = [](Index f) { return f; };
  fill_uniform(Random(seed, Purpose::start_w), size, W.rows(), K, feature, W.data());
  return W;
}

template <class Scalar>
Matrix<Scalar> random_H(const ColumnFeed<Scalar>& feed, Index K, std::uint64_t seed, double size) {
  Matrix<Scalar> H(K, feed.samples());
  const auto sample = [&](Index n) { return feed.global_sample(n); };
  fill_uniform(Random(seed, Purpose::start_h), size, H.cols(), K, sample, H.data());
  return H;
}

// Component k from the positive or the negative parts of its singular vectors, whichever pair is larger.
// Boutsidis & Gallopoulos, "SVD based initialization: a head start for nonnegative matrix factorization",
// 2008.
template <class Scalar>
void nndsvd(const TruncatedSvd<Scalar>& svd, const ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
  f.W.resize(svd.U.rows(), svd.U.cols());
  f.H.resize(svd.SVt.rows(), svd.SVt.cols());
  for (Index k = 0; k < svd.U.cols(); ++k) {
    const double s = svd.values(k);
    Eigen::VectorXd u = svd.U.col(k).template cast<double>();
    Eigen::VectorXd v = svd.SVt.row(k).transpose().template cast<double>();
    if (s > 0) v /= s;
    if (k == 0) {  // the leading pair has one sign
      u = u.cwiseAbs();
      v = v.cwiseAbs();
    }
    const auto size = [&](const Eigen::VectorXd& x) { return std::sqrt(feed.total(x.squaredNorm())); };
    const Eigen::VectorXd u_plus = u.cwiseMax(0);
    const Eigen::VectorXd u_minus = (-u).cwiseMax(0);
    const Eigen::VectorXd v_plus = v.cwiseMax(0);
    const Eigen::VectorXd v_minus = (-v).cwiseMax(0);
    const double v_plus_size = size(v_plus);
    const double v_minus_size = size(v_minus);
    const double plus = u_plus.norm() * v_plus_size;
    const double minus = u_minus.norm() * v_minus_size;
    const bool positive = plus >= minus;
    const double m = positive ? plus : minus;
    const Eigen::VectorXd& a = positive ? u_plus : u_minus;
    const Eigen::VectorXd& b = positive ? v_plus : v_minus;
    const double a_size = a.norm();
    const double b_size = positive ? v_plus_size : v_minus_size;
    const double weight = std::sqrt(s * m);
    f.W.col(k) = (a_size > 0 ? Eigen::VectorXd(a * (weight / a_size)) : a).template cast<Scalar>();
    f.H.row(k) =
        (b_size > 0 ? Eigen::VectorXd(b * (weight / b_size)) : b).transpose().template cast<Scalar>();
  }
  // Rounding leaves specks where the exact vectors are zero.
  constexpr auto speck = static_cast<Scalar>(std::is_same_v<Scalar, double> ? 1e-10 : 1e-6);
  f.W = (f.W.array() < speck).select(Scalar(0), f.W);
  f.H = (f.H.array() < speck).select(Scalar(0), f.H);
}

template <class Scalar, class M>
void fill_zeros(M& matrix, double mean, const Random* random, const ColumnFeed<Scalar>* columns) {
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = 0; i < matrix.rows(); ++i) {
      if (matrix(i, j) != Scalar(0)) continue;
      const Index place = columns != nullptr ? columns->global_sample(j) : j;
      matrix(i, j) = static_cast<Scalar>(random != nullptr ? mean / 100 * random->uniform(i, place) : mean);
    }
}

// Where V is scaled: given factors, which are in the caller's units, are brought to a size far from the
// floor. Else penalties decide, so that they press on W and H alike and neither is pressed to the floor while
// the other grows.
template <class Scalar>
double scale_of_W(const ColumnFeed<Scalar>& feed, const FitOptions<Scalar>& options, double v) {
  if (options.given.W) {
    const double mean = norms(options.given.W->data(), options.given.W->size()).l1 /
                        static_cast<double>(options.given.W->size());
    return mean > 0 && std::isfinite(mean) ? inverse_power<Scalar>(mean) : 1;
  }
  if (options.given.H) {
    const double mean = feed.total(norms(options.given.H->data(), options.given.H->size()).l1) /
                        feed.total(static_cast<double>(options.given.H->size()));
    return mean > 0 && std::isfinite(mean) ? v / inverse_power<Scalar>(mean) : 1;
  }
  const Penalties& p = options.penalties;
  if (!p.any()) return 1;
  double exponent = std::log2(v);
  if (p.l2_w > 0 && p.l2_h > 0)
    exponent += (std::log2(p.l2_w) - std::log2(p.l2_h)) / 2;
  else if (p.l1_w > 0 && p.l1_h > 0)
    exponent += std::log2(p.l1_w) - std::log2(p.l1_h);
  constexpr int most = std::numeric_limits<Scalar>::max_exponent / 2;
  return std::ldexp(1.0, std::clamp(static_cast<int>(exponent / 2), -most, most));
}

}  // namespace

template <class Scalar>
Factors<Scalar> initialize(ColumnFeed<Scalar>& feed, const FitOptions<Scalar>& options, std::uint64_t seed,
                           const Scan& scan, bool floor_zeros, Scaling& scaling) {
  const Index K = options.rank;
  Factors<Scalar> f;
  const double mean = scan.mean() * scaling.v;
  const double size = 2 * std::sqrt(mean / static_cast<double>(K));
  const bool make = !options.given.W || !options.given.H;
  if (make && (options.start == Start::automatic || options.start == Start::random ||
               options.start == Start::frobenius)) {
    f.W = random_W(feed, K, seed, size);
    f.H = random_H(feed, K, seed, size);
  } else if (make) {
    const TruncatedSvd<Scalar> svd = truncated_svd(feed, K, seed);
    if (options.start == Start::svd_abs) {
      f.W = svd.U.cwiseAbs();
      f.H = svd.SVt.cwiseAbs();
    } else {
      nndsvd(svd, feed, f);
      const Random random_w(seed, Purpose::fill_w);
      const Random random_h(seed, Purpose::fill_h);
      const bool random = options.start == Start::nndsvdar;
      if (options.start != Start::nndsvd) {
        fill_zeros<Scalar>(f.W, mean, random ? &random_w : nullptr, nullptr);
        fill_zeros<Scalar>(f.H, mean, random ? &random_h : nullptr, &feed);
      }
    }
  }

  if (scaling.v != 1) scaling.w = scale_of_W(feed, options, scaling.v);
  scaling.h = scaling.v / scaling.w;
  if (options.given.W) assign_scaled(f.W, static_cast<Scalar>(scaling.w), *options.given.W);
  if (options.given.H) assign_scaled(f.H, static_cast<Scalar>(scaling.h), *options.given.H);
  if (floor_zeros) {
    f.W = f.W.cwiseMax(floor_value<Scalar>);
    f.H = f.H.cwiseMax(floor_value<Scalar>);
  }
  return f;
}

template <class Scalar>
Outliers<Scalar> initialize_outliers(ColumnFeed<Scalar>& feed, const GivenStart<Scalar>& given,
                                     OutlierStart start, std::uint64_t seed, const Scan& scan,
                                     const Scaling& scaling, const Factors<Scalar>& f) {
  const Random random(seed, Purpose::start_r);
  const double mean = scan.mean() * scaling.v;
  const auto scale = static_cast<Scalar>(scaling.v);
  // R at feature i of local sample n, where V is `value`.
  const auto start_value = [&](Index i, Index n, Scalar value) -> Scalar {
    if (given.R) return scale * (*given.R)(i, n);
    if (given.R_sparse) return scale * given.R_sparse->coeff(i, n);
    if (value == Scalar(0)) return 0;  // one step would bring it there: R lives where V does
    if (start == OutlierStart::residual) {
      const Scalar rest = value - f.W.row(i).dot(f.H.col(n));
      return std::max(rest, static_cast<Scalar>(1e-3 * mean));
    }
    const double u = random.uniform(i, feed.global_sample(n));
    return static_cast<Scalar>(start == OutlierStart::uniform ? u * scaling.v : u * mean);
  };

  Outliers<Scalar> R;
  if (feed.is_sparse()) {
    R.offsets.push_back(0);
  } else {
    R.dense.resize(feed.features(), feed.samples());
  }
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    for (Index j = 0; j < v.count; ++j) {
      const Index n = v.sample(j);
      for_entries(v, j, [&](Index i, Scalar value) {
        const Scalar r = start_value(i, n, value);
        if (feed.is_sparse())
          R.values.push_back(r);
        else
          R.dense(i, n) = r;
      });
      if (feed.is_sparse()) R.offsets.push_back(static_cast<Index>(R.values.size()));
    }
  return R;
}

#define SVRMU_INSTANTIATE(S)                                                                                \
  template Factors<S> initialize<S>(ColumnFeed<S>&, const FitOptions<S>&, std::uint64_t, const Scan&, bool, \
                                    Scaling&);                                                              \
  template Outliers<S> initialize_outliers<S>(ColumnFeed<S>&, const GivenStart<S>&, OutlierStart,           \
                                              std::uint64_t, const Scan&, const Scaling&,                   \
                                              const Factors<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
