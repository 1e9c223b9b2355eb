#include "linalg/data_term.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "linalg/batch_products.hpp"
#include "linalg/blas.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

template <class T>
inline constexpr bool is_dense = false;
template <class Scalar>
inline constexpr bool is_dense<DenseColumns<Scalar>> = true;

// Columns of a dense tile that is worked on entry by entry: about 64k numbers.
Index entry_tile(Index features) {
  return std::clamp<Index>((Index{1} << 16) / std::max<Index>(features, 1), 8, 128);
}

template <class Scalar>
Scalar floored(Scalar x) {
  return std::max(x, floor_value<Scalar>);
}

// x <- W h for features f0 .. f1 (column-major, f1 - f0 rows).
template <class Scalar>
void approximate(const RowMatrix<Scalar>& W, Index f0, Index f1, const Scalar* h, Index columns, Scalar* x) {
  const Index K = W.cols();
  gemm(Op::transposed, Op::plain, f1 - f0, columns, K, Scalar(1), W.data() + f0 * K, K, h, K, Scalar(0), x,
       f1 - f0);
}

// The two parts of the derivative of a beta-divergence at x: v x^(beta-2) and x^(beta-1).
template <class Scalar>
void beta_parts(double beta, const Scalar* v, const Scalar* x, Index n, Scalar* minus, Scalar* plus) {
  if (beta == 1) {
    for (Index i = 0; i < n; ++i) minus[i] = v[i] / floored(x[i]);
  } else if (beta == 0) {
    for (Index i = 0; i < n; ++i) {
      const Scalar inverse = 1 / floored(x[i]);
      plus[i] = inverse;
      minus[i] = v[i] * inverse * inverse;
    }
  } else {
    const auto power = static_cast<Scalar>(beta - 2);
    for (Index i = 0; i < n; ++i) {
      const Scalar at = floored(x[i]);
      const Scalar p = std::pow(at, power);
      minus[i] = v[i] * p;
      plus[i] = p * at;
    }
  }
}

double beta_divergence(double beta, double v, double x) {
  if (beta == 2) return 0.5 * (v - x) * (v - x);
  x = std::max(x, 0x1p-52);
  if (beta == 1) return v > 0 ? v * std::log(v / x) - v + x : x;
  if (beta == 0) return v / x - std::log(v / x) - 1;
  return (std::pow(v, beta) + (beta - 1) * std::pow(x, beta) - beta * v * std::pow(x, beta - 1)) /
         (beta * (beta - 1));
}

// Sparse KL, and sparse outliers, touch only the stored entries; every other case but plain Frobenius needs
// all of x.
template <class Scalar>
bool on_pattern(const DataTerm<Scalar>& term, const Batch<Scalar>& v) {
  return !std::holds_alternative<DenseColumns<Scalar>>(v.data) && (term.frobenius() || term.kl());
}

template <class Scalar>
const Scalar* stored_outliers(const Outliers<Scalar>& R, const Batch<Scalar>& v, Index j) {
  return R.values.data() + R.offsets[static_cast<std::size_t>(v.sample(j))];
}

