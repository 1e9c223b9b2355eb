// A batch times its power of two, in memory of its own: for units in which products of V itself would leave
// the range of Scalar.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include "svrmu/source.hpp"

namespace svrmu {

template <class Scalar>
class ScaledBatch {
 public:
  // Units near enough to those of V need no copy: sums of products are scaled instead.
  static bool needed(Scalar scale) {
    constexpr Scalar far = sizeof(Scalar) == 8 ? Scalar(0x1p300) : Scalar(0x1p40);
    return scale > far || scale < 1 / far;
  }

  // The batch becomes one of this copy, which lasts until the next call.
  void take(Batch<Scalar>& batch) {
    batch.data =
        std::visit([&](const auto& from) { return ColumnData<Scalar>(copy(batch, from)); }, batch.data);
    batch.first = 0;
    batch.list = {};
    batch.scale = 1;
  }

 private:
  DenseColumns<Scalar> copy(const Batch<Scalar>& batch, const DenseColumns<Scalar>& from) {
    values_.resize(static_cast<std::size_t>(batch.features * batch.count));
    Scalar* to = values_.data();
    for (Index j = 0; j < batch.count; ++j) {
      const Scalar* column = from.data + batch.column(j) * from.column_stride;
      for (Index f = 0; f < batch.features; ++f) *to++ = batch.scale * column[f * from.feature_stride];
    }
    return {values_.data(), 1, batch.features};
  }

  template <class Row>
  SparseColumns<Scalar, Row> copy(const Batch<Scalar>& batch, const SparseColumns<Scalar, Row>& from) {
    auto& rows = std::get<std::vector<Row>>(rows_);
    offsets_.assign(1, 0);
    rows.clear();
    values_.clear();
    for (Index j = 0; j < batch.count; ++j) {
      const Index column = batch.column(j);
      for (Index p = from.offsets[column]; p < from.offsets[column + 1]; ++p) {
        rows.push_back(from.rows[p]);
        values_.push_back(batch.scale * from.values[p]);
      }
      offsets_.push_back(static_cast<std::int64_t>(values_.size()));
    }
    return {offsets_.data(), rows.data(), values_.data()};
  }

  std::vector<Scalar> values_;
  std::vector<std::int64_t> offsets_;
  std::tuple<std::vector<std::int32_t>, std::vector<std::int64_t>> rows_;
};

}  // namespace svrmu
