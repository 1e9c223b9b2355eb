// Products of a batch of V with W and H, dense or sparse.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "linalg/kernels.hpp"
#include "linalg/parallel.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/source.hpp"

namespace svrmu {

template <class T>
inline constexpr bool is_dense = false;
template <class Scalar>
inline constexpr bool is_dense<DenseColumns<Scalar>> = true;

// The entries of one sparse column.
template <class Scalar, class Offset>
struct Entries {
  const Offset* rows;
  const Scalar* values;
  Index count;
};
template <class Scalar, class Offset>
Entries<Scalar, Offset> entries(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data, Index j) {
  const Index c = v.column(j);
  const Index begin = data.offsets[c];
  return {data.rows + begin, data.values + begin, data.offsets[c + 1] - begin};
}

// The kernels of either index width under one name.
template <class Scalar>
void gather(const std::int32_t* rows, const Scalar* values, Index n, const Scalar* W, Index K, Scalar scale,
            Scalar* out, Index readable = 0) {
  kernels<Scalar>().gather32(rows, values, n, std::max(n, readable), W, K, scale, out);
}
template <class Scalar>
void gather(const std::int64_t* rows, const Scalar* values, Index n, const Scalar* W, Index K, Scalar scale,
            Scalar* out, Index readable = 0) {
  kernels<Scalar>().gather64(rows, values, n, std::max(n, readable), W, K, scale, out);
}
template <class Scalar>
void scatter(const std::int32_t* rows, const Scalar* values, Index n, const Scalar* h, Index K, Scalar scale,
             Scalar* out) {
  kernels<Scalar>().scatter32(rows, values, n, h, K, scale, out);
}
template <class Scalar>
void scatter(const std::int64_t* rows, const Scalar* values, Index n, const Scalar* h, Index K, Scalar scale,
             Scalar* out) {
  kernels<Scalar>().scatter64(rows, values, n, h, K, scale, out);
}
template <class Scalar>
void sample(const std::int32_t* rows, Index n, const Scalar* W, const Scalar* h, Index K, Scalar* x) {
  kernels<Scalar>().sample32(rows, n, W, h, K, x);
}
template <class Scalar>
void sample(const std::int64_t* rows, Index n, const Scalar* W, const Scalar* h, Index K, Scalar* x) {
  kernels<Scalar>().sample64(rows, n, W, h, K, x);
}

// Features f0 .. f1 of columns j0 .. j1, scaled, into a dense column-major block of either precision.
template <class Scalar, class Out>
void copy_block(const Batch<Scalar>& v, Index f0, Index f1, Index j0, Index j1, Out* out);

// Columns j0 .. j1 of W'V into out (K x (j1 - j0)), in the precision of W. For use inside a tile.
template <class Scalar, class Real>
void WtV_tile(const RowMatrix<Real>& W, const Batch<Scalar>& v, Index j0, Index j1, Real* out);

// One of several products of a tile with V: out (at a distance of `stride` per column) <- basis' V.
struct Projection {
  const RowMatrix<float>* basis;
  float* out;
};
// In single precision, reading columns j0 .. j1 once; made for dense V. For use inside a tile.
template <class Scalar>
void project_tile(std::span<const Projection> projections, const Batch<Scalar>& v, Index j0, Index j1,
                  Index stride);

// Columns per tile of products that read whole columns.
constexpr Index column_tile = 64;
// Columns of a dense tile that is worked on entry by entry: about 64k numbers.
inline Index entry_tile(Index features) {
  return std::clamp<Index>((Index{1} << 16) / std::max<Index>(features, 1), 8, 128);
}

// W'V for all columns of the batch (K x b).
template <class Scalar>
void multiply_WtV(const RowMatrix<Scalar>& W, const Batch<Scalar>& v, Scalar* out);

// VHt += V h', in the precision of h. Two factors share one pass over V: VGt += V g' as well when g is given.
template <class Scalar, class Real>
void add_VHt(const Batch<Scalar>& v, const Real* h, Index K, RowMatrix<Real>& VHt, const Real* g = nullptr,
             RowMatrix<Real>* VGt = nullptr);

// Sparse V by rows: V H' is then a sum over each row, like W'V over each column, and threads own rows.
template <class Real>
class SparseRows {
 public:
  bool empty() const { return offsets_.empty(); }
  // A pass counts, then a pass fills, batch by batch; columns of V are numbered as in H.
  template <class Scalar>
  void count(const Batch<Scalar>& v);
  void begin_filling();
  template <class Scalar>
  void fill(const Batch<Scalar>& v);
  // VHt <- V H'
  void multiply(const Matrix<Real>& H, RowMatrix<Real>& VHt) const;

 private:
  std::vector<Index> offsets_;  // one more than rows
  std::vector<Index> next_;     // while filling: where the next entry of each row goes
  std::vector<std::int32_t> columns_;
  std::vector<Real> values_;
};

// What SparseRows takes for so many entries, and whether that is no more than the factors take.
inline double sparse_rows_bytes(double stored, std::size_t size_of_value) {
  return stored * static_cast<double>(sizeof(std::int32_t) + size_of_value);
}
inline bool sparse_rows_are_small(double stored, std::size_t size_of_value, Index F, Index N, Index K,
                                  std::size_t size_in_factors) {
  return sparse_rows_bytes(stored, size_of_value) <=
         static_cast<double>(K * (F + N)) * static_cast<double>(size_in_factors);
}

// Rows cut into blocks that threads can own, so that nothing has to be added up afterwards.
struct RowBlocks {
  RowBlocks(Index features, bool sparse);
  Index begin(Index block) const { return block * size; }
  Index end(Index block) const { return block + 1 < count ? (block + 1) * size : features; }

  Index features;
  Index size;
  Index count;
};

// Where each sparse column crosses from one block to the next: count + 1 places per column.
template <class Scalar, class Offset>
std::vector<Index> split_columns(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data,
                                 const RowBlocks& blocks);

// body(j, e, begin, n) for the entries begin .. begin + n of column j that lie in one block of rows.
template <class Scalar, class Offset, class Body>
void for_row_blocks(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data, const Body& body) {
  const RowBlocks blocks(v.features, true);
  const std::vector<Index> splits = split_columns(v, data, blocks);
  parallel_for(blocks.count, [&](Index b) {
    for (Index j = 0; j < v.count; ++j) {
      const Index* split = splits.data() + j * (blocks.count + 1) + b;
      if (split[1] > split[0]) body(j, entries(v, data, j), split[0], split[1] - split[0]);
    }
  });
}

}  // namespace svrmu
