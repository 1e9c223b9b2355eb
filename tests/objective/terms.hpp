// Every loss and outlier model, and the formulas of algorithms.md (sections 0, 2.5, 3, 6, 7) as they stand
// there.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "matrices.hpp"
#include "objective/cost.hpp"
#include "objective/data_term.hpp"
#include "objective/h_step.hpp"
#include "objective/sums.hpp"

namespace svrmu {

using Array = Eigen::ArrayXXd;

struct NamedTerm {
  std::string name;
  DataTerm<double> term;
};

inline double mm_exponent(double beta) { return beta < 1 ? 1 / (2 - beta) : beta > 2 ? 1 / (beta - 1) : 1; }

inline std::vector<NamedTerm> beta_terms() {
  std::vector<NamedTerm> list;
  for (const double beta : {2.0, 1.0, 0.0, 0.5, 1.5, 3.0}) {
    DataTerm<double> term;
    term.beta = beta;
    term.exponent = mm_exponent(beta);
    list.push_back({"beta " + std::to_string(beta), term});
    term.on_h = {0.25, 0.5};
    list.push_back({"beta " + std::to_string(beta) + " with penalties", term});
  }
  return list;
}

inline std::vector<NamedTerm> outlier_terms() {
  DataTerm<double> simultaneous;
  simultaneous.outliers = OutlierModel::multiplicative;
  simultaneous.lambda = 0.125;
  DataTerm<double> sequential = simultaneous;
  sequential.sequential = true;
  DataTerm<double> closed = simultaneous;
  closed.outliers = OutlierModel::closed_form;
  DataTerm<double> penalised = closed;
  penalised.on_h = {0.25, 0.5};
  return {{"simultaneous outliers", simultaneous},
          {"sequential outliers", sequential},
          {"closed-form outliers", closed},
          {"closed-form outliers with penalties", penalised}};
}

inline std::vector<NamedTerm> all_terms() {
  std::vector<NamedTerm> list = beta_terms();
  for (const NamedTerm& term : outlier_terms()) list.push_back(term);
  return list;
}

template <class Scalar>
DataTerm<Scalar> cast(const DataTerm<double>& term) {
  DataTerm<Scalar> out;
  out.beta = term.beta;
  out.exponent = term.exponent;
  out.on_w = {static_cast<Scalar>(term.on_w.l1), static_cast<Scalar>(term.on_w.l2)};
  out.on_h = {static_cast<Scalar>(term.on_h.l1), static_cast<Scalar>(term.on_h.l2)};
  out.outliers = term.outliers;
  out.lambda = static_cast<Scalar>(term.lambda);
  out.sequential = term.sequential;
  return out;
}

constexpr double machine_floor = 0x1p-52;

// H_B <- floor(H_B .* (minus ./ plus)^g), R_B <- R_B .* V_B ./ (X + lambda).
inline void literal_h_step(const DataTerm<double>& t, const Matrix<double>& W, const Matrix<double>& V,
                           Matrix<double>& h, Matrix<double>& R) {
  const Array shrink = t.on_h.l1 + t.on_h.l2 * h.array();
  const auto step = [&](const Array& up, const Array& down) {
    h = (h.array() * (up / (down + shrink)).pow(t.exponent)).max(machine_floor).matrix();
  };
  if (t.outliers == OutlierModel::multiplicative) {
    Array X = W * h + R;
    const Array R_from_old_h = R.array() * V.array() / (X + t.lambda);
    step((W.transpose() * V).array(), (W.transpose() * X.matrix()).array());
    X = W * h + R;
    R = t.sequential ? R.array() * V.array() / (X + t.lambda) : R_from_old_h;
  } else if (t.outliers == OutlierModel::closed_form) {
    const Array r = (V.array() - (W * h).array() - t.lambda).max(0);
    step((W.transpose() * (V.array() - r).matrix()).array(), (W.transpose() * W * h).array());
  } else {
    const Array x = (W * h).array().max(machine_floor);
    step((W.transpose() * (V.array() * x.pow(t.beta - 2)).matrix()).array(),
         (W.transpose() * x.pow(t.beta - 1).matrix()).array());
  }
}

// The two parts of the gradient in W: up = (v .* x^(b-2)) h', down = x^(b-1) h'.
struct Parts {
  Matrix<double> up;
  Matrix<double> down;
};
inline Parts literal_w_parts(const DataTerm<double>& t, const Matrix<double>& W, const Matrix<double>& V,
                             const Matrix<double>& h, const Matrix<double>& R) {
  const Array x = (W * h).array();
  if (t.outliers == OutlierModel::multiplicative)
    return {V * h.transpose(), (x + R.array()).matrix() * h.transpose()};
  if (t.outliers == OutlierModel::closed_form) {
    const Array r = (V.array() - x - t.lambda).max(0);
    return {(V.array() - r).matrix() * h.transpose(), x.matrix() * h.transpose()};
  }
  const Array at = x.max(machine_floor);
  return {(V.array() * at.pow(t.beta - 2)).matrix() * h.transpose(),
          at.pow(t.beta - 1).matrix() * h.transpose()};
}

inline double literal_divergence(double b, double v, double x) {
  if (b == 2) return 0.5 * (v - x) * (v - x);
  if (b == 1) return (v == 0 ? 0 : v * std::log(v / x)) - v + x;
  if (b == 0) return v / x - std::log(v / x) - 1;
  return (std::pow(v, b) + (b - 1) * std::pow(x, b) - b * v * std::pow(x, b - 1)) / (b * (b - 1));
}

// What the stored R of a batch is, and back: R is F x N, on V's pattern when V is sparse.
template <class Scalar>
Outliers<Scalar> store_outliers(const Matrix<double>& R, const Matrix<Scalar>& V, Kind kind) {
  Outliers<Scalar> out;
  if (!is_sparse(kind)) {
    out.dense = R.cast<Scalar>();
    return out;
  }
  out.offsets.push_back(0);
  for (Index n = 0; n < V.cols(); ++n) {
    for (Index f = 0; f < V.rows(); ++f)
      if (V(f, n) != Scalar(0)) out.values.push_back(static_cast<Scalar>(R(f, n)));
    out.offsets.push_back(static_cast<Index>(out.values.size()));
  }
  return out;
}
template <class Scalar>
Matrix<double> load_outliers(const Outliers<Scalar>& R, const Matrix<Scalar>& V, Kind kind) {
  if (!is_sparse(kind)) return R.dense.template cast<double>();
  Matrix<double> out = Matrix<double>::Zero(V.rows(), V.cols());
  std::size_t p = 0;
  for (Index n = 0; n < V.cols(); ++n)
    for (Index f = 0; f < V.rows(); ++f)
      if (V(f, n) != Scalar(0)) out(f, n) = static_cast<double>(R.values[p++]);
  return out;
}

inline Matrix<double> columns_of(const Matrix<double>& M, const std::vector<Index>& list) {
  Matrix<double> out(M.rows(), static_cast<Index>(list.size()));
  for (std::size_t j = 0; j < list.size(); ++j) out.col(static_cast<Index>(j)) = M.col(list[j]);
  return out;
}

// A problem in one layout: all in double for the formulas, and in Scalar for the library.
template <class Scalar>
struct Example {
  Example(Index F, Index K, Index N, Kind layout, const DataTerm<double>& model)
      : kind(layout), term_double(model), term(cast<Scalar>(model)) {
    V = with_zeros<Scalar>(F, N, 11);
    // Itakura-Saito and its kin need positive data.
    if (model.beta <= 0) V = (V.array() + Scalar(0.25)).matrix();
    W = random_matrix<RowMatrix<Scalar>>(F, K, 12, 0.1);
    H = random_matrix<Matrix<Scalar>>(K, N, 13, 0.1);
    R_double = Matrix<double>::Zero(F, N);
    if (model.outliers == OutlierModel::multiplicative) {
      const auto start = random_matrix<Matrix<Scalar>>(F, N, 14, 0.1).template cast<double>().eval();
      R_double = is_sparse(kind)
                     ? Matrix<double>((V.array() != Scalar(0)).select(start, Matrix<double>::Zero(F, N)))
                     : Matrix<double>(start);
      R = store_outliers(R_double, V, kind);
    }
    stored.emplace(V, kind);
    for (Index n = N - 1; n >= 0; --n) list.push_back(n);
    if (N > 3) std::swap(list[0], list[2]);
    list.resize(static_cast<std::size_t>(std::max<Index>(N - 2, 1)));
  }

  Batch<Scalar> batch(Scalar scale = 1) const { return stored->listed(list, scale); }
  Matrix<double> v(double scale = 1) const { return scale * columns_of(V.template cast<double>(), list); }
  Matrix<double> h() const { return columns_of(H.template cast<double>(), list); }
  Matrix<double> r() const { return columns_of(R_double, list); }
  Matrix<double> w() const { return W.template cast<double>(); }
  Matrix<Scalar> h_scalar() const { return h().template cast<Scalar>(); }

  Kind kind;
  DataTerm<double> term_double;
  DataTerm<Scalar> term;
  Matrix<Scalar> V;
  RowMatrix<Scalar> W;
  Matrix<Scalar> H;
  Matrix<double> R_double;
  Outliers<Scalar> R;
  std::optional<Stored<Scalar>> stored;
  std::vector<Index> list;  // the columns of the batch
};

// A feed that only has to total over a team of one.
template <class Scalar>
struct LoneFeed {
  const Matrix<Scalar> V = Matrix<Scalar>::Ones(1, 1);
  const std::unique_ptr<MatrixSource<Scalar>> source = view(V);
  const Team alone{};
  ColumnFeed<Scalar> feed{*source, alone, 0, Scalar(1), {}};
};

}  // namespace svrmu
