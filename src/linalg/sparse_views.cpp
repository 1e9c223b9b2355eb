// Sparse V in memory: batches are views of arrays of the caller, or of sorted or turned copies.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "data/memory_stream.hpp"
#include "linalg/parallel.hpp"
#include "linalg/sparse_arrays.hpp"
#include "svrmu/error.hpp"
#include "svrmu/source.hpp"

namespace svrmu {
namespace {

template <class Scalar, class Row>
class SparseSource final : public MatrixSource<Scalar> {
 public:
  // `storage`: what the columns lie in, where it is not the caller's.
  SparseSource(SparseColumns<Scalar, Row> columns, Index features, Index samples,
               OwnedArrays<Scalar, Row> storage = {})
      : columns_(columns), features_(features), samples_(samples), storage_(std::move(storage)) {}

  Index features() const override { return features_; }
  Index samples() const override { return samples_; }
  bool is_sparse() const override { return true; }
  Index stored() const override { return columns_.offsets[samples_] - columns_.offsets[0]; }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return std::make_unique<MemoryStream<Scalar>>(columns_, std::move(order));
  }

 private:
  SparseColumns<Scalar, Row> columns_;
  Index features_;
  Index samples_;
  OwnedArrays<Scalar, Row> storage_;
};

template <class Scalar, class Row>
std::unique_ptr<MatrixSource<Scalar>> source_of(OwnedArrays<Scalar, Row> arrays, Index features,
                                                Index samples) {
  const SparseColumns<Scalar, Row> columns{arrays.offsets.get(), arrays.places.get(), arrays.values.get()};
  return std::make_unique<SparseSource<Scalar, Row>>(columns, features, samples, std::move(arrays));
}

void check_sizes(Index features, Index samples) {
  if (features < 0 || samples < 0)
    throw InvalidInput("sparse V cannot have " + std::to_string(features) + " features and " +
                       std::to_string(samples) + " samples");
}

Index entries_of(Offsets offsets, Index majors) {
  return majors > 0 ? std::max<Index>(offsets[majors] - offsets[0], 0) : 0;
}

// Kernels trust places and offsets, so they are checked here, once, before anything is read through them.
struct Direction {
  const char* major;
  const char* minor;
};
constexpr Direction by_columns{"column", "row"};
constexpr Direction by_rows{"row", "column"};

void refuse(const SparseFault& fault, const Direction& along, Index minors) {
  const std::string minor = along.minor;
  const std::string place =
      std::string(along.major) + " " + std::to_string(fault.major + 1) + " (counted from 1)";
  switch (fault.kind) {
    case SparseFault::Kind::none:
      return;
    case SparseFault::Kind::offsets:
      throw InvalidData("sparse V: offsets decrease from " + std::to_string(fault.before) + " to " +
                        std::to_string(fault.value) + " at " + place);
    case SparseFault::Kind::outside:
      throw InvalidData("sparse V: the " + minor + " index " + std::to_string(fault.value) + " in " + place +
                        " is outside 0.." + std::to_string(minors - 1));
    case SparseFault::Kind::order:
      throw InvalidData("sparse V: " + minor + " indices of " + place + " do not increase (" +
                        std::to_string(fault.value) + " after " + std::to_string(fault.before) +
                        "); sort them and add up duplicates (sorted_columns() makes a copy that is; scipy: "
                        "V.sum_duplicates())");
  }
}

template <class Scalar, class Row>
std::unique_ptr<MatrixSource<Scalar>> checked(Index features, Index samples, Offsets offsets, const Row* rows,
                                              const Scalar* values, int threads) {
  check_sizes(features, samples);
  const ThreadsFor scope(entries_of(offsets, samples), threads);
  refuse(find_fault(samples, features, offsets, rows, true), by_columns, features);
  return std::make_unique<SparseSource<Scalar, Row>>(SparseColumns<Scalar, Row>{offsets, rows, values},
                                                     features, samples);
}

template <class Row>
bool are_sorted(Index features, Index samples, Offsets offsets, const Row* rows, int threads) {
  check_sizes(features, samples);
  const ThreadsFor scope(entries_of(offsets, samples), threads);
  const SparseFault fault = find_fault(samples, features, offsets, rows, true);
  if (fault.kind == SparseFault::Kind::order) return false;
  refuse(fault, by_columns, features);
  return true;
}

template <class Scalar, class Row>
std::unique_ptr<MatrixSource<Scalar>> sorted(Index features, Index samples, Offsets offsets, const Row* rows,
                                             const Scalar* values, int threads) {
  check_sizes(features, samples);
  const ThreadsFor scope(entries_of(offsets, samples), threads);
  refuse(find_fault(samples, features, offsets, rows, false), by_columns, features);
  const Index first = samples > 0 ? offsets[0] : 0;
  const auto entries = static_cast<std::size_t>(entries_of(offsets, samples));
  const auto places = static_cast<std::size_t>(samples) + 1;
  OwnedArrays<Scalar, Row> copy{std::make_unique<Index[]>(places),
                                std::make_unique_for_overwrite<Row[]>(entries),
                                std::make_unique_for_overwrite<Scalar[]>(entries)};
  for (Index c = 0; samples > 0 && c <= samples; ++c)
    copy.offsets[static_cast<std::size_t>(c)] = offsets[c] - first;
  parallel_tiles(static_cast<Index>(entries), Index{1} << 16, [&](Index begin, Index end) {
    std::copy(rows + first + begin, rows + first + end, copy.places.get() + begin);
    std::copy(values + first + begin, values + first + end, copy.values.get() + begin);
  });
  sort_and_add_up(std::span<Index>(copy.offsets.get(), places), copy.places.get(), copy.values.get());
  return source_of(std::move(copy), features, samples);
}

template <class Scalar, class Column>
std::unique_ptr<MatrixSource<Scalar>> from_rows(Index features, Index samples, Offsets offsets,
                                                const Column* columns, const Scalar* values, int threads) {
  check_sizes(features, samples);
  const ThreadsFor scope(entries_of(offsets, features), threads);
  refuse(find_fault(features, samples, offsets, columns, false), by_rows, samples);
  auto arrays = turned<Scalar>(features, samples, offsets, columns, values);
  // Sorted they are already, since rows were taken in their order.
  sort_and_add_up(std::span<Index>(arrays.offsets.get(), static_cast<std::size_t>(samples) + 1),
                  arrays.places.get(), arrays.values.get());
  return source_of(std::move(arrays), features, samples);
}

}  // namespace

