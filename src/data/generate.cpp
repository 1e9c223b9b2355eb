#include "svrmu/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "data/random.hpp"
#include "svrmu/error.hpp"
#include "text/text.hpp"

namespace svrmu {
namespace {

// |N(0, 1/sqrt(K))|: a variance of 1/sqrt(K), as in the paper.
template <class M>
M half_normal(Index rows, Index columns, Index rank, const Random& random) {
  const double deviation = std::pow(static_cast<double>(rank), -0.25);
  M made(rows, columns);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      made(i, j) = static_cast<typename M::Scalar>(std::abs(random.normal(i, j)) * deviation);
  return made;
}

template <class Scalar>
Generated<Scalar> low_rank(const GenerateOptions& o, bool clipped) {
  Generated<Scalar> made;
  made.W = half_normal<RowMatrix<Scalar>>(o.features, o.rank, o.rank, Random(o.seed, Purpose::made_w));
  made.H = half_normal<Matrix<Scalar>>(o.rank, o.samples, o.rank, Random(o.seed, Purpose::made_h));
  made.V = made.W * made.H;
  if (clipped) {
    made.V = made.V.cwiseMin(Scalar(1));
  } else {
    const Scalar largest = made.V.maxCoeff();
    made.V /= largest;
    made.H /= largest;
  }
  return made;
}

template <class Scalar>
Generated<Scalar> full_rank(const GenerateOptions& o) {
  Generated<Scalar> made;
  made.V = half_normal<Matrix<Scalar>>(o.features, o.samples, o.rank, Random(o.seed, Purpose::made_w))
               .cwiseMin(Scalar(1));
  return made;
}

// After Donoho & Stodden, "When does non-negative matrix factorization give a correct decomposition into
// parts?", NIPS 2003. Drawn here, not copied.
template <class Scalar>
RowMatrix<Scalar> swimmer_parts() {
  using namespace swimmer;
  RowMatrix<Scalar> W = RowMatrix<Scalar>::Zero(side * side, rank);
  const auto pixel = [](Index row, Index column) { return column * side + row; };
  for (Index row = 10; row <= 21; ++row)
    for (const Index column : {15, 16}) W(pixel(row, column), 0) = 1;

  constexpr double angles[positions] = {80, 47, 13, -20};  // degrees away from the middle of the body
  for (Index l = 0; l < limbs; ++l) {
    const bool left = l % 2 == 0;
    const bool arm = l < 2;
    for (Index p = 0; p < positions; ++p) {
      const double angle = angles[p] * std::numbers::pi / 180;
      for (double radius = 2.5; radius <= 9.5; radius += 0.25) {
        const double x = radius * std::cos(angle);
        const double y = radius * std::sin(angle);
        const Index column = std::lround(left ? 14.5 - x : 16.5 + x);
        const Index row = std::lround(arm ? 11 - y : 20 + y);
        for (const Index thick : {0, 1}) {
          const Index at = pixel(row + (arm ? -thick : thick), column);
          if (W(at, 0) == 0) W(at, 1 + positions * l + p) = 1;  // where they meet, the pixel is the torso's
        }
      }
    }
  }
  return W;
}

template <class Scalar>
Generated<Scalar> all_swimmers() {
  using namespace swimmer;
  Generated<Scalar> made;
  made.W = swimmer_parts<Scalar>();
  made.H = Matrix<Scalar>::Zero(rank, pictures);
  for (Index n = 0; n < pictures; ++n) {
    made.H(0, n) = 1;
    for (Index l = 0, rest = n; l < limbs; ++l, rest /= positions)
      made.H(1 + positions * l + rest % positions, n) = 1;
  }
  made.V = (made.W * made.H).cwiseMin(Scalar(1));
  return made;
}

template <class Scalar>
void add_noise(Matrix<Scalar>& V, const GenerateOptions& o) {
  const Random random(o.seed, Purpose::made_noise);
  const double deviation =
      o.noise * std::sqrt(V.template cast<double>().squaredNorm() / static_cast<double>(V.size()));
  for (Index j = 0; j < V.cols(); ++j)
    for (Index i = 0; i < V.rows(); ++i) {
      const double noisy = static_cast<double>(V(i, j)) + deviation * random.normal(i, j);
      V(i, j) = static_cast<Scalar>(std::max(noisy, 0.0));
    }
}

template <class Scalar>
SparseMatrix<Scalar> add_outliers(Matrix<Scalar>& V, const GenerateOptions& o) {
  const Random random(o.seed, Purpose::made_outliers);
  const auto draws = static_cast<Index>(o.outliers * static_cast<double>(V.rows()));
  const double largest = static_cast<double>(V.maxCoeff());
  std::vector<Eigen::Triplet<Scalar, Index>> entries;
  for (Index j = 0; j < V.cols(); ++j)
    for (Index d = 0; d < draws; ++d) {
      const Index row = random.integer(V.rows(), 2 * d, j);
      const double size = o.outlier_least + (o.outlier_most - o.outlier_least) * random.uniform(2 * d + 1, j);
      entries.emplace_back(row, j, static_cast<Scalar>(size * largest));
    }
  SparseMatrix<Scalar> R(V.rows(), V.cols());
  // A place drawn twice is raised once.
  R.setFromTriplets(entries.begin(), entries.end(), [](Scalar, Scalar last) { return last; });
  V += R;
  return R;
}

void check(bool good, const char* name, double value, const char* rule) {
  if (!good) throw InvalidInput(std::string(name) + " is " + number_text(value) + "; it must " + rule);
}

}  // namespace

template <class Scalar>
Generated<Scalar> generate(DataKind kind, const GenerateOptions& o) {
  check(o.features >= 1, "features", static_cast<double>(o.features), "be at least 1");
  check(o.samples >= 1, "samples", static_cast<double>(o.samples), "be at least 1");
  check(o.rank >= 1, "rank", static_cast<double>(o.rank), "be at least 1");
  check(o.noise >= 0 && std::isfinite(o.noise), "noise", o.noise, "be finite and not negative");
  check(o.outliers >= 0 && o.outliers <= 10, "outliers", o.outliers, "lie between 0 and 10");
  check(o.outlier_least >= 0 && std::isfinite(o.outlier_least), "outlier_least", o.outlier_least,
        "be finite and not negative");
  check(o.outlier_most >= o.outlier_least && std::isfinite(o.outlier_most), "outlier_most", o.outlier_most,
        "be finite and at least outlier_least");
  Generated<Scalar> made = kind == DataKind::swimmer ? all_swimmers<Scalar>()
                           : kind == DataKind::halfnormal_fullrank
                               ? full_rank<Scalar>(o)
                               : low_rank<Scalar>(o, kind == DataKind::lowrank_clipped);
  if (o.noise > 0) add_noise(made.V, o);
  if (o.outliers > 0) made.R = add_outliers(made.V, o);
  return made;
}

template Generated<float> generate<float>(DataKind, const GenerateOptions&);
template Generated<double> generate<double>(DataKind, const GenerateOptions&);

}  // namespace svrmu