// The h step on tiles of one batch.
template <class Scalar>
class HStep {
 public:
  HStep(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v, Matrix<Scalar>& h,
        Outliers<Scalar>& R)
      : term_(term), basis_(basis), v_(v), h_(h), R_(R), F_(v.features), K_(h.rows()) {
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
    Scalar* up = scratch<Scalar>(0, K_ * n);
    Scalar* down = scratch<Scalar>(1, K_ * n);
    parts(j0, j1, up, down);
    const auto exponent = static_cast<Scalar>(term_.exponent);
    double change = 0;
    if (want_change)
      change = kernels<Scalar>().ratio_change(h, numerator(j0, up), down, K_ * n, term_.on_h, exponent);
    else
      kernels<Scalar>().ratio(h, numerator(j0, up), down, K_ * n, term_.on_h, Scalar(1), exponent);
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
    Scalar* x = scratch<Scalar>(2, F_ * n);
    approximate(basis_.W, 0, F_, h_.data() + j0 * K_, n, x);
    if (term_.outliers == OutlierModel::multiplicative) {
      for (Index j = 0; j < n; ++j)
        kernels<Scalar>().add_scaled(x + j * F_, Scalar(1), R_.dense.col(v_.sample(j0 + j)).data(), F_);
      times_Wt(x, n, down);
      if (!term_.sequential) move_dense_outliers(j0, j1, x);
      return;
    }
    Scalar* v = scratch<Scalar>(3, F_ * n);
    copy_block(v_, 0, F_, j0, j1, v);
    if (term_.outliers == OutlierModel::closed_form) {
      for (Index i = 0; i < F_ * n; ++i) v[i] = std::min(v[i], x[i] + term_.lambda);
      times_Wt(v, n, up);
      times_gram(j0, j1, down);
      return;
    }
    beta_parts(term_.beta, v, x, F_ * n, v, x);
    times_Wt(v, n, up);
    if (term_.kl())
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
      const auto e = entries(v_, data, j);
      if (term_.outliers == OutlierModel::multiplicative) {
        Scalar* Wtr = scratch<Scalar>(2, K_);
        gather(e.rows, stored_outliers(R_, v_, j), e.count, basis_.W.data(), K_, Scalar(1), Wtr);
        kernels<Scalar>().add_scaled(down + (j - j0) * K_, Scalar(1), Wtr, K_);
        if (!term_.sequential) move_sparse_outliers(e, j);
        continue;
      }
      Scalar* x = scratch<Scalar>(2, e.count);
      sample(e.rows, e.count, basis_.W.data(), h_.data() + j * K_, K_, x);
      for (Index p = 0; p < e.count; ++p) {
        const Scalar v = v_.scale * e.values[p];
        x[p] = term_.kl() ? v / floored(x[p]) : std::min(v, x[p] + term_.lambda);
      }
      gather(e.rows, x, e.count, basis_.W.data(), K_, Scalar(1), up + (j - j0) * K_);
    }
  }

  // r <- r v / (Wh + r + lambda); x holds Wh + r.
  void move_dense_outliers(Index j0, Index j1, const Scalar* x) {
    const Index n = j1 - j0;
    Scalar* v = scratch<Scalar>(3, F_ * n);
    copy_block(v_, 0, F_, j0, j1, v);
    for (Index j = 0; j < n; ++j) {
      Scalar* r = R_.dense.col(v_.sample(j0 + j)).data();
      for (Index f = 0; f < F_; ++f) r[f] = r[f] * v[j * F_ + f] / (x[j * F_ + f] + term_.lambda);
    }
  }
  template <class Offset>
  void move_sparse_outliers(const Entries<Scalar, Offset>& e, Index j) {
    Scalar* x = scratch<Scalar>(3, e.count);
    sample(e.rows, e.count, basis_.W.data(), h_.data() + j * K_, K_, x);
    Scalar* r = R_.values.data() + R_.offsets[static_cast<std::size_t>(v_.sample(j))];
    for (Index p = 0; p < e.count; ++p) r[p] = r[p] * (v_.scale * e.values[p]) / (x[p] + r[p] + term_.lambda);
  }
  void move_outliers(Index j0, Index j1) {
    std::visit(
        [&](const auto& data) {
          if constexpr (is_dense<std::decay_t<decltype(data)>>) {
            Scalar* x = scratch<Scalar>(2, F_ * (j1 - j0));
            approximate(basis_.W, 0, F_, h_.data() + j0 * K_, j1 - j0, x);
            for (Index j = j0; j < j1; ++j)
              kernels<Scalar>().add_scaled(x + (j - j0) * F_, Scalar(1), R_.dense.col(v_.sample(j)).data(),
                                           F_);
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
  Outliers<Scalar>& R_;
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
  HStep<Scalar> step(term, basis, v, h, R);
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
void Sums<Scalar>::reset(const DataTerm<Scalar>& term, Index F, Index K) {
  up.setZero(F, K);
  HHt.setZero(term.frobenius() ? K : 0, term.frobenius() ? K : 0);
  h_sum.setZero(term.kl() ? K : 0, term.kl() ? 1 : 0);
  const bool needs_rest = term.outliers == OutlierModel::multiplicative || !(term.frobenius() || term.kl());
  rest.setZero(needs_rest ? F : 0, needs_rest ? K : 0);
}

template <class Scalar>
void Sums<Scalar>::add_down(double scale, const RowMatrix<Scalar>& W, Combination<Scalar>& down) const {
  if (HHt.size() > 0) down.add(scale, W, HHt);
  if (h_sum.size() > 0) down.add_row(scale, h_sum);
  if (rest.size() > 0) down.add(scale, rest);
}

template <class Scalar>
void Sums<Scalar>::blend(double a, const Sums& other, double b) {
  const auto x = static_cast<Scalar>(a);
  const auto y = static_cast<Scalar>(b);
  up = x * up + y * other.up;
  HHt = x * HHt + y * other.HHt;
  h_sum = x * h_sum + y * other.h_sum;
  rest = x * rest + y * other.rest;
}

namespace {

// Adds what the entries of V (transformed by loss or clipping) contribute to up and rest.
template <class Scalar>
void add_transformed(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                     const Matrix<Scalar>& h, const Matrix<Scalar>& hw, Sums<Scalar>& sums) {
  const Index K = W.cols();
  const auto transform = [&](Scalar value, Scalar x) {
    return term.kl() ? value / floored(x) : std::min(value, x + term.lambda);
  };
  if (on_pattern(term, v)) {
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
            const RowBlocks blocks(v.features, true);
            const std::vector<Index> splits = split_columns(v, data, blocks);
            parallel_for(blocks.count, [&](Index b) {
              for (Index j = 0; j < v.count; ++j) {
                const auto e = entries(v, data, j);
                const Index* split = splits.data() + j * (blocks.count + 1) + b;
                const Index n = split[1] - split[0];
                Scalar* x = scratch<Scalar>(2, n);
                sample(e.rows + split[0], n, W.data(), h.data() + j * K, K, x);
                for (Index p = 0; p < n; ++p) x[p] = transform(v.scale * e.values[split[0] + p], x[p]);
                scatter(e.rows + split[0], x, n, hw.data() + j * K, K, Scalar(1), sums.up.data());
              }
            });
          }
        },
        v.data);
    return;
  }
  const RowBlocks blocks(v.features, false);
  constexpr Index width = 256;
  parallel_for(blocks.count, [&](Index b) {
    const Index f0 = blocks.begin(b);
    const Index f1 = blocks.end(b);
    const Index height = f1 - f0;
    for (Index j0 = 0; j0 < v.count; j0 += width) {
      const Index n = std::min(v.count, j0 + width) - j0;
      Scalar* x = scratch<Scalar>(2, height * n);
      Scalar* y = scratch<Scalar>(3, height * n);
      approximate(W, f0, f1, h.data() + j0 * K, n, x);
      copy_block(v, f0, f1, j0, j0 + n, y);
      if (term.frobenius())
        for (Index i = 0; i < height * n; ++i) y[i] = transform(y[i], x[i]);
      else
        beta_parts(term.beta, y, x, height * n, y, x);
      gemm(Op::plain, Op::transposed, K, height, n, Scalar(1), hw.data() + j0 * K, K, y, height, Scalar(1),
           sums.up.data() + f0 * K, K);
      if (sums.rest.size() > 0)
        gemm(Op::plain, Op::transposed, K, height, n, Scalar(1), hw.data() + j0 * K, K, x, height, Scalar(1),
             sums.rest.data() + f0 * K, K);
    }
  });
}

// rest += R h' on the batch.
template <class Scalar>
void add_RHt(const Batch<Scalar>& v, const Outliers<Scalar>& R, const Matrix<Scalar>& hw,
             RowMatrix<Scalar>& rest) {
  if (R.dense.size() > 0) {
    Batch<Scalar> r = v;
    r.data = DenseColumns<Scalar>{R.dense.data(), 1, R.dense.rows()};
    r.first = v.first_sample;
    r.list = v.samples;
    r.scale = 1;
    add_VHt(r, hw.data(), hw.rows(), rest);
    return;
  }
  std::visit(
      [&](const auto& data) {
        if constexpr (!is_dense<std::decay_t<decltype(data)>>) {
          const RowBlocks blocks(v.features, true);
          const std::vector<Index> splits = split_columns(v, data, blocks);
          parallel_for(blocks.count, [&](Index b) {
            for (Index j = 0; j < v.count; ++j) {
              const auto e = entries(v, data, j);
              const Index* split = splits.data() + j * (blocks.count + 1) + b;
              scatter(e.rows + split[0], stored_outliers(R, v, j) + split[0], split[1] - split[0],
                      hw.data() + j * hw.rows(), hw.rows(), Scalar(1), rest.data());
            }
          });
        }
      },
      v.data);
}

template <class Scalar>
Matrix<Scalar> weighted(const Batch<Scalar>& v, const Matrix<Scalar>& h) {
  return h * Eigen::Map<const Eigen::Array<Scalar, Eigen::Dynamic, 1>>(v.weights.data(), v.count)
                 .matrix()
                 .asDiagonal();
}

// Everything but V h' of the plain Frobenius case.
template <class Scalar>
void add_all_but_VHt(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                     const Matrix<Scalar>& h, const Matrix<Scalar>& hw, const Outliers<Scalar>& R,
                     Sums<Scalar>& sums) {
  const Scalar* weights = v.weights.empty() ? nullptr : v.weights.data();
  if (term.frobenius()) sums.HHt += gram(h.data(), v.count, h.rows(), weights);
  if (term.kl()) sums.h_sum += item_sum(h.data(), v.count, h.rows(), weights);
  if (!term.frobenius() || term.outliers == OutlierModel::closed_form)
    add_transformed(term, W, v, h, hw, sums);
  if (term.outliers == OutlierModel::multiplicative) add_RHt(v, R, hw, sums.rest);
}

template <class Scalar>
bool plain_VHt(const DataTerm<Scalar>& term) {
  return term.frobenius() && term.outliers != OutlierModel::closed_form;
}

}  // namespace

template <class Scalar>
void add_sums(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
              const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums) {
  if (v.count == 0) return;
  Matrix<Scalar> repeated;
  if (!v.weights.empty()) repeated = weighted(v, h);
  const Matrix<Scalar>& hw = v.weights.empty() ? h : repeated;
  if (plain_VHt(term)) add_VHt(v, hw.data(), h.rows(), sums.up);
  add_all_but_VHt(term, W, v, h, hw, R, sums);
}

template <class Scalar>
void add_sums_pair(const DataTerm<Scalar>& term, const Batch<Scalar>& v, const RowMatrix<Scalar>& W,
                   const Matrix<Scalar>& h, const Outliers<Scalar>& R, Sums<Scalar>& sums,
                   const RowMatrix<Scalar>& Ws, const Matrix<Scalar>& hs, const Outliers<Scalar>& Rs,
                   Sums<Scalar>& sums_s) {
  if (v.count == 0) return;
  if (!plain_VHt(term) || !v.weights.empty()) {
    add_sums(term, W, v, h, R, sums);
    add_sums(term, Ws, v, hs, Rs, sums_s);
    return;
  }
  add_VHt(v, h.data(), h.rows(), sums.up, hs.data(), &sums_s.up);
  add_all_but_VHt(term, W, v, h, h, R, sums);
  add_all_but_VHt(term, Ws, v, hs, hs, Rs, sums_s);
}

template <class Scalar>
void all_sums(const DataTerm<Scalar>& term, ColumnFeed<Scalar>& feed, Counted counted,
              const Factors<Scalar>& f, Sums<Scalar>& sums) {
  sums.reset(term, f.W.rows(), f.W.cols());
  Matrix<Scalar> h;
  for (const Batch<Scalar>& v : feed.blocks(counted)) {
    take_columns(f.H, v, h);
    add_sums(term, f.W, v, h, f.R, sums);
  }
  sums.total_over(feed);
}

Cost& Cost::operator+=(const Cost& other) {
  loss += other.loss;
  outliers += other.outliers;
  squared += other.squared;
  return *this;
}

template <class Scalar>
Cost direct_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Batch<Scalar>& v,
                 const Matrix<Scalar>& h, const Outliers<Scalar>& R) {
  const Index F = v.features;
  const Index tile = entry_tile(F);
  std::vector<Cost> costs(static_cast<std::size_t>((v.count + tile - 1) / tile));
  parallel_tiles(v.count, tile, [&](Index j0, Index j1) {
    const Index n = j1 - j0;
    Scalar* x = scratch<Scalar>(2, F * n);
    Scalar* y = scratch<Scalar>(3, F * n);
    approximate(W, 0, F, h.data() + j0 * h.rows(), n, x);
    copy_block(v, 0, F, j0, j1, y);
    Cost& cost = costs[static_cast<std::size_t>(j0 / tile)];
    for (Index j = 0; j < n; ++j)
      for (Index f = 0; f < F; ++f) {
        const double value = y[j * F + f];
        const double at = x[j * F + f];
        double r = 0;
        if (term.outliers == OutlierModel::closed_form)
          r = std::max(value - at - static_cast<double>(term.lambda), 0.0);
        else if (term.outliers == OutlierModel::multiplicative && R.dense.size() > 0)
          r = R.dense(f, v.sample(j0 + j));
        const double residual = value - at - r;
        cost.squared += residual * residual;
        cost.outliers += static_cast<double>(term.lambda) * r;
        if (!term.frobenius()) cost.loss += beta_divergence(term.beta, value, at);
      }
    if (term.frobenius()) cost.loss = cost.squared / 2;
  });
  Cost total;
  for (const Cost& cost : costs) total += cost;
  return total;
}

