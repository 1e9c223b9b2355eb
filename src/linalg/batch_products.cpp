#include "linalg/batch_products.hpp"

#include <algorithm>
#include <type_traits>

#include "linalg/gemm.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"

namespace svrmu {
namespace {

// A block of V as gemm() can read it: op(data) is the block, column-major with leading dimension `stride`.
template <class Scalar>
struct Block {
  const Scalar* data;
  Index stride;
  Op op;
  Scalar scale;
};

// In place where the columns follow each other, else gathered into the buffer. In another precision than
// V's: a copy.
template <class Real, class Scalar>
Block<Real> block_of(const Batch<Scalar>& v, const DenseColumns<Scalar>& data, Index f0, Index f1, Index j0,
                     Index j1, Workspace& work) {
  if constexpr (std::is_same_v<Real, Scalar>)
    if (v.list.empty() || j1 - j0 == 1) {
      const Scalar* at = data.data + f0 * data.feature_stride + v.column(j0) * data.column_stride;
      if (data.feature_stride == 1) return {at, std::max(data.column_stride, f1 - f0), Op::plain, v.scale};
      return {at, data.feature_stride, Op::transposed, v.scale};
    }
  auto* buffer = work.take<Real>((f1 - f0) * (j1 - j0));
  copy_block(v, f0, f1, j0, j1, buffer);
  return {buffer, f1 - f0, Op::plain, Real(1)};
}

Op flipped(Op op) { return op == Op::plain ? Op::transposed : Op::plain; }

template <class Scalar, class Out>
void copy_scaled(const Scalar* from, Scalar scale, Index n, Out* out) {
  if constexpr (std::is_same_v<Out, float>)
    kernels<Scalar>().round(from, scale, n, out);
  else
    for (Index i = 0; i < n; ++i) out[i] = static_cast<Out>(scale * from[i]);
}

// Values of sparse entries and what is left to scale them by: rounded into memory of their own, or where they
// lie. The latter must not cost a workspace, since pieces of columns have a few entries only.
template <class Real, class Scalar>
class Values {
 public:
  Values(const Scalar* values, Scalar scale, Index n) : data_(work_.take<Real>(n)) {
    copy_scaled(values, scale, n, data_);
  }
  const Real* data() const { return data_; }
  Real scale() const { return Real(1); }

 private:
  Workspace work_;
  Real* data_;
};
template <class Real>
class Values<Real, Real> {
 public:
  Values(const Real* values, Real scale, Index) : data_(values), scale_(scale) {}
  const Real* data() const { return data_; }
  Real scale() const { return scale_; }

 private:
  const Real* data_;
  Real scale_;
};

}  // namespace

template <class Scalar, class Out>
void copy_block(const Batch<Scalar>& v, Index f0, Index f1, Index j0, Index j1, Out* out) {
  const Index height = f1 - f0;
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          for (Index j = j0; j < j1; ++j, out += height) {
            const Scalar* from = data.data + f0 * data.feature_stride + v.column(j) * data.column_stride;
            if (data.feature_stride == 1)
              copy_scaled(from, v.scale, height, out);
            else
              for (Index f = 0; f < height; ++f)
                out[f] = static_cast<Out>(v.scale * from[f * data.feature_stride]);
          }
        } else {
          std::fill(out, out + height * (j1 - j0), Out(0));
          for (Index j = j0; j < j1; ++j, out += height) {
            const auto e = entries(v, data, j);
            const auto* row = std::lower_bound(e.rows, e.rows + e.count, f0);
            for (; row != e.rows + e.count && *row < f1; ++row)
              out[*row - f0] = static_cast<Out>(v.scale * e.values[row - e.rows]);
          }
        }
      },
      v.data);
}

