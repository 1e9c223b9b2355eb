// V from a file that has been read: a view where possible.
#include <type_traits>
#include <utility>

#include "linalg/parallel.hpp"
#include "linalg/sparse_arrays.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {
namespace {

// A source and the storage that it views.
template <class Scalar>
class KeptSource final : public MatrixSource<Scalar> {
 public:
  KeptSource(std::unique_ptr<MatrixSource<Scalar>> source, std::shared_ptr<const void> storage)
      : storage_(std::move(storage)), source_(std::move(source)) {}

  Index features() const override { return source_->features(); }
  Index samples() const override { return source_->samples(); }
  bool is_sparse() const override { return source_->is_sparse(); }
  Index stored() const override { return source_->stored(); }
  std::unique_ptr<BatchStream<Scalar>> open(PassOrder order) const override {
    return source_->open(std::move(order));
  }

 private:
  std::shared_ptr<const void> storage_;
  std::unique_ptr<MatrixSource<Scalar>> source_;
};

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> keep(std::unique_ptr<MatrixSource<Scalar>> source,
                                           std::shared_ptr<const void> storage) {
  return std::make_unique<KeptSource<Scalar>>(std::move(source), std::move(storage));
}

// The values in the precision asked for; `storage` becomes theirs if they must be converted.
template <class Scalar, class Stored>
const Scalar* values_as(const Stored* values, Index count, std::shared_ptr<const void>& storage) {
  if constexpr (std::is_same_v<Scalar, Stored>) {
    return values;
  } else {
    const auto converted = std::make_shared<std::vector<Scalar>>(values, values + count);
    storage = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(converted,
                                                                                                    storage);
    return converted->data();
  }
}

template <class Scalar, class Stored>
std::unique_ptr<MatrixSource<Scalar>> open_dense(const MatrixFile& file, const StoredDense<Stored>& dense) {
  std::shared_ptr<const void> storage = file.storage;
  const Scalar* values = values_as<Scalar>(dense.data, file.rows * file.columns, storage);
  // Samples in rows: V is the transpose, which is the same memory seen the other way.
  const bool by_columns = (dense.layout == Layout::columns_contiguous) == (file.samples != SamplesIn::rows);
  return keep(view_dense(values, file.features(), file.sample_count(),
                         by_columns ? Layout::columns_contiguous : Layout::rows_contiguous),
              std::move(storage));
}

template <class Scalar, class Stored>
std::unique_ptr<MatrixSource<Scalar>> open_sparse(const MatrixFile& file,
                                                  const StoredSparse<Stored>& sparse) {
  if (needs_transposition(file)) {
    const ThreadsFor threads(sparse.offsets[file.features()], 0);
    const auto copy = std::make_shared<OwnedArrays<Scalar, std::int32_t>>(
        turned<Scalar>(file.features(), file.sample_count(), sparse.offsets, sparse.indices, sparse.values));
    return keep(view_sparse(file.features(), file.sample_count(), copy->offsets.get(), copy->places.get(),
                            copy->values.get()),
                copy);
  }
  std::shared_ptr<const void> storage = file.storage;
  const Scalar* values = values_as<Scalar>(sparse.values, sparse.offsets[file.sample_count()], storage);
  return keep(view_sparse(file.features(), file.sample_count(), sparse.offsets, sparse.indices, values),
              std::move(storage));
}

}  // namespace

bool needs_transposition(const MatrixFile& file) {
  return std::visit(
      [&](const auto& m) {
        const bool by_columns = m.layout == Layout::columns_contiguous;
        return file.is_sparse() && by_columns != (file.samples != SamplesIn::rows);
      },
      file.matrix);
}

template <class Scalar>
std::unique_ptr<MatrixSource<Scalar>> open_source(const MatrixFile& file) {
  return std::visit(
      [&](const auto& m) {
        using Stored = typename std::decay_t<decltype(m)>::Value;
        if constexpr (std::is_same_v<std::decay_t<decltype(m)>, StoredDense<Stored>>)
          return open_dense<Scalar>(file, m);
        else
          return open_sparse<Scalar>(file, m);
      },
      file.matrix);
}

template std::unique_ptr<MatrixSource<float>> open_source<float>(const MatrixFile&);
template std::unique_ptr<MatrixSource<double>> open_source<double>(const MatrixFile&);

}  // namespace svrmu::io
