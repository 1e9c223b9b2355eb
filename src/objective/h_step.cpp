// The multiplicative step of h, for every loss and outlier model.
#include "objective/h_step.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "linalg/parallel.hpp"
#include "linalg/products.hpp"
#include "linalg/workspace.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {
namespace {

// The h step on tiles of one batch.
template <class Scalar>
class HStep {
 public:
  HStep(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v, Matrix<Scalar>& h,
        const Outliers<Scalar>& R, Outliers<Scalar>* moving)
      : term_(term), basis_(basis), v_(v), h_(h), R_(R), moving_(moving), F_(v.features), K_(h.rows()) {
    tile_ = needs_entries() && !on_pattern(term, v) ? entry_tile(F_) : column_tile;
    if (fixed_numerator()) A_.resize(K_, v.count);
  }

  Index tile() const { return tile_; }

  void prepare(Index j0, Index j1) {
    if (fixed_numerator()) WtV_tile(basis_.W, v_, j0, j1, A_.data() + j0 * K_);
  }

  // One multiplicative step of the columns j0 .. j1; returns the squared change of h where it is asked for.
  double move(Index j0, Index j1, bool want_change) {
    const Index n = j1 - j0;
    Scalar* h = h_.data() + j0 * K_;
    Workspace work;
    auto* up = work.take<Scalar>(K_ * n);
    auto* down = work.take<Scalar>(K_ * n);
    parts(j0, j1, up, down);
    double change = 0;
    if (want_change)
      change = measured_ratio_step(h, numerator(j0, up), down, K_ * n, term_.on_h, term_.exponent);
    else
      ratio_step(h, numerator(j0, up), down, K_ * n, term_.on_h, term_.exponent);
    if (term_.outliers == OutlierModel::multiplicative && term_.sequential) move_outliers(j0, j1);
    return change;
  }

  // Numerator and denominator of the step; in the simultaneous outlier step r moves here, with the old h.
  void parts(Index j0, Index j1, Scalar* up, Scalar* down) {
    if (!needs_entries()) {
      times_gram(j0, j1, down);
    } else if (on_pattern(term_, v_)) {
      std::visit(
          [&](const auto& data) {
            if constexpr (!is_dense<std::decay_t<decltype(data)>>) sparse_parts(data, j0, j1, up, down);
          },
          v_.data);
    } else {
      dense_parts(j0, j1, up, down);
    }
  }

  bool fixed_numerator() const { return term_.frobenius() && term_.outliers != OutlierModel::closed_form; }
  const Scalar* numerator(Index j0, const Scalar* up) const {
    return fixed_numerator() ? A_.data() + j0 * K_ : up;
  }

 private:
  bool moves_with_old_h() const { return moving_ != nullptr && !term_.sequential; }
  bool needs_entries() const { return !term_.frobenius() || term_.outliers != OutlierModel::none; }

  void times_gram(Index j0, Index j1, Scalar* out) const {
    gemm(Op::plain, Op::plain, K_, j1 - j0, K_, Scalar(1), basis_.gram.data(), K_, h_.data() + j0 * K_, K_,
         Scalar(0), out, K_);
  }
  void times_Wt(const Scalar* x, Index n, Scalar* out) const {
    gemm(Op::plain, Op::plain, K_, n, F_, Scalar(1), basis_.W.data(), K_, x, F_, Scalar(0), out, K_);
  }
  void repeat_column_sums(Index n, Scalar* out) const {
    for (Index j = 0; j < n; ++j) std::copy_n(basis_.column_sums.data(), K_, out + j * K_);
  }

  void dense_parts(Index j0, Index j1, Scalar* up, Scalar* down) {
    const Index n = j1 - j0;
    Workspace work;
    auto* x = work.take<Scalar>(F_ * n);
    approximate(basis_.W, 0, F_, h_.data() + j0 * K_, n, x);
    if (term_.outliers == OutlierModel::multiplicative) {
      for (Index j = 0; j < n; ++j)
        add_scaled(x + j * F_, Scalar(1), R_.dense.col(v_.sample(j0 + j)).data(), F_);
      times_Wt(x, n, down);
      if (moves_with_old_h()) move_dense_outliers(j0, j1, x);
      return;
    }
    auto* v = work.take<Scalar>(F_ * n);
    copy_block(v_, 0, F_, j0, j1, v);
    entry_parts(term_, v, x, F_ * n, v, x);
    times_Wt(v, n, up);
    if (term_.frobenius())
      times_gram(j0, j1, down);
    else if (term_.kl())
      repeat_column_sums(n, down);
    else
      times_Wt(x, n, down);
  }

  template <class Offset>
  void sparse_parts(const SparseColumns<Scalar, Offset>& data, Index j0, Index j1, Scalar* up, Scalar* down) {
    if (term_.kl())
      repeat_column_sums(j1 - j0, down);
    else
      times_gram(j0, j1, down);
    for (Index j = j0; j < j1; ++j) {
      Workspace work;
      const auto e = entries(v_, data, j);
      if (term_.outliers == OutlierModel::multiplicative) {
        auto* Wtr = work.take<Scalar>(K_);
        gather(e.rows, stored_outliers(R_, v_, j), e.count, basis_.W.data(), K_, Scalar(1), Wtr);
        add_scaled(down + (j - j0) * K_, Scalar(1), Wtr, K_);
        if (moves_with_old_h()) move_sparse_outliers(e, j);
        continue;
      }
      const Scalar* v = scaled_values(e.values, e.count, v_.scale, work);
      auto* y = work.take<Scalar>(e.count);
      pattern_parts(term_, basis_.W, e.rows, v, e.count, h_.data() + j * K_, y);
      gather(e.rows, y, e.count, basis_.W.data(), K_, Scalar(1), up + (j - j0) * K_);
    }
  }