bool columns_are_sorted(Index features, Index samples, Offsets offsets, const std::int32_t* rows,
                        int threads) {
  return are_sorted(features, samples, offsets, rows, threads);
}

bool columns_are_sorted(Index features, Index samples, Offsets offsets, const std::int64_t* rows,
                        int threads) {
  return are_sorted(features, samples, offsets, rows, threads);
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> view(const SparseMatrix<Scalar>& V) {
  if (!V.isCompressed()) throw InvalidInput("sparse V is not compressed; call V.makeCompressed() first");
  return checked<Scalar, Index>(V.rows(), V.cols(), V.outerIndexPtr(), V.innerIndexPtr(), V.valuePtr(), 0);
}

#define SVRMU_DEFINE(name, implementation, Place)                                                      \
  template <class Scalar>                                                                              \
  std::unique_ptr<MatrixSource<Scalar>> name(Index features, Index samples, Offsets offsets,           \
                                             const Place* places, const Scalar* values, int threads) { \
    return implementation(features, samples, offsets, places, values, threads);                        \
  }                                                                                                    \
  template std::unique_ptr<MatrixSource<float>> name<float>(Index, Index, Offsets, const Place*,       \
                                                            const float*, int);                        \
  template std::unique_ptr<MatrixSource<double>> name<double>(Index, Index, Offsets, const Place*,     \
                                                              const double*, int);
SVRMU_DEFINE(view_sparse, checked, std::int32_t)
SVRMU_DEFINE(view_sparse, checked, std::int64_t)
SVRMU_DEFINE(sorted_columns, sorted, std::int32_t)
SVRMU_DEFINE(sorted_columns, sorted, std::int64_t)
SVRMU_DEFINE(view_sparse_rows, from_rows, std::int32_t)
SVRMU_DEFINE(view_sparse_rows, from_rows, std::int64_t)
#undef SVRMU_DEFINE

template std::unique_ptr<MatrixSource<float>> view<float>(const SparseMatrix<float>&);
template std::unique_ptr<MatrixSource<double>> view<double>(const SparseMatrix<double>&);

}  // namespace svrmu
