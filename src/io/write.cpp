#include "io/writers.hpp"

#include <bit>
#include <string_view>

#include "io/text.hpp"
#include "text/csv_cell.hpp"
#include "text/number.hpp"

namespace svrmu::io {
namespace {

template <class Number>
void put_number(Sink& file, Number number) {
  file.write(ShortestText(number));
}

bool looks_like_number(std::string_view name) {
  double value = 0;
  const char* at = name.data();
  const char* end = at + name.size();
  while (at != end && is_blank(*at)) ++at;
  return at != end && read_number(at, end, value) != NumberError::not_a_number;
}

// Quotes where a reader would otherwise see something else than this name.
std::string name_cell(const std::string& name, char delimiter) {
  const std::string special{'"', '\r', '\n', delimiter};
  const bool blank = name.find_first_not_of(" \t") == std::string::npos;
  const bool comment = name.starts_with('#');
  if (!blank && !comment && name.find_first_of(special) == std::string::npos && !looks_like_number(name))
    return name;
  return quoted_cell(name);
}

void check_count(const std::string& what, std::size_t names, Index size) {
  if (names != 0 && names != static_cast<std::size_t>(size))
    throw InvalidInput("there are " + std::to_string(names) + " names for " + std::to_string(size) + " " +
                       what);
}

// Pieces large enough to be worth a call.
class Pieces final : public Sink {
 public:
  explicit Pieces(const std::function<void(std::string_view)>& put) : put_(put) {}

  void write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() >= std::size_t{1} << 16) finish();
  }
  void finish() {
    put_(buffer_);
    buffer_.clear();
  }

 private:
  const std::function<void(std::string_view)>& put_;
  std::string buffer_;
};

}  // namespace

template <class Scalar>
void put_npy(Sink& file, const DenseView<Scalar>& matrix) {
  const bool by_columns = matrix.layout == Layout::columns_contiguous;
  const bool little = std::endian::native == std::endian::little;
  std::string header = std::string("{'descr': '") + (little ? '<' : '>') + 'f' +
                       std::to_string(sizeof(Scalar)) +
                       "', 'fortran_order': " + (by_columns ? "True" : "False") + ", 'shape': (" +
                       std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns) + "), }";
  // Magic, version and length take 10 bytes; values begin at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  file.write(std::string("\x93NUMPY\x01\x00", 8));
  file.write(std::string{static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)});
  file.write(header);
  const auto bytes = static_cast<std::size_t>(matrix.rows * matrix.columns) * sizeof(Scalar);
  file.write({reinterpret_cast<const char*>(matrix.data), bytes});
}

template <class Scalar>
void put_delimited(Sink& file, const DenseView<Scalar>& matrix, const MatrixNames& names, char delimiter) {
  check_count("rows", names.rows.size(), matrix.rows);
  check_count("columns", names.columns.size(), matrix.columns);
  const std::string_view separator(&delimiter, 1);
  if (!names.columns.empty()) {
    for (std::size_t c = 0; c < names.columns.size(); ++c) {
      // With names of rows there is an empty corner.
      if (c > 0 || !names.rows.empty()) file.write(separator);
      file.write(name_cell(names.columns[c], delimiter));
    }
    file.write("\n");
  }
  for (Index r = 0; r < matrix.rows; ++r) {
    if (!names.rows.empty()) file.write(name_cell(names.rows[static_cast<std::size_t>(r)], delimiter));
    for (Index c = 0; c < matrix.columns; ++c) {
      if (c > 0 || !names.rows.empty()) file.write(separator);
      put_number(file, matrix(r, c));
    }
    file.write("\n");
  }
}

template <class Scalar>
void put_mtx(Sink& file, const DenseView<Scalar>& matrix) {
  file.write("%%MatrixMarket matrix array real general\n");
  file.write(std::to_string(matrix.rows) + " " + std::to_string(matrix.columns) + "\n");
  for (Index c = 0; c < matrix.columns; ++c)
    for (Index r = 0; r < matrix.rows; ++r) {
      put_number(file, matrix(r, c));
      file.write("\n");
    }
}

