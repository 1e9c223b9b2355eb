#include "linalg/low_rank.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "linalg/batch_products.hpp"
#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/products.hpp"

namespace svrmu {
namespace {

constexpr Index model_tile = 128;
constexpr int power_steps = 2;

// Few partial sums, however many items there are.
Index chunk_of(Index count) {
  const Index tiles = (count + model_tile - 1) / model_tile;
  return std::max<Index>(1, (tiles + 31) / 32) * model_tile;
}

// The items' new coordinates in orthonormal directions: X <- X T with T' (X'X) T = 1.
Matrix<double> whitening(const Matrix<double>& G) {
  const Eigen::LLT<Matrix<double>> cholesky(G);
  if (cholesky.info() == Eigen::Success) {
    const Eigen::VectorXd diagonal = Matrix<double>(cholesky.matrixL()).diagonal();
    if (diagonal.minCoeff() > 1e-3 * diagonal.maxCoeff()) {
      Matrix<double> inverse = Matrix<double>::Identity(G.rows(), G.cols());
      cholesky.matrixL().solveInPlace(inverse);
      return inverse;
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(G);
  const double most = eigen.eigenvalues().maxCoeff();
  Matrix<double> T = Matrix<double>::Zero(G.rows(), G.cols());
  for (Index i = 0; i < G.rows(); ++i) {
    const double value = eigen.eigenvalues()(i);
    if (value > 1e-7 * most && value > 0)
      T.row(i) = eigen.eigenvectors().col(i).transpose() / std::sqrt(value);
  }
  return T;
}

// W - Q Q'W
RowMatrix<float> outside(const RowMatrix<float>& Q, const RowMatrix<float>& W) {
  RowMatrix<float> R = W;
  const Matrix<double> WtQ = cross_sum(W.data(), W.cols(), Q.data(), Q.cols(), W.rows());
  add_transformed(-WtQ.cast<float>(), Q, R);
  return R;
}

// V X, by rows, in pieces of V that stay in the cache.
template <class Scalar>
RowMatrix<float> VX(const Batch<Scalar>& v, const RowMatrix<float>& X, const SumOverTeam& total) {
  constexpr Index width = 256;
  const Index l = X.cols();
  RowMatrix<float> Z = RowMatrix<float>::Zero(v.features, l);
  parallel_tiles(v.features, model_tile, [&](Index f0, Index f1) {
    for (Index j0 = 0; j0 < v.count; j0 += width) {
      const Index j1 = std::min(v.count, j0 + width);
      float* V = scratch<float>(5, (f1 - f0) * (j1 - j0));
      copy_block(v, f0, f1, j0, j1, V);
      gemm(Op::plain, Op::transposed, l, f1 - f0, j1 - j0, 1.0F, X.data() + j0 * l, l, V, f1 - f0, 1.0F,
           Z.data() + f0 * l, l);
    }
  });
  Matrix<double> sum = Z.cast<double>();
  total(sum);
  return sum.cast<float>();
}

}  // namespace

Matrix<double> cross_sum(const float* X, Index a, const float* Z, Index b, Index count) {
  const Index chunk = chunk_of(count);
  std::vector<Matrix<float>> partial(static_cast<std::size_t>((count + chunk - 1) / chunk));
  parallel_tiles(count, chunk, [&](Index begin, Index end) {
    Matrix<float>& sum = partial[static_cast<std::size_t>(begin / chunk)];
    sum.resize(a, b);
    gemm(Op::plain, Op::transposed, a, b, end - begin, 1.0F, X + begin * a, a, Z + begin * b, b, 0.0F,
         sum.data(), a);
  });
  Matrix<double> total = Matrix<double>::Zero(a, b);
  for (const Matrix<float>& p : partial) total += p.cast<double>();
  return total;
}

void add_transformed(const Matrix<float>& C, const RowMatrix<float>& X, RowMatrix<float>& Z) {
  parallel_tiles(X.rows(), model_tile, [&](Index begin, Index end) {
    gemm(Op::plain, Op::plain, C.rows(), end - begin, C.cols(), 1.0F, C.data(), C.rows(),
         X.data() + begin * X.cols(), X.cols(), 1.0F, Z.data() + begin * Z.cols(), Z.cols());
  });
}

void transform(const Matrix<float>& C, RowMatrix<float>& X) {
  const Index l = X.cols();
  parallel_tiles(X.rows(), model_tile, [&](Index begin, Index end) {
    float* copy = scratch<float>(0, l * (end - begin));
    std::copy_n(X.data() + begin * l, l * (end - begin), copy);
    gemm(Op::plain, Op::plain, l, end - begin, l, 1.0F, C.data(), l, copy, l, 0.0F, X.data() + begin * l, l);
  });
}

void orthonormalise(RowMatrix<float>& X, const SumOverTeam& total) {
  // Once more, since the first time squares the condition of X.
  for (int pass = 0; pass < 2; ++pass) {
    Matrix<double> G = cross_sum(X.data(), X.cols(), X.data(), X.cols(), X.rows());
    total(G);
    transform(whitening(G).cast<float>(), X);
  }
}

RowMatrix<float> random_signs(const std::vector<Index>& items, Index l, const Random& random) {
  RowMatrix<float> X(static_cast<Index>(items.size()), l);
  parallel_tiles(X.rows(), model_tile, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const auto item = static_cast<std::uint64_t>(items[static_cast<std::size_t>(j)]);
      for (Index i = 0; i < l; ++i) {
        const auto bits = random.bits(item, static_cast<std::uint64_t>(i / 128));
        X(j, i) = (bits[static_cast<std::size_t>(i % 128 / 32)] >> (i % 32) & 1U) != 0 ? 1.0F : -1.0F;
      }
    }
  });
  return X;
}

template <class Scalar>
RowMatrix<float> VtQ(const Batch<Scalar>& v, const RowMatrix<float>& Q) {
  const Index l = Q.cols();
  RowMatrix<float> X(v.count, l);
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    const Projection projection{&Q, X.data() + j0 * l};
    project_tile(std::span(&projection, 1), v, j0, j1, l);
  });
  return X;
}

