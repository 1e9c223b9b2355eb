#include "objective/outliers.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

#include "linalg/columns.hpp"
#include "linalg/parallel.hpp"
#include "linalg/workspace.hpp"
#include "objective/entrywise.hpp"

namespace svrmu {
namespace {

constexpr Index tile = 16;  // columns

// The entries of some columns, one column after the other. Memory is kept from tile to tile.
template <class Scalar>
class Entered {
 public:
  void clear() { size_ = 0; }
  Index size() const { return size_; }
  void make_room(Index entries) {
    const auto needed = static_cast<std::size_t>(size_ + entries);
    if (rows_.size() >= needed) return;
    rows_.resize(needed);
    values_.resize(needed);
  }
  // For those that there is room for. What is not positive is no outlier; this takes no branch.
  void add(Index f, Scalar r) {
    rows_[static_cast<std::size_t>(size_)] = f;
    values_[static_cast<std::size_t>(size_)] = r;
    size_ += r > 0 ? 1 : 0;
  }
  void copy_to(Index* rows, Scalar* values) const {
    std::copy_n(rows_.data(), size_, rows);
    std::copy_n(values_.data(), size_, values);
  }

 private:
  std::vector<Index> rows_;
  std::vector<Scalar> values_;
  Index size_ = 0;
};

// A sparse matrix whose columns are made in their order, block by block. Tiles of a block make theirs apart.
template <class Scalar>
class ColumnsInOrder {
 public:
  ColumnsInOrder(Index features, Index samples) : R_(features, samples), samples_(samples) {}

  // make(j0, j1, entered, ends) enters columns j0 .. j1 of the batch, by increasing feature, and notes how
  // many entries there are after each.
  template <class Make>
  void append(const Batch<Scalar>& v, const Make& make) {
    tiles_.resize(static_cast<std::size_t>((v.count + tile - 1) / tile));
    ends_.resize(static_cast<std::size_t>(v.count));
    parallel_tiles(v.count, tile, [&](Index j0, Index j1) {
      Entered<Scalar>& mine = tiles_[static_cast<std::size_t>(j0 / tile)];
      mine.clear();
      make(j0, j1, mine, ends_.data() + j0);
    });
    take(v);
  }

  // It has no use for R any more. Eigen's sparse matrices are swapped, since they copy where others move.
  void give_to(SparseMatrix<Scalar>& R) {
    R_.outerIndexPtr()[samples_] = entries_;
    R_.swap(R);
  }

 private:
  void take(const Batch<Scalar>& v) {
    const Index first = entries_;
    places_.resize(tiles_.size());
    for (Index j = 0; j < v.count; ++j) {
      const auto t = static_cast<std::size_t>(j / tile);
      if (j % tile == 0) {
        if (j > 0) entries_ += tiles_[t - 1].size();
        places_[t] = entries_;
      }
      R_.outerIndexPtr()[v.sample(j)] =
          entries_ + (j % tile == 0 ? 0 : ends_[static_cast<std::size_t>(j) - 1]);
    }
    if (v.count > 0) entries_ += tiles_.back().size();
    columns_ += v.count;
    if (entries_ > R_.data().allocatedSize()) {
      // As many as there will be if the columns to come are like those so far, and some more.
      const double share = static_cast<double>(samples_) / static_cast<double>(columns_);
      const auto all = static_cast<Index>(1.05 * share * static_cast<double>(entries_));
      R_.data().resize(first);
      R_.data().reserve(std::max(all, entries_) - first);
    }
    R_.data().resize(entries_);
    parallel_for(static_cast<Index>(tiles_.size()), [&](Index t) {
      const Index place = places_[static_cast<std::size_t>(t)];
      tiles_[static_cast<std::size_t>(t)].copy_to(R_.innerIndexPtr() + place, R_.valuePtr() + place);
    });
  }

  SparseMatrix<Scalar> R_;
  Index samples_;
  Index entries_ = 0;
  Index columns_ = 0;
  std::vector<Entered<Scalar>> tiles_;
  std::vector<Index> places_;
  std::vector<Index> ends_;
};

// max(v - Wh - lambda, 0) on columns j0 .. j1.
template <class Scalar>
void enter_outliers(const Batch<Scalar>& v, const RowMatrix<Scalar>& W, const Matrix<Scalar>& H,
                    Scalar lambda, Index j0, Index j1, Entered<Scalar>& out, Index* ends) {
  const Index F = v.features;
  std::visit(
      [&](const auto& data) {
        Workspace work;
        if constexpr (is_dense<std::decay_t<decltype(data)>>) {
          auto* x = work.take<Scalar>(F * (j1 - j0));
          auto* y = work.take<Scalar>(F * (j1 - j0));
          approximate(W, 0, F, H.col(v.sample(j0)).data(), j1 - j0,
                      x);  // columns of a block lie side by side
          copy_block(v, 0, F, j0, j1, y);
          for (Index j = j0; j < j1; ++j, x += F, y += F) {
            out.make_room(F);
            for (Index f = 0; f < F; ++f) out.add(f, y[f] - x[f] - lambda);
            ends[j - j0] = out.size();
          }
        } else {
          for (Index j = j0; j < j1; ++j) {
            Workspace of_column;
            const auto e = entries(v, data, j);
            auto* x = of_column.take<Scalar>(e.count);
            sample(e.rows, e.count, W.data(), H.col(v.sample(j)).data(), W.cols(), x);
            out.make_room(e.count);
            for (Index p = 0; p < e.count; ++p)
              out.add(static_cast<Index>(e.rows[p]), v.scale * e.values[p] - x[p] - lambda);
            ends[j - j0] = out.size();
          }
        }
      },
      v.data);
}

}  // namespace

template <class Scalar>
void closed_form_outliers(ColumnFeed<Scalar>& feed, const RowMatrix<Scalar>& W, const Matrix<Scalar>& H,
                          Scalar lambda, SparseMatrix<Scalar>& R) {
  ColumnsInOrder<Scalar> found(feed.features(), feed.samples());
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    found.append(v, [&](Index j0, Index j1, Entered<Scalar>& out, Index* ends) {
      enter_outliers(v, W, H, lambda, j0, j1, out, ends);
    });
  if (!feed.interrupted()) found.give_to(R);
}

template <class Scalar>
void kept_outliers(ColumnFeed<Scalar>& feed, const Outliers<Scalar>& R, Scalar unit,
                   SparseMatrix<Scalar>& out) {
  ColumnsInOrder<Scalar> kept(feed.features(), feed.samples());
  for (const Batch<Scalar>& v : feed.blocks(Counted::columns))
    kept.append(v, [&](Index j0, Index j1, Entered<Scalar>& entered, Index* ends) {
      for (Index j = j0; j < j1; ++j) {
        const Scalar* r = stored_outliers(R, v, j);
        for_entries(v, j, [&](Index f, Scalar) {
          entered.make_room(1);
          entered.add(f, *r++ * unit);
        });
        ends[j - j0] = entered.size();
      }
    });
  if (!feed.interrupted()) kept.give_to(out);
}

#define SVRMU_INSTANTIATE(S)                                                                      \
  template void closed_form_outliers<S>(ColumnFeed<S>&, const RowMatrix<S>&, const Matrix<S>&, S, \
                                        SparseMatrix<S>&);                                        \
  template void kept_outliers<S>(ColumnFeed<S>&, const Outliers<S>&, S, SparseMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu
