// A sparse V like those of texts.
#pragma once

#include "data/random.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu {

// Texts on two of many more topics than there are components: local minima are many, and near each other.
inline SparseMatrix<double> topics() {
  const Index count = 40;
  const Random random(5, Purpose::sketch);
  Matrix<double> V = Matrix<double>::Zero(10 * count, 600);
  for (Index j = 0; j < V.cols(); ++j)
    for (Index word = 0; word < 15; ++word) {
      const Index topic = random.integer(count, j, 50 + word % 2);
      V(10 * topic + random.integer(10, j, 200 + word), j) += 1;
    }
  return V.sparseView();
}

}  // namespace svrmu