template <class Scalar>
RowMatrix<float> range_finder(const Batch<Scalar>& v, RowMatrix<float> X, const SumOverTeam& total) {
  RowMatrix<float> Q = VX(v, X, total);
  orthonormalise(Q);
  for (int step = 0; step < power_steps; ++step) {
    X = VtQ(v, Q);
    orthonormalise(X, total);
    Q = VX(v, X, total);
    orthonormalise(Q);
  }
  return Q;
}

RowMatrix<float> completion(const RowMatrix<float>& Q, const RowMatrix<float>& W) {
  RowMatrix<float> R = outside(Q, W);
  orthonormalise(R);
  // What little of Q is left in R has grown with the columns that were short.
  R = outside(Q, R);
  orthonormalise(R);
  return R;
}

Matrix<double> pseudo_inverse(const Matrix<double>& C, double drop) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(C);
  const double least = drop * eigen.eigenvalues().maxCoeff();
  Matrix<double> inverse = Matrix<double>::Zero(C.rows(), C.cols());
  for (Index i = 0; i < C.rows(); ++i) {
    const double value = eigen.eigenvalues()(i);
    if (value > least && value > 0)
      inverse += eigen.eigenvectors().col(i) * eigen.eigenvectors().col(i).transpose() / value;
  }
  return inverse;
}

HalfStep& ModelHals::operator()(const Task& task) {
  const Index K = task.G->rows();
  Index rank = 0;
  for (const ModelPart& part : task.D) rank += part.rows;
  const Index chunk = chunk_of(task.count);
  const auto chunks = static_cast<std::size_t>((task.count + chunk - 1) / chunk);
  if (partial_.size() < chunks) partial_.resize(chunks);

  parallel_tiles(task.count, chunk, [&](Index chunk_begin, Index chunk_end) {
    Partial& sums = partial_[static_cast<std::size_t>(chunk_begin / chunk)];
    sums.gram.setZero(K, K);
    sums.cross.setZero(rank, K);
    if (task.measure) sums.plain.setZero(K, K);
    sums.fit = sums.sum = 0;
    for (Index begin = chunk_begin; begin < chunk_end; begin += model_tile) {
      const Index n = std::min(begin + model_tile, chunk_end) - begin;
      const Index size = n * K;
      float* CD = scratch<float>(0, size);
      float* y = scratch<float>(1, size);
      Index row = 0;
      for (const ModelPart& part : task.D) {
        gemm(Op::plain, Op::plain, K, n, part.rows, 1.0F, task.C->data() + row * K, K,
             part.data + begin * part.rows, part.rows, row == 0 ? 0.0F : 1.0F, CD, K);
        row += part.rows;
      }
      const float* now = task.now + begin * K;
      float* x = task.before + begin * K;
      if (task.past == 0.0F)  // `before` may hold anything
        std::copy_n(now, size, x);
      else
        for (Index i = 0; i < size; ++i)
          x[i] = std::max(now[i] + task.past * (now[i] - x[i]), floor_value<float>);
      hals_tile(x, CD, n, *task.G, task.shrink, task.sweeps);
      for (Index i = 0; i < size; ++i)
        y[i] = std::max(x[i] + task.beyond * (x[i] - now[i]), floor_value<float>);

      gemm(Op::plain, Op::transposed, K, K, n, 1.0F, y, K, y, K, 1.0F, sums.gram.data(), K);
      row = 0;
      for (const ModelPart& part : task.D) {
        gemm(Op::plain, Op::transposed, part.rows, K, n, 1.0F, part.data + begin * part.rows, part.rows, y, K,
             1.0F, sums.cross.data() + row, rank);
        row += part.rows;
      }
      if (task.measure) {
        gemm(Op::plain, Op::transposed, K, K, n, 1.0F, x, K, x, K, 1.0F, sums.plain.data(), K);
        double fit = 0;
        for (Index i = 0; i < size; ++i) fit += static_cast<double>(x[i]) * static_cast<double>(CD[i]);
        sums.fit += fit;
      }
      if (task.shrink.l1 > 0) {
        const float* summed = task.measure ? x : y;
        double sum = 0;
        for (Index i = 0; i < size; ++i) sum += static_cast<double>(summed[i]);
        sums.sum += sum;
      }
    }
  });

  total_.gram.setZero(K, K);
  total_.cross.setZero(rank, K);
  total_.plain.setZero(K, K);
  total_.fit = total_.sum = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    total_.gram += partial_[c].gram.cast<double>();
    total_.cross += partial_[c].cross.cast<double>();
    if (task.measure) total_.plain += partial_[c].plain.cast<double>();
    total_.fit += partial_[c].fit;
    total_.sum += partial_[c].sum;
  }
  return total_;
}

template RowMatrix<float> VtQ<float>(const Batch<float>&, const RowMatrix<float>&);
template RowMatrix<float> VtQ<double>(const Batch<double>&, const RowMatrix<float>&);
template RowMatrix<float> range_finder<float>(const Batch<float>&, RowMatrix<float>, const SumOverTeam&);
template RowMatrix<float> range_finder<double>(const Batch<double>&, RowMatrix<float>, const SumOverTeam&);

}  // namespace svrmu
