// Dense matrices of the caller's, checked before anything is read through them.
#pragma once

#include <cstring>
#include <string>

#include "svrmu/c.h"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu::c {

// An enumeration of the caller's as the number that it is: a value that there is not must not be read as one.
template <class Enum>
int number_of(const Enum& value) {
  int number = 0;
  static_assert(sizeof number == sizeof value);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// The size of a number; InvalidInput if there is no such type. `what` begins the message.
Index size_of(const svrmu_type& type, const std::string& what);

template <class Scalar>
constexpr svrmu_type type_of = sizeof(Scalar) == 4 ? SVRMU_FLOAT32 : SVRMU_FLOAT64;

// How a matrix lies, once it is known to lie within memory: counts of numbers, not of bytes.
struct DensePlaces {
  Layout layout = Layout::columns_contiguous;
  Index stride = 1;  // from one column (or row) to the next
};

// Refuses what is no matrix, overlaps itself or does not fit into memory: InvalidInput by name.
DensePlaces places_of(const svrmu_dense& dense, const std::string& what);

// All values, in double precision.
Matrix<double> copy_of(const svrmu_dense& dense, const std::string& what);

// What the library shows of a matrix of its own.
template <class M>
svrmu_dense shown(const M& matrix) {
  using Scalar = typename M::Scalar;
  constexpr auto size = static_cast<int64_t>(sizeof(Scalar));
  const int64_t along = size * (M::IsRowMajor ? matrix.cols() : matrix.rows());
  const int64_t gap = along > 0 ? along : size;
  return {matrix.data(),
          type_of<Scalar>,
          matrix.rows(),
          matrix.cols(),
          M::IsRowMajor ? gap : size,
          M::IsRowMajor ? size : gap};
}

template <class Scalar>
svrmu_sparse shown(const SparseMatrix<Scalar>& matrix) {
  return {matrix.rows(), matrix.cols(), matrix.nonZeros(),      SVRMU_BY_COLUMNS,       type_of<Scalar>,
          sizeof(Index), sizeof(Index), matrix.outerIndexPtr(), matrix.innerIndexPtr(), matrix.valuePtr()};
}

}  // namespace svrmu::c
