// Whether two sets of components are alike.
#include <algorithm>
#include <limits>

#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"

namespace svrmu::experiment {
namespace {

RowMatrix<double> centered_unit_columns(const RowMatrix<double>& W) {
  RowMatrix<double> out = W.rowwise() - W.colwise().mean();
  for (Index k = 0; k < W.cols(); ++k) {
    // What rounding leaves of a constant component has no direction.
    const double norm = out.col(k).norm();
    if (norm > 1e-12 * W.col(k).norm())
      out.col(k) /= norm;
    else
      out.col(k).setZero();
  }
  return out;
}

}  // namespace

Matrix<double> centered_cosines(const RowMatrix<double>& A, const RowMatrix<double>& B) {
  if (A.rows() != B.rows())
    throw InvalidInput("bases of " + std::to_string(A.rows()) + " and of " + std::to_string(B.rows()) +
                       " features cannot be compared");
  return centered_unit_columns(A).transpose() * centered_unit_columns(B);
}

// The Hungarian method: one shortest augmenting path for each row, with the potentials of rows and columns
// that keep every reduced cost nonnegative.
std::vector<Index> best_assignment(const Matrix<double>& gain) {
  const Index rows = gain.rows();
  const Index columns = gain.cols();
  if (rows > columns) throw InvalidInput("an assignment needs at least as many columns as rows");
  if (!gain.allFinite()) throw InvalidInput("an assignment needs finite numbers");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  // Place 0 of the columns stands for "none": the row that is being added begins there.
  std::vector<double> row_potential(at(rows + 1), 0), column_potential(at(columns + 1), 0);
  std::vector<Index> row_of(at(columns + 1), 0), before(at(columns + 1), 0);
  for (Index row = 1; row <= rows; ++row) {
    row_of[0] = row;
    Index column = 0;
    std::vector<double> shortest(at(columns + 1), infinity);
    std::vector<bool> reached(at(columns + 1), false);
    do {
      reached[at(column)] = true;
      const Index from = row_of[at(column)];
      double step = infinity;
      Index next = 0;
      for (Index j = 1; j <= columns; ++j) {
        if (reached[at(j)]) continue;
        const double cost = -gain(from - 1, j - 1) - row_potential[at(from)] - column_potential[at(j)];
        if (cost < shortest[at(j)]) {
          shortest[at(j)] = cost;
          before[at(j)] = column;
        }
        if (shortest[at(j)] < step) {
          step = shortest[at(j)];
          next = j;
        }
      }
      for (Index j = 0; j <= columns; ++j) {
        if (reached[at(j)]) {
          row_potential[at(row_of[at(j)])] += step;
          column_potential[at(j)] -= step;
        } else {
          shortest[at(j)] -= step;
        }
      }
      column = next;
    } while (row_of[at(column)] != 0);
    while (column != 0) {
      row_of[at(column)] = row_of[at(before[at(column)])];
      column = before[at(column)];
    }
  }
  std::vector<Index> assigned(at(rows));
  for (Index j = 1; j <= columns; ++j)
    if (row_of[at(j)] != 0) assigned[at(row_of[at(j)] - 1)] = j - 1;
  return assigned;
}

double matched_cosine(const RowMatrix<double>& A, const RowMatrix<double>& B) {
  const Matrix<double> cosines = A.cols() <= B.cols() ? centered_cosines(A, B) : centered_cosines(B, A);
  if (cosines.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<Index> assigned = best_assignment(cosines);
  double sum = 0;
  for (Index k = 0; k < cosines.rows(); ++k) sum += cosines(k, assigned[static_cast<std::size_t>(k)]);
  return sum / static_cast<double>(cosines.rows());
}

}  // namespace svrmu::experiment
