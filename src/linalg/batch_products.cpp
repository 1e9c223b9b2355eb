#include "linalg/batch_products.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "linalg/blas.hpp"
#include "linalg/parallel.hpp"

namespace svrmu {
namespace {

// A block of V as BLAS can read it: op(data) is the block, column-major with leading dimension `stride`.
template <class Scalar>
struct Block {
  const Scalar* data;
  Index stride;
  Op op;
  Scalar scale;
};

// In place where the columns follow each other, else gathered into the buffer.
template <class Scalar>
Block<Scalar> block_of(const Batch<Scalar>& v, const DenseColumns<Scalar>& data, Index f0, Index f1, Index j0,
                       Index j1, int slot) {
  // BLAS counts its leading dimension in int.
  const bool fits = std::max(data.feature_stride, data.column_stride) <= std::numeric_limits<int>::max();
  if (fits && (v.list.empty() || j1 - j0 == 1)) {
    const Scalar* at = data.data + f0 * data.feature_stride + v.column(j0) * data.column_stride;
    if (data.feature_stride == 1) return {at, std::max(data.column_stride, f1 - f0), Op::plain, v.scale};
    return {at, data.feature_stride, Op::transposed, v.scale};
  }
  Scalar* buffer = scratch<Scalar>(slot, (f1 - f0) * (j1 - j0));
  copy_block(v, f0, f1, j0, j1, buffer);
  return {buffer, f1 - f0, Op::plain, Scalar(1)};
}

Op flipped(Op op) { return op == Op::plain ? Op::transposed : Op::plain; }

}  // namespace

template <class Scalar>
void copy_block(const Batch<Scalar>& v, Index f0, Index f1, Index j0, Index j1, Scalar* out) {
  const Index height = f1 - f0;
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          for (Index j = j0; j < j1; ++j, out += height) {
            const Scalar* from = data.data + f0 * data.feature_stride + v.column(j) * data.column_stride;
            if (data.feature_stride == 1 && v.scale == Scalar(1))
              std::copy(from, from + height, out);
            else
              for (Index f = 0; f < height; ++f) out[f] = v.scale * from[f * data.feature_stride];
          }
        } else {
          std::fill(out, out + height * (j1 - j0), Scalar(0));
          for (Index j = j0; j < j1; ++j, out += height) {
            const auto e = entries(v, data, j);
            const auto* row = std::lower_bound(e.rows, e.rows + e.count, f0);
            for (; row != e.rows + e.count && *row < f1; ++row)
              out[*row - f0] = v.scale * e.values[row - e.rows];
          }
        }
      },
      v.data);
}

template <class Scalar>
void WtV_tile(const RowMatrix<Scalar>& W, const Batch<Scalar>& v, Index j0, Index j1, Scalar* out) {
  const Index K = W.cols();
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          const auto V = block_of(v, data, 0, v.features, j0, j1, 7);
          gemm(Op::plain, V.op, K, j1 - j0, v.features, V.scale, W.data(), K, V.data, V.stride, Scalar(0),
               out, K);
        } else {
          for (Index j = j0; j < j1; ++j) {
            const auto e = entries(v, data, j);
            gather(e.rows, e.values, e.count, W.data(), K, v.scale, out + (j - j0) * K);
          }
        }
      },
      v.data);
}

template <class Scalar>
void multiply_WtV(const RowMatrix<Scalar>& W, const Batch<Scalar>& v, Scalar* out) {
  parallel_tiles(v.count, column_tile,
                 [&](Index j0, Index j1) { WtV_tile(W, v, j0, j1, out + j0 * W.cols()); });
}

RowBlocks::RowBlocks(Index rows, bool sparse) : features(rows) {
  // Sparse columns are cut into few pieces, since each cut costs; dense ones into what suits the cache.
  size = sparse ? std::max<Index>(64, (rows + 15) / 16) : 128;
  count = std::max<Index>(1, (rows + size - 1) / size);
}

template <class Scalar, class Offset>
std::vector<Index> split_columns(const Batch<Scalar>& v, const SparseColumns<Scalar, Offset>& data,
                                 const RowBlocks& blocks) {
  const Index stride = blocks.count + 1;
  std::vector<Index> splits(static_cast<std::size_t>(v.count * stride));
  parallel_tiles(v.count, column_tile, [&](Index j0, Index j1) {
    for (Index j = j0; j < j1; ++j) {
      const auto e = entries(v, data, j);
      Index* split = splits.data() + j * stride;
      Index p = 0;
      for (Index b = 0; b < blocks.count; ++b) {
        split[b] = p;
        const Index end = blocks.end(b);
        while (p < e.count && e.rows[p] < end) ++p;
      }
      split[blocks.count] = e.count;
    }
  });
  return splits;
}

template <class Scalar>
void add_VHt(const Batch<Scalar>& v, const Scalar* h, Index K, RowMatrix<Scalar>& VHt, const Scalar* g,
             RowMatrix<Scalar>* VGt) {
  if (v.count == 0) return;
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          // Threads own rows of the result, so nothing has to be added up afterwards.
          const RowBlocks blocks(v.features, false);
          constexpr Index width = 512;
          parallel_for(blocks.count, [&](Index b) {
            const Index f0 = blocks.begin(b);
            const Index f1 = blocks.end(b);
            for (Index j0 = 0; j0 < v.count; j0 += width) {
              const Index j1 = std::min(v.count, j0 + width);
              const auto V = block_of(v, data, f0, f1, j0, j1, 7);
              gemm(Op::plain, flipped(V.op), K, f1 - f0, j1 - j0, V.scale, h + j0 * K, K, V.data, V.stride,
                   Scalar(1), VHt.data() + f0 * K, K);
              if (g != nullptr)
                gemm(Op::plain, flipped(V.op), K, f1 - f0, j1 - j0, V.scale, g + j0 * K, K, V.data, V.stride,
                     Scalar(1), VGt->data() + f0 * K, K);
            }
          });
        } else {
          for_row_blocks(v, data, [&](Index j, const auto& e, Index begin, Index n) {
            scatter(e.rows + begin, e.values + begin, n, h + j * K, K, v.scale, VHt.data());
            if (g != nullptr)
              scatter(e.rows + begin, e.values + begin, n, g + j * K, K, v.scale, VGt->data());
          });
        }
      },
      v.data);
}

#define SVRMU_INSTANTIATE(S)                                                                          \
  template void copy_block<S>(const Batch<S>&, Index, Index, Index, Index, S*);                       \
  template void WtV_tile<S>(const RowMatrix<S>&, const Batch<S>&, Index, Index, S*);                  \
  template void multiply_WtV<S>(const RowMatrix<S>&, const Batch<S>&, S*);                            \
  template void add_VHt<S>(const Batch<S>&, const S*, Index, RowMatrix<S>&, const S*, RowMatrix<S>*); \
  template std::vector<Index> split_columns<S, std::int32_t>(                                         \
      const Batch<S>&, const SparseColumns<S, std::int32_t>&, const RowBlocks&);                      \
  template std::vector<Index> split_columns<S, std::int64_t>(                                         \
      const Batch<S>&, const SparseColumns<S, std::int64_t>&, const RowBlocks&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