template <class Scalar>
void put_mtx(Sink& file, const SparseMatrix<Scalar>& matrix) {
  file.write("%%MatrixMarket matrix coordinate real general\n");
  file.write(std::to_string(matrix.rows()) + " " + std::to_string(matrix.cols()) + " " +
             std::to_string(matrix.nonZeros()) + "\n");
  for (Index c = 0; c < matrix.cols(); ++c)
    for (typename SparseMatrix<Scalar>::InnerIterator entry(matrix, c); entry; ++entry) {
      put_number(file, entry.row() + 1);
      file.write(" ");
      put_number(file, c + 1);
      file.write(" ");
      put_number(file, entry.value());
      file.write("\n");
    }
}

#define SVRMU_INSTANTIATE(S)                                                            \
  template void put_npy<S>(Sink&, const DenseView<S>&);                                 \
  template void put_delimited<S>(Sink&, const DenseView<S>&, const MatrixNames&, char); \
  template void put_mtx<S>(Sink&, const DenseView<S>&);                                 \
  template void put_mtx<S>(Sink&, const SparseMatrix<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

template <class Scalar>
void write_npy(const std::string& path, const DenseView<Scalar>& matrix, const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  put_npy(file, matrix);
  file.commit();
}

template <class Scalar>
void write_csv(const std::string& path, const DenseView<Scalar>& matrix, const MatrixNames& names,
               const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  put_delimited(file, matrix, names, ',');
  file.commit();
}

template <class Scalar>
void write_csv(const std::function<void(std::string_view)>& put, const DenseView<Scalar>& matrix,
               const MatrixNames& names) {
  Pieces pieces(put);
  put_delimited(pieces, matrix, names, ',');
  pieces.finish();
}

template <class Scalar>
void write_tsv(const std::string& path, const DenseView<Scalar>& matrix, const MatrixNames& names,
               const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  put_delimited(file, matrix, names, '\t');
  file.commit();
}

template <class Scalar>
void write_mtx(const std::string& path, const DenseView<Scalar>& matrix, const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  put_mtx(file, matrix);
  file.commit();
}

template <class Scalar>
void write_mtx(const std::string& path, const SparseMatrix<Scalar>& matrix, const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  put_mtx(file, matrix);
  file.commit();
}

void write_file(const std::string& path, std::string_view text, const WriteOptions& options) {
  AtomicFile file(path, options.overwrite);
  file.write(text);
  file.commit();
}

template <class Scalar>
void write_matrix(const std::string& path, const DenseView<Scalar>& matrix, const MatrixNames& names,
                  const WriteOptions& options) {
  if (path.ends_with(".npy")) return write_npy(path, matrix, options);
  if (path.ends_with(".csv")) return write_csv(path, matrix, names, options);
  if (path.ends_with(".tsv")) return write_tsv(path, matrix, names, options);
  if (path.ends_with(".mtx")) return write_mtx(path, matrix, options);
  throw InvalidInput(
      path + ": its ending does not say how to write it; endings that are written: .npy, .csv, .tsv, .mtx");
}

#define SVRMU_INSTANTIATE(S)                                                                    \
  template void write_npy<S>(const std::string&, const DenseView<S>&, const WriteOptions&);     \
  template void write_csv<S>(const std::string&, const DenseView<S>&, const MatrixNames&,       \
                             const WriteOptions&);                                              \
  template void write_csv<S>(const std::function<void(std::string_view)>&, const DenseView<S>&, \
                             const MatrixNames&);                                               \
  template void write_tsv<S>(const std::string&, const DenseView<S>&, const MatrixNames&,       \
                             const WriteOptions&);                                              \
  template void write_mtx<S>(const std::string&, const DenseView<S>&, const WriteOptions&);     \
  template void write_mtx<S>(const std::string&, const SparseMatrix<S>&, const WriteOptions&);  \
  template void write_matrix<S>(const std::string&, const DenseView<S>&, const MatrixNames&,    \
                                const WriteOptions&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