template <class Scalar, class Real>
void WtV_tile(const RowMatrix<Real>& W, const Batch<Scalar>& v, Index j0, Index j1, Real* out) {
  const Index K = W.cols();
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          Workspace work;
          const auto V = block_of<Real>(v, data, 0, v.features, j0, j1, work);
          gemm(Op::plain, V.op, K, j1 - j0, v.features, V.scale, W.data(), K, V.data, V.stride, Real(0), out,
               K);
        } else {
          const auto* end = data.rows + data.offsets[v.column(j1 - 1) + 1];
          for (Index j = j0; j < j1; ++j) {
            const auto e = entries(v, data, j);
            const Values<Real, Scalar> values(e.values, v.scale, e.count);
            gather(e.rows, values.data(), e.count, W.data(), K, values.scale(), out + (j - j0) * K,
                   v.list.empty() ? end - e.rows : e.count);
          }
        }
      },
      v.data);
}

template <class Scalar>
void project_tile(std::span<const Projection> projections, const Batch<Scalar>& v, Index j0, Index j1,
                  Index stride) {
  const auto multiply = [&](const Block<float>& V, Index f0, Index f1) {
    for (const Projection& p : projections) {
      const Index l = p.basis->cols();
      gemm(Op::plain, V.op, l, j1 - j0, f1 - f0, V.scale, p.basis->data() + f0 * l, l, V.data, V.stride,
           f0 == 0 ? 0.0F : 1.0F, p.out, stride);
    }
  };
  if constexpr (std::is_same_v<Scalar, float>) {
    if (const auto* data = std::get_if<DenseColumns<float>>(&v.data)) {
      Workspace work;
      multiply(block_of<float>(v, *data, 0, v.features, j0, j1, work), 0, v.features);
      return;
    }
  }
  // Rounded to single precision in pieces that stay in the cache.
  constexpr Index height = 512;
  for (Index f0 = 0; f0 < v.features; f0 += height) {
    const Index f1 = std::min(v.features, f0 + height);
    Workspace work;
    auto* rounded = work.take<float>((f1 - f0) * (j1 - j0));
    copy_block(v, f0, f1, j0, j1, rounded);
    multiply({rounded, f1 - f0, Op::plain, 1.0F}, f0, f1);
  }
}

template <class Scalar>
void multiply_WtV(const RowMatrix<Scalar>& W, const Batch<Scalar>& v, Scalar* out) {
  parallel_tiles(v.count, column_tile,
                 [&](Index j0, Index j1) { WtV_tile(W, v, j0, j1, out + j0 * W.cols()); });
}

template <class Real>
template <class Scalar>
void SparseRows<Real>::count(const Batch<Scalar>& v) {
  offsets_.resize(static_cast<std::size_t>(v.features) + 1);
  std::visit(
      [&](const auto& data) {
        if constexpr (!is_dense<std::decay_t<decltype(data)>>)
          for (Index j = 0; j < v.count; ++j) {
            const auto e = entries(v, data, j);
            for (Index p = 0; p < e.count; ++p) ++offsets_[static_cast<std::size_t>(e.rows[p]) + 1];
          }
      },
      v.data);
}

template <class Real>
void SparseRows<Real>::begin_filling() {
  for (std::size_t f = 1; f < offsets_.size(); ++f) offsets_[f] += offsets_[f - 1];
  next_.assign(offsets_.begin(), offsets_.end());
  const auto size = static_cast<std::size_t>(offsets_.empty() ? 0 : offsets_.back());
  columns_.resize(size);
  values_.resize(size);
}

template <class Real>
template <class Scalar>
void SparseRows<Real>::fill(const Batch<Scalar>& v) {
  std::visit(
      [&](const auto& data) {
        if constexpr (!is_dense<std::decay_t<decltype(data)>>)
          for_row_blocks(v, data, [&](Index j, const auto& e, Index begin, Index n) {
            for (Index p = begin; p < begin + n; ++p) {
              const auto at = static_cast<std::size_t>(next_[static_cast<std::size_t>(e.rows[p])]++);
              columns_[at] = static_cast<std::int32_t>(v.sample(j));
              values_[at] = static_cast<Real>(v.scale * e.values[p]);
            }
          });
      },
      v.data);
}

