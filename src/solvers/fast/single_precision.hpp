// Factors in single precision: the factors themselves where that is their precision, else rounded copies. The
// only place of `fast` that tells the two apart, but for the cost of a pass and exact objectives.
#pragma once

#include <type_traits>

#include "data/factors.hpp"
#include "linalg/copies.hpp"
#include "objective/data_term.hpp"
#include "solvers/solver.hpp"

namespace svrmu::fast {

template <class Scalar>
inline constexpr bool is_single = std::is_same_v<Scalar, float>;

template <class Scalar>
DataTerm<float> in_single_precision(const DataTerm<Scalar>& term) {
  DataTerm<float> result;
  result.on_w = rounded(term.on_w);
  result.on_h = rounded(term.on_h);
  return result;
}

// H in single precision. Where that is V's precision, of(f.H) is f.H; else it is a copy, which begins as what
// round() was given, and is moved in its stead.
template <class Scalar>
class SingleH {
 public:
  void round(const Matrix<Scalar>& H) { assign(H_, H); }
  Matrix<float>& of(Matrix<Scalar>&) { return H_; }
  // The H of the epoch's start, which stays while the other one moves.
  const Matrix<float>& of_start(const Matrix<Scalar>& start) {
    assign(start_, start);
    return start_;
  }
  void give_back() {
    H_.resize(0, 0);
    start_.resize(0, 0);
  }

 private:
  Matrix<float> H_;
  Matrix<float> start_;
};

template <>
class SingleH<float> {
 public:
  void round(const Matrix<float>&) {}
  Matrix<float>& of(Matrix<float>& H) { return H; }
  const Matrix<float>& of_start(const Matrix<float>& start) { return start; }
  void give_back() {}
};

// (W, H) in single precision, alike: of(f) is f or a copy of it, which write_back() writes to f.
template <class Scalar>
class SingleFactors {
 public:
  // Rounded where there is no copy yet; else the copy as it is.
  Factors<float>& of(const Factors<Scalar>& f) {
    if (rounded_.W.size() == 0) assign(rounded_, f);
    return rounded_;
  }
  void write_back(Factors<Scalar>& f) const { assign(f, rounded_); }
  void give_back() { rounded_ = {}; }

 private:
  Factors<float> rounded_;
};

template <>
class SingleFactors<float> {
 public:
  Factors<float>& of(Factors<float>& f) { return f; }
  void write_back(Factors<float>&) const {}
  void give_back() {}
};

}  // namespace svrmu::fast