template <class Scalar>
Cost pattern_cost(const DataTerm<Scalar>& term, const RowMatrix<Scalar>& W, const Matrix<Scalar>& gram,
                  const Matrix<Scalar>& column_sums, const Batch<Scalar>& v, const Matrix<Scalar>& h,
                  const Outliers<Scalar>& R) {
  const Index K = W.cols();
  std::vector<Cost> costs(static_cast<std::size_t>((v.count + column_tile - 1) / column_tile));
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Index n = j1 - j0;
    Cost& cost = costs[static_cast<std::size_t>(j0 / column_tile)];
    // ||Wh||^2 and sum(Wh) over all features; the stored entries then correct where V is not zero.
    Scalar* Gh = scratch<Scalar>(0, K * n);
    gemm(Op::plain, Op::plain, K, n, K, Scalar(1), gram.data(), K, h.data() + j0 * K, K, Scalar(0), Gh, K);
    for (Index i = 0; i < K * n; ++i)
      cost.squared += static_cast<double>(Gh[i]) * static_cast<double>(h.data()[j0 * K + i]);
    if (term.kl())
      for (Index j = j0; j < j1; ++j)
        for (Index k = 0; k < K; ++k)
          cost.loss += static_cast<double>(column_sums(k, 0)) * static_cast<double>(h(k, j));
    std::visit(
        [&](const auto& data) {
          if constexpr (!is_dense<std::decay_t<decltype(data)>>)
            for (Index j = j0; j < j1; ++j) {
              const auto e = entries(v, data, j);
              Scalar* x = scratch<Scalar>(2, e.count);
              sample(e.rows, e.count, W.data(), h.data() + j * K, K, x);
              for (Index p = 0; p < e.count; ++p) {
                const double value = v.scale * e.values[p];
                const double at = x[p];
                double r = 0;
                if (term.outliers == OutlierModel::closed_form)
                  r = std::max(value - at - static_cast<double>(term.lambda), 0.0);
                else if (term.outliers == OutlierModel::multiplicative)
                  r = stored_outliers(R, v, j)[p];
                const double residual = value - at - r;
                cost.squared += residual * residual - at * at;
                cost.outliers += static_cast<double>(term.lambda) * r;
                if (term.kl()) cost.loss += beta_divergence(1, value, at) - std::max(at, 0x1p-52);
              }
            }
        },
        v.data);
    if (term.frobenius()) cost.loss = cost.squared / 2;
  });
  Cost total;
  for (const Cost& cost : costs) total += cost;
  return total;
}

