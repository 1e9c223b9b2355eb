// A .npy whose number of columns is known only at its end.
#pragma once

#include <string>

#include "io/atomic_file.hpp"
#include "svrmu/matrix.hpp"

namespace svrmu::io {

// rows x N values by columns, written as they come. Without commit() there is no file. The header has room
// for any N, and gets it at the end.
template <class Scalar>
class SVRMU_API NpyWriter {
 public:
  NpyWriter(const std::string& path, Index rows, bool overwrite);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  void append(const Matrix<Scalar>& columns);
  void commit();
  Index columns() const { return columns_; }

 private:
  std::string header() const;

  AtomicFile file_;
  Index rows_;
  Index columns_ = 0;
};

}  // namespace svrmu::io
