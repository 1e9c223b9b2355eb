#include "linalg/products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/gemm.hpp"
#include "linalg/kernels.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

constexpr Index item_tile = 128;
constexpr Index value_tile = 1 << 14;

// Partial sums are K x K each: few of them, however many items there are.
Index sum_tile(Index items) { return std::max<Index>(512, (items + 31) / 32); }

// Adds up partial results in tile order, so that the total does not depend on which thread made which.
template <class Partial, class Body>
Partial tiled_sum(Index items, Index tile, const Partial& zero, const Body& body) {
  std::vector<Partial> partial(static_cast<std::size_t>((items + tile - 1) / tile), zero);
  parallel_tiles(items, tile, [&](Index begin, Index end) {
    body(begin, end, partial[static_cast<std::size_t>(begin / tile)]);
  });
  Partial total = zero;
  for (const Partial& p : partial) total += p;
  return total;
}

}  // namespace

template <class Scalar>
Matrix<Scalar> gram(const Scalar* items, Index count, Index K, const Scalar* weights) {
  const Kernels<Scalar>& k = kernels<Scalar>();
  const Index Kp = gram_stride(k.width, K);
  const RowMatrix<double> zero = RowMatrix<double>::Zero(Kp, Kp);
  const RowMatrix<double> total =
      tiled_sum(count, sum_tile(count), zero, [&](Index begin, Index end, RowMatrix<double>& G) {
        Workspace work;
        const Scalar* x = items + begin * K;
        if (weights != nullptr) {
          auto* weighted = work.take<Scalar>(K * (end - begin));
          for (Index i = begin; i < end; ++i)
            for (Index l = 0; l < K; ++l)
              weighted[(i - begin) * K + l] = std::sqrt(weights[i]) * items[i * K + l];
          x = weighted;
        }
        k.add_gram(x, end - begin, K, work.take<Scalar>(gram_panel * Kp), G.data());
      });
  return total.topLeftCorner(K, K)
      .template selfadjointView<Eigen::Upper>()
      .toDenseMatrix()
      .template cast<Scalar>();
}

template <class Scalar>
Matrix<Scalar> item_sum(const Scalar* items, Index count, Index K, const Scalar* weights) {
  const Matrix<Scalar> zero = Matrix<Scalar>::Zero(K, 1);
  return tiled_sum(count, sum_tile(count), zero, [&](Index begin, Index end, Matrix<Scalar>& sum) {
    for (Index i = begin; i < end; ++i)
      kernels<Scalar>().add_scaled(sum.data(), weights != nullptr ? weights[i] : Scalar(1), items + i * K, K);
  });
}

template <class Scalar>
double inner_product(const Scalar* a, const Scalar* b, Index count) {
  return tiled_sum(count, value_tile, 0.0, [&](Index begin, Index end, double& sum) {
    sum = kernels<Scalar>().inner_product(a + begin, b + begin, end - begin);
  });
}

template <class Scalar>
double inner_product(const RowMatrix<Scalar>& A, const RowMatrix<Scalar>& B) {
  return inner_product(A.data(), B.data(), A.size());
}

template <class Scalar>
double inner_product(const Matrix<Scalar>& A, const Matrix<Scalar>& B) {
  return inner_product(A.data(), B.data(), A.size());
}

template <class Scalar>
Norms norms(const Scalar* values, Index count) {
  struct Sum : Norms {
    Sum& operator+=(const Sum& other) {
      l1 += other.l1;
      squared += other.squared;
      return *this;
    }
  };
  return tiled_sum(count, value_tile, Sum{}, [&](Index begin, Index end, Sum& sum) {
    for (Index i = begin; i < end; ++i) {
      const auto x = static_cast<double>(values[i]);
      sum.l1 += x;
      sum.squared += x * x;
    }
  });
}

template <class Scalar>
Combination<Scalar>& Combination<Scalar>::add(double scale, const RowMatrix<Scalar>& M) {
  terms_.at(count_++) = {static_cast<Scalar>(scale), &M, nullptr};
  return *this;
}

template <class Scalar>
Combination<Scalar>& Combination<Scalar>::add(double scale, const RowMatrix<Scalar>& M,
                                              const Matrix<Scalar>& G) {
  terms_.at(count_++) = {static_cast<Scalar>(scale), &M, &G};
  return *this;
}

template <class Scalar>
Combination<Scalar>& Combination<Scalar>::add_row(double scale, const Matrix<Scalar>& g) {
  terms_.at(count_++) = {static_cast<Scalar>(scale), nullptr, &g};
  return *this;
}

template <class Scalar>
void Combination<Scalar>::evaluate(Index begin, Index end, Index K, Scalar* out) const {
  const Index size = (end - begin) * K;
  if (count_ == 0) std::fill_n(out, size, Scalar(0));
  for (std::size_t t = 0; t < count_; ++t) {
    const Term& term = terms_[t];
    if (term.M != nullptr && term.G != nullptr) {
      // Rows are items: (M G)' = G' M', and G is symmetric.
      gemm(Op::plain, Op::plain, K, end - begin, K, term.scale, term.G->data(), K, term.M->data() + begin * K,
           K, Scalar(t == 0 ? 0 : 1), out, K);
      continue;
    }
    if (t == 0) std::fill_n(out, size, Scalar(0));
    if (term.M != nullptr)
      kernels<Scalar>().add_scaled(out, term.scale, term.M->data() + begin * K, size);
    else
      for (Index i = 0; i < end - begin; ++i)
        kernels<Scalar>().add_scaled(out + i * K, term.scale, term.G->data(), K);
  }
}

