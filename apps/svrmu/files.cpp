#include "files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "child_reader.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "spool.hpp"

namespace svrmu::cli {
namespace {

// A piece of data that goes to standard output, or IoError.
void put_on_standard_output(std::string_view text) {
  errno = 0;
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
  finish_standard_output();
}

}  // namespace

io::MatrixFile read_file(const InputFlags& flags, const io::ReadOptions& options) {
  return reading(spoken_input(flags.path), [&] {
    if (flags.path != standard_stream && !is_pipe(flags.path))
      return read_matrix(flags.path, options, flags.trusted);
    io::MatrixFile file = flags.path == standard_stream
                              ? read_stream(STDIN_FILENO, "standard input", options, flags.trusted)
                              : read_pipe(flags.path, options, flags.trusted);
    file.path = flags.path;
    return file;
  });
}

std::string spoken_input(const std::string& path) {
  return path == standard_stream ? "standard input" : printable(path);
}

void introduce(const io::MatrixFile& file) {
  say(bold(std::to_string(file.sample_count()) + " samples x " + std::to_string(file.features()) +
           " features"));
  std::string storage = "  " + spoken_input(file.path) + ": " + file.format + ", " + file.elements;
  if (file.is_sparse()) {
    const double entries = static_cast<double>(file.rows) * static_cast<double>(file.columns);
    storage += ", sparse, " + counted(static_cast<double>(file.stored()), "entry", "entries") + " (" +
               short_number(100 * static_cast<double>(file.stored()) / std::max(entries, 1.0)) + " %)";
  } else {
    storage += ", dense";
  }
  storage += std::string(", samples in ") + (file.samples == io::SamplesIn::rows ? "rows" : "columns");
  if (!file.feature_names().empty()) storage += ", named features";
  if (!file.sample_names().empty()) storage += ", named samples";
  say(storage);
}

template <class Scalar>
SparseMatrix<Scalar> sparse_values(const io::MatrixFile& file) {
  return std::visit(
      [&](const auto& stored) -> SparseMatrix<Scalar> {
        using S = typename std::decay_t<decltype(stored)>::Value;
        if constexpr (requires { stored.offsets; }) {
          if (stored.layout == Layout::columns_contiguous)
            return Eigen::Map<const SparseMatrix<S>>(file.rows, file.columns, file.stored(), stored.offsets,
                                                     stored.indices, stored.values)
                .template cast<Scalar>();
          using ByRows = Eigen::SparseMatrix<S, Eigen::RowMajor, Index>;
          return SparseMatrix<S>(Eigen::Map<const ByRows>(file.rows, file.columns, file.stored(),
                                                          stored.offsets, stored.indices, stored.values))
              .template cast<Scalar>();
        } else {
          throw std::logic_error("a dense file has no sparse values");
        }
      },
      file.matrix);
}

template <class Scalar>
Matrix<Scalar> dense_values(const io::MatrixFile& file) {
  if (file.is_sparse()) return sparse_values<Scalar>(file).toDense();
  return std::visit(
      [&](const auto& stored) -> Matrix<Scalar> {
        using S = typename std::decay_t<decltype(stored)>::Value;
        if constexpr (requires { stored.data; }) {
          if (stored.layout == Layout::columns_contiguous)
            return Eigen::Map<const Matrix<S>>(stored.data, file.rows, file.columns).template cast<Scalar>();
          return Eigen::Map<const RowMatrix<S>>(stored.data, file.rows, file.columns).template cast<Scalar>();
        } else {
          throw std::logic_error("a sparse file has no dense values");
        }
      },
      file.matrix);
}

void finish_standard_output() {
  if (std::cout) errno = 0;
  std::cout.flush();
  if (std::cout) return;
  if (errno == EPIPE) throw NobodyReads();
  throw io::IoError("standard output cannot be written" +
                    (errno == 0 ? std::string() : ": " + std::string(std::strerror(errno))));
}

template <class Scalar>
void write_dense(const std::string& path, const io::DenseView<Scalar>& matrix, const io::MatrixNames& names,
                 bool force) {
  if (path == standard_stream) {
    io::write_csv(put_on_standard_output, matrix, names);
  } else {
    io::write_matrix(path, matrix, names, {.overwrite = force});
  }
}

template <class Scalar>
void write_sparse(const std::string& path, const SparseMatrix<Scalar>& matrix, const io::MatrixNames& names,
                  bool force) {
  if (path.ends_with(".mtx")) return io::write_mtx(path, matrix, {.overwrite = force});
  const double bytes =
      static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols()) * double(sizeof(Scalar));
  try {
    const Matrix<Scalar> dense = matrix.toDense();
    write_dense(path, io::dense_view(dense), names, force);
  } catch (const std::bad_alloc&) {
    throw ResourceLimit(printable(path) + ": there is not enough memory to write it densely (" +
                        byte_size(bytes) + "); .mtx keeps it sparse");
  }
}

void write_text(const std::string& path, const std::string& text, bool force) {
  if (path == standard_stream) {
    put_on_standard_output(text);
  } else {
    io::write_file(path, text, {.overwrite = force});
  }
}

InvalidData in_file(const io::MatrixFile& file, const InvalidData& error) {
  std::string message = spoken_input(file.path) + ": " + error.what();
  if (file.samples == io::SamplesIn::rows) message += " (rows of V are features: the file's columns)";
  return InvalidData(message);
}

std::vector<std::string> component_names(Index rank) {
  std::vector<std::string> names;
  for (Index k = 1; k <= rank; ++k) names.push_back("component_" + std::to_string(k));
  return names;
}

#define SVRMU_INSTANTIATE(S)                                                                               \
  template Matrix<S> dense_values<S>(const io::MatrixFile&);                                               \
  template SparseMatrix<S> sparse_values<S>(const io::MatrixFile&);                                        \
  template void write_dense<S>(const std::string&, const io::DenseView<S>&, const io::MatrixNames&, bool); \
  template void write_sparse<S>(const std::string&, const SparseMatrix<S>&, const io::MatrixNames&, bool);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::cli