  // r <- r v / (Wh + r + lambda); x holds Wh + r.
  void move_dense_outliers(Index j0, Index j1, const Scalar* x) {
    const Index n = j1 - j0;
    Workspace work;
    auto* v = work.take<Scalar>(F_ * n);
    copy_block(v_, 0, F_, j0, j1, v);
    for (Index j = 0; j < n; ++j) {
      Scalar* r = moving_->dense.col(v_.sample(j0 + j)).data();
      for (Index f = 0; f < F_; ++f) r[f] = r[f] * v[j * F_ + f] / (x[j * F_ + f] + term_.lambda);
    }
  }
  template <class Offset>
  void move_sparse_outliers(const Entries<Scalar, Offset>& e, Index j) {
    Workspace work;
    auto* x = work.take<Scalar>(e.count);
    sample(e.rows, e.count, basis_.W.data(), h_.data() + j * K_, K_, x);
    Scalar* r = moving_->values.data() + R_.offsets[static_cast<std::size_t>(v_.sample(j))];
    for (Index p = 0; p < e.count; ++p) r[p] = r[p] * (v_.scale * e.values[p]) / (x[p] + r[p] + term_.lambda);
  }
  void move_outliers(Index j0, Index j1) {
    std::visit(
        [&](const auto& data) {
          if constexpr (is_dense<std::decay_t<decltype(data)>>) {
            Workspace work;
            auto* x = work.take<Scalar>(F_ * (j1 - j0));
            approximate(basis_.W, 0, F_, h_.data() + j0 * K_, j1 - j0, x);
            for (Index j = j0; j < j1; ++j)
              add_scaled(x + (j - j0) * F_, Scalar(1), R_.dense.col(v_.sample(j)).data(), F_);
            move_dense_outliers(j0, j1, x);
          } else {
            for (Index j = j0; j < j1; ++j) move_sparse_outliers(entries(v_, data, j), j);
          }
        },
        v_.data);
  }

  const DataTerm<Scalar>& term_;
  const Basis<Scalar>& basis_;
  const Batch<Scalar>& v_;
  Matrix<Scalar>& h_;
  const Outliers<Scalar>& R_;
  Outliers<Scalar>* moving_;  // R again, where it is to move
  Index F_;
  Index K_;
  Index tile_;
  Matrix<Scalar> A_;  // W'V, where it does not change with h
};

}  // namespace

template <class Scalar>
Basis<Scalar>::Basis(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& dictionary) : W(dictionary) {
  if (term.frobenius()) gram = WtW(W);
  if (term.kl()) column_sums = item_sum(W.data(), W.rows(), W.cols());
}

template <class Scalar>
int update_h(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
             Matrix<Scalar>& h, Outliers<Scalar>& R, const Repeats& repeats, const ColumnFeed<Scalar>& feed) {
  HStep<Scalar> step(term, basis, v, h, R, &R);
  if (repeats.rule == HRule::fixed) {
    parallel_tiles(v.count, step.tile(), [&](Index j0, Index j1) {
      step.prepare(j0, j1);
      for (int l = 0; l < repeats.most; ++l) step.move(j0, j1, false);
    });
    return repeats.most;
  }
  const Matrix<Scalar> h0 = h;
  std::vector<double> changes(static_cast<std::size_t>((v.count + step.tile() - 1) / step.tile()));
  double first = 0;
  for (int l = 1; l <= repeats.most; ++l) {
    parallel_tiles(v.count, step.tile(), [&](Index j0, Index j1) {
      if (l == 1) step.prepare(j0, j1);
      changes[static_cast<std::size_t>(j0 / step.tile())] = step.move(j0, j1, true);
    });
    double change = 0;
    for (const double c : changes) change += c;
    change = feed.total(change);
    if (l == 1) first = change;
    // Squared norms over the whole batch; <= so that an h that has come to rest ends the loop.
    const double reference =
        repeats.rule == HRule::gillis
            ? first
            : feed.total(static_cast<double>((h - h0).template cast<double>().squaredNorm()));
    const double bound = repeats.tolerance * repeats.tolerance * reference;
    if (repeats.rule == HRule::gillis ? (l > 1 && change < bound) || change == 0 : change <= bound) return l;
  }
  return repeats.most;
}

template <class Scalar>
Matrix<Scalar> gradient_h(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                          const Matrix<Scalar>& h, const Outliers<Scalar>& R) {
  // The parts of the h step are the parts of the gradient.
  Matrix<Scalar> at = h;
  HStep<Scalar> step(term, basis, v, at, R, nullptr);
  Matrix<Scalar> gradient(h.rows(), h.cols());
  parallel_tiles(v.count, step.tile(), [&](Index j0, Index j1) {
    const Index size = h.rows() * (j1 - j0);
    Workspace work;
    auto* up = work.take<Scalar>(size);
    auto* down = work.take<Scalar>(size);
    step.prepare(j0, j1);
    step.parts(j0, j1, up, down);
    const Scalar* minus = step.numerator(j0, up);
    for (Index i = 0; i < size; ++i) gradient.data()[j0 * h.rows() + i] = down[i] - minus[i];
  });
  return gradient;
}

#define SVRMU_INSTANTIATE(S)                                                                               \
  template struct Basis<S>;                                                                                \
  template int update_h<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, Matrix<S>&, Outliers<S>&, \
                           const Repeats&, const ColumnFeed<S>&);                                          \
  template Matrix<S> gradient_h<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, const Matrix<S>&, \
                                   const Outliers<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