template <class Real>
void SparseRows<Real>::multiply(const Matrix<Real>& H, RowMatrix<Real>& VHt) const {
  const Index K = H.rows();
  parallel_tiles(VHt.rows(), 64, [&](Index f0, Index f1) {
    const Index end = offsets_[static_cast<std::size_t>(f1)];
    for (Index f = f0; f < f1; ++f) {
      const Index begin = offsets_[static_cast<std::size_t>(f)];
      gather(columns_.data() + begin, values_.data() + begin,
             offsets_[static_cast<std::size_t>(f) + 1] - begin, H.data(), K, Real(1), VHt.data() + f * K,
             end - begin);
    }
  });
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

template <class Scalar, class Real>
void add_VHt(const Batch<Scalar>& v, const Real* h, Index K, RowMatrix<Real>& VHt, const Real* g,
             RowMatrix<Real>* VGt) {
  if (v.count == 0) return;
  std::visit(
      [&](const auto& data) {
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          // Threads own rows of the result, so nothing has to be added up afterwards.
          const RowBlocks blocks(v.features, false);
          constexpr Index columns = 512;
          const auto add = [&](const Block<Real>& V, Index f0, Index f1, Index j0, Index j1, const Real* x,
                               RowMatrix<Real>& out) {
            gemm(Op::plain, flipped(V.op), K, f1 - f0, j1 - j0, V.scale, x + j0 * K, K, V.data, V.stride,
                 Real(1), out.data() + f0 * K, K);
          };
          parallel_for(blocks.count, [&](Index b) {
            const Index f0 = blocks.begin(b);
            const Index f1 = blocks.end(b);
            for (Index j0 = 0; j0 < v.count; j0 += columns) {
              const Index j1 = std::min(v.count, j0 + columns);
              Workspace work;
              const auto V = block_of<Real>(v, data, f0, f1, j0, j1, work);
              add(V, f0, f1, j0, j1, h, VHt);
              if (g != nullptr) add(V, f0, f1, j0, j1, g, *VGt);
            }
          });
        } else {
          for_row_blocks(v, data, [&](Index j, const auto& e, Index begin, Index n) {
            const Values<Real, Scalar> values(e.values + begin, v.scale, n);
            scatter(e.rows + begin, values.data(), n, h + j * K, K, values.scale(), VHt.data());
            if (g != nullptr)
              scatter(e.rows + begin, values.data(), n, g + j * K, K, values.scale(), VGt->data());
          });
        }
      },
      v.data);
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define SVRMU_INSTANTIATE_MIXED(S, R)                                                   \
  template void WtV_tile<S, R>(const RowMatrix<R>&, const Batch<S>&, Index, Index, R*); \
  template void SparseRows<R>::count<S>(const Batch<S>&);                               \
  template void SparseRows<R>::fill<S>(const Batch<S>&);                                \
  template void add_VHt<S, R>(const Batch<S>&, const R*, Index, RowMatrix<R>&, const R*, RowMatrix<R>*);
#define SVRMU_INSTANTIATE(S)                                                                        \
  template void copy_block<S, float>(const Batch<S>&, Index, Index, Index, Index, float*);          \
  template void copy_block<S, double>(const Batch<S>&, Index, Index, Index, Index, double*);        \
  template void project_tile<S>(std::span<const Projection>, const Batch<S>&, Index, Index, Index); \
  template class SparseRows<S>;                                                                     \
  template void multiply_WtV<S>(const RowMatrix<S>&, const Batch<S>&, S*);                          \
  template std::vector<Index> split_columns<S, std::int32_t>(                                       \
      const Batch<S>&, const SparseColumns<S, std::int32_t>&, const RowBlocks&);                    \
  template std::vector<Index> split_columns<S, std::int64_t>(                                       \
      const Batch<S>&, const SparseColumns<S, std::int64_t>&, const RowBlocks&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
SVRMU_INSTANTIATE_MIXED(float, float)
SVRMU_INSTANTIATE_MIXED(double, double)
SVRMU_INSTANTIATE_MIXED(double, float)
#undef SVRMU_INSTANTIATE
#undef SVRMU_INSTANTIATE_MIXED
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace svrmu
