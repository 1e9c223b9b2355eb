// Inner updates of one factor with its products fixed, after Gillis & Glineur, "Accelerated multiplicative
// updates and hierarchical ALS algorithms for nonnegative matrix factorization", Neural Computation 2012.
#pragma once

#include <algorithm>
#include <vector>

#include "linalg/batch_products.hpp"
#include "solvers/algorithm.hpp"

namespace svrmu {

// One update of all items; returns the squared change.
template <class Scalar>
using Sweep = double (*)(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G,
                         Shrink<Scalar> shrink);

// W and H in turn, each swept until a sweep moves it less than `tolerance` of the first, or the cap is
// reached: 1 + work_ratio times what the products with V cost in units of a sweep.
template <class Scalar, class Options>
class AlternatingSweeps {
 public:
  AlternatingSweeps(const Options& options, const DataTerm<Scalar>& term, Sweep<Scalar> sweep)
      : options_(options), term_(term), sweep_(sweep) {}

  void epoch(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
    if (options_.update_first == UpdateFirst::h) move_H(feed, f, Counted::columns);
    if (feed.interrupted()) return;
    move_W(feed, f);
    if (feed.interrupted()) return;
    if (options_.update_first == UpdateFirst::w) move_H(feed, f, Counted::columns);
  }

  const Sums<Scalar>* sums() const { return options_.update_first == UpdateFirst::h ? &sums_ : nullptr; }

 private:
  void move_H(ColumnFeed<Scalar>& feed, Factors<Scalar>& f, Counted counted) {
    const auto F = static_cast<double>(f.W.rows());
    const auto K = static_cast<double>(f.W.cols());
    const auto N = static_cast<double>(feed.total_samples());
    WtV_.resize(f.H.rows(), f.H.cols());
    for (const Batch<Scalar>& v : feed.blocks(counted))
      multiply_WtV(f.W, v, WtV_.data() + v.sample(0) * f.H.rows());
    if (feed.interrupted()) return;
    const Matrix<Scalar> G = WtW(f.W);
    repeat(most(1 + (feed.total_stored() + F * K) / (N * (K + 1))),
           [&] { return feed.total(sweep_(f.H.data(), WtV_.data(), f.H.cols(), G, term_.on_h)); });
  }

  void move_W(ColumnFeed<Scalar>& feed, Factors<Scalar>& f) {
    const auto F = static_cast<double>(f.W.rows());
    const auto K = static_cast<double>(f.W.cols());
    const auto N = static_cast<double>(feed.total_samples());
    all_sums(term_, feed, Counted::gradient, f, sums_);
    if (feed.interrupted()) return;
    repeat(most(1 + (feed.total_stored() + N * K) / (F * (K + 1))),
           [&] { return sweep_(f.W.data(), sums_.up.data(), f.W.rows(), sums_.HHt, term_.on_w); });
  }

  int most(double rho) const {
    if (options_.h_rule_limit > 0) return options_.h_rule_limit;
    return static_cast<int>(std::min(1e6, std::floor(1 + options_.work_ratio * rho)));
  }

  template <class Once>
  void repeat(int most, const Once& once) const {
    const double first = once();
    const double bound = options_.h_rule_tolerance * options_.h_rule_tolerance * first;
    double change = first;
    for (int j = 2; j <= most && change >= bound && change > 0; ++j) change = once();
  }

  Options options_;
  DataTerm<Scalar> term_;
  Sweep<Scalar> sweep_;
  Matrix<Scalar> WtV_;
  Sums<Scalar> sums_;
};

// Both decide how many inner updates there are.
template <class Options>
void check_work_ratio(const Options& o) {
  if (o.h_rule_limit > 0 && o.work_ratio != Options{}.work_ratio)
    throw InvalidInput("work_ratio is set, but h_rule_limit " + std::to_string(o.h_rule_limit) +
                       " decides instead; set one of them");
}

}  // namespace svrmu