template <class Scalar>
Matrix<Scalar> gradient_h(const DataTerm<Scalar>& term, const Basis<Scalar>& basis, const Batch<Scalar>& v,
                          const Matrix<Scalar>& h, const Outliers<Scalar>& R) {
  // The parts of the h step are the parts of the gradient; copies keep h and R where they are.
  Matrix<Scalar> at = h;
  DataTerm<Scalar> still = term;
  still.sequential = true;
  auto& fixed_R =
      const_cast<Outliers<Scalar>&>(R);  // not written: only the simultaneous step moves it in parts()
  HStep<Scalar> step(still, basis, v, at, fixed_R);
  Matrix<Scalar> gradient(h.rows(), h.cols());
  parallel_tiles(v.count, step.tile(), [&](Index j0, Index j1) {
    const Index size = h.rows() * (j1 - j0);
    Scalar* up = scratch<Scalar>(0, size);
    Scalar* down = scratch<Scalar>(1, size);
    step.prepare(j0, j1);
    step.parts(j0, j1, up, down);
    const Scalar* minus = step.numerator(j0, up);
    for (Index i = 0; i < size; ++i) gradient.data()[j0 * h.rows() + i] = down[i] - minus[i];
  });
  return gradient;
}

#define SVRMU_INSTANTIATE(S)                                                                                 \
  template struct Basis<S>;                                                                                  \
  template struct Sums<S>;                                                                                   \
  template int update_h<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, Matrix<S>&, Outliers<S>&,   \
                           const Repeats&, const ColumnFeed<S>&);                                            \
  template void add_sums<S>(const DataTerm<S>&, const RowMatrix<S>&, const Batch<S>&, const Matrix<S>&,      \
                            const Outliers<S>&, Sums<S>&);                                                   \
  template void add_sums_pair<S>(const DataTerm<S>&, const Batch<S>&, const RowMatrix<S>&, const Matrix<S>&, \
                                 const Outliers<S>&, Sums<S>&, const RowMatrix<S>&, const Matrix<S>&,        \
                                 const Outliers<S>&, Sums<S>&);                                              \
  template void all_sums<S>(const DataTerm<S>&, ColumnFeed<S>&, Counted, const Factors<S>&, Sums<S>&);       \
  template Cost direct_cost<S>(const DataTerm<S>&, const RowMatrix<S>&, const Batch<S>&, const Matrix<S>&,   \
                               const Outliers<S>&);                                                          \
  template Cost pattern_cost<S>(const DataTerm<S>&, const RowMatrix<S>&, const Matrix<S>&, const Matrix<S>&, \
                                const Batch<S>&, const Matrix<S>&, const Outliers<S>&);                      \
  template Matrix<S> gradient_h<S>(const DataTerm<S>&, const Basis<S>&, const Batch<S>&, const Matrix<S>&,   \
                                   const Outliers<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