template <class Scalar>
RowMatrix<Scalar> Combination<Scalar>::evaluate(Index F, Index K) const {
  RowMatrix<Scalar> sum(F, K);
  parallel_tiles(F, item_tile,
                 [&](Index begin, Index end) { evaluate(begin, end, K, sum.data() + begin * K); });
  return sum;
}

template <class Scalar>
void multiply_by_ratio(RowMatrix<Scalar>& W, const Combination<Scalar>& up, const Combination<Scalar>& down,
                       Shrink<Scalar> shrink, double step, double exponent) {
  const Index K = W.cols();
  parallel_tiles(W.rows(), item_tile, [&](Index begin, Index end) {
    const Index size = (end - begin) * K;
    Workspace work;
    auto* P = work.take<Scalar>(size);
    auto* Q = work.take<Scalar>(size);
    up.evaluate(begin, end, K, P);
    down.evaluate(begin, end, K, Q);
    kernels<Scalar>().ratio(W.data() + begin * K, P, Q, size, shrink, static_cast<Scalar>(step),
                            static_cast<Scalar>(exponent));
  });
}

template <class Scalar>
void extrapolate_by_ratio(Scalar* x, const Scalar* before, Index count, double a) {
  const auto share = static_cast<Scalar>(a);
  parallel_tiles(count, value_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Scalar now = x[i];
      const Scalar last = before[i];
      const Scalar grown = now * (1 + share * (now / last - 1));
      const Scalar shrunk = now / (1 + share * (last / now - 1));
      x[i] = std::max(now >= last ? grown : shrunk, floor_value<Scalar>);
    }
  });
}

template <class Scalar>
double mu_sweep(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink) {
  const Index K = G.rows();
  return tiled_sum(count, item_tile, 0.0, [&](Index begin, Index end, double& change) {
    const Index size = (end - begin) * K;
    Workspace work;
    auto* GX = work.take<Scalar>(size);
    gemm(Op::plain, Op::plain, K, end - begin, K, Scalar(1), G.data(), K, X + begin * K, K, Scalar(0), GX, K);
    change = kernels<Scalar>().ratio_change(X + begin * K, A + begin * K, GX, size, shrink, Scalar(1));
  });
}

template <class Scalar>
double hals_tile(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink,
                 int sweeps) {
  const Kernels<Scalar>& k = kernels<Scalar>();
  Workspace work;
  return k.hals_sweeps(X, A, count, G.data(), G.rows(), shrink, sweeps,
                       work.take<Scalar>(hals_work(k.lanes, G.rows())));
}

template <class Scalar>
double hals_sweep(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G, Shrink<Scalar> shrink,
                  int sweeps) {
  const Index K = G.rows();
  return tiled_sum(count, item_tile, 0.0, [&](Index begin, Index end, double& change) {
    change = hals_tile(X + begin * K, A + begin * K, end - begin, G, shrink, sweeps);
  });
}

template <class Scalar>
double hals_violation(Scalar* X, const Scalar* A, Index count, const Matrix<Scalar>& G,
                      Shrink<Scalar> shrink) {
  const Kernels<Scalar>& k = kernels<Scalar>();
  const Index K = G.rows();
  return tiled_sum(count, item_tile, 0.0, [&](Index begin, Index end, double& violation) {
    Workspace work;
    violation = k.hals_violation(X + begin * K, A + begin * K, end - begin, G.data(), K, shrink,
                                 work.take<Scalar>(hals_work(k.lanes, K)));
  });
}

#define SVRMU_INSTANTIATE(S)                                                                                 \
  template Matrix<S> gram<S>(const S*, Index, Index, const S*);                                              \
  template Matrix<S> item_sum<S>(const S*, Index, Index, const S*);                                          \
  template double inner_product<S>(const S*, const S*, Index);                                               \
  template double inner_product<S>(const RowMatrix<S>&, const RowMatrix<S>&);                                \
  template double inner_product<S>(const Matrix<S>&, const Matrix<S>&);                                      \
  template Norms norms<S>(const S*, Index);                                                                  \
  template class Combination<S>;                                                                             \
  template void multiply_by_ratio<S>(RowMatrix<S>&, const Combination<S>&, const Combination<S>&, Shrink<S>, \
                                     double, double);                                                        \
  template void extrapolate_by_ratio<S>(S*, const S*, Index, double);                                        \
  template double mu_sweep<S>(S*, const S*, Index, const Matrix<S>&, Shrink<S>);                             \
  template double hals_tile<S>(S*, const S*, Index, const Matrix<S>&, Shrink<S>, int);                       \
  template double hals_sweep<S>(S*, const S*, Index, const Matrix<S>&, Shrink<S>, int);                      \
  template double hals_violation<S>(S*, const S*, Index, const Matrix<S>&, Shrink<S>);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
