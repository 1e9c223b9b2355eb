#include "files.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

#include "console.hpp"
#include "data/text.hpp"
#include "errors.hpp"

namespace svrmu::cli {
namespace {

namespace fs = std::filesystem;

// A file in the temporary folder that goes when this does.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending) {
    path_ = (fs::temp_directory_path() / ("svrmu-XXXXXX" + ending)).string();
    const int file = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    if (file < 0) throw IoError(path_ + ": cannot be made: " + std::strerror(errno));
    ::close(file);
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Which format a stream is in: it has no ending.
std::string ending_of(std::string_view head) {
  if (head.starts_with("\x93NUMPY")) return ".npy";
  if (head.starts_with("PK")) return ".npz";
  if (head.starts_with("%%MatrixMarket")) return ".mtx";
  if (head.starts_with("MATLAB")) return ".mat";
  if (head.starts_with("\x89HDF")) return ".h5";
  if (head.starts_with("\x1f\x8b"))
    throw InvalidData("standard input is compressed by gzip; unpack it first: gunzip -c FILE | svrmu ...");
  return head.substr(0, head.find('\n')).find('\t') != std::string_view::npos ? ".tsv" : ".csv";
}

MatrixFile read_standard_input(const ReadOptions& options) {
  std::array<char, 1 << 16> buffer;
  std::cin.read(buffer.data(), buffer.size());
  if (std::cin.gcount() == 0) throw InvalidData("standard input is empty");
  const TemporaryFile spool(
      ending_of(std::string_view(buffer.data(), static_cast<std::size_t>(std::cin.gcount()))));
  std::ofstream out(spool.path(), std::ios::binary);
  while (std::cin.gcount() > 0) {
    out.write(buffer.data(), std::cin.gcount());
    std::cin.read(buffer.data(), buffer.size());
  }
  out.close();
  if (!out) throw IoError("standard input cannot be kept in " + fs::temp_directory_path().string());
  try {
    MatrixFile file = read_matrix(spool.path(), options);  // pages that are mapped outlive the name
    file.path = standard_stream;
    return file;
  } catch (const InvalidInput& error) {
    std::string message = error.what();
    if (const std::size_t at = message.find(spool.path()); at != std::string::npos)
      message.replace(at, spool.path().size(), "standard input");
    throw InvalidData(message);
  }
}

template <class Write>
void to_standard_output(const Write& write) {
  const TemporaryFile file(".csv");
  write(file.path());
  std::ifstream in(file.path(), std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) std::cout << in.rdbuf();
  std::cout.flush();
  if (!std::cout) throw IoError("standard output cannot be written: " + std::string(std::strerror(errno)));
}

constexpr std::array matrix_endings = {".npy", ".csv", ".tsv", ".mtx"};

}  // namespace

MatrixFile read_input(const InputFlags& flags) {
  ReadOptions options;
  options.threads = flags.threads;
  if (flags.samples == "rows") options.samples = SamplesIn::rows;
  if (flags.samples == "columns") options.samples = SamplesIn::columns;
  if (flags.precision == "float32") options.precision = Precision::float32;
  if (flags.precision == "float64") options.precision = Precision::float64;
  return reading([&] {
    return flags.path == standard_stream ? read_standard_input(options) : read_matrix(flags.path, options);
  });
}

std::string spoken_input(const std::string& path) {
  return path == standard_stream ? "standard input" : printable(path);
}

void introduce(const MatrixFile& file) {
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
  storage += std::string(", samples in ") + (file.samples == SamplesIn::rows ? "rows" : "columns");
  if (!file.feature_names().empty()) storage += ", named features";
  if (!file.sample_names().empty()) storage += ", named samples";
  say(storage);
}

template <class Scalar>
SparseMatrix<Scalar> sparse_values(const MatrixFile& file) {
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
Matrix<Scalar> dense_values(const MatrixFile& file) {
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

void check_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw IoError(printable(path) + ": is a folder; name a file");
  if (fs::exists(status) && !force)
    throw IoError(printable(path) + ": is there already; --force replaces it");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw IoError(printable(path) + ": is not an ordinary file");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error))
    throw IoError(printable(path) + ": there is no folder " + printable(folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw IoError(printable(path) + ": the folder " + printable(folder.string()) +
                  " cannot be written to: " + std::strerror(errno));
}

void check_matrix_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  bool known = false;
  for (const std::string_view ending : matrix_endings) known = known || path.ends_with(ending);
  if (!known)
    throw UsageError(printable(path) + ": how to write it cannot be told from its ending; written are " +
                     list_text(matrix_endings));
  check_target(path, force);
}

template <class Scalar>
void write_dense(const std::string& path, const DenseView<Scalar>& matrix, const MatrixNames& names,
                 bool force) {
  if (path == standard_stream)
    to_standard_output([&](const std::string& file) { write_csv(file, matrix, names, {.overwrite = true}); });
  else
    write_matrix(path, matrix, names, {.overwrite = force});
}

template <class Scalar>
void write_sparse(const std::string& path, const SparseMatrix<Scalar>& matrix, const MatrixNames& names,
                  bool force) {
  if (path.ends_with(".mtx")) return write_mtx(path, matrix, {.overwrite = force});
  const double bytes =
      static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols()) * double(sizeof(Scalar));
  try {
    const Matrix<Scalar> dense = matrix.toDense();
    write_dense(path, dense_view(dense), names, force);
  } catch (const std::bad_alloc&) {
    throw ResourceLimit(printable(path) + ": written densely the matrix needs " + byte_size(bytes) +
                        "; .mtx keeps it sparse");
  }
}

void write_text(const std::string& path, const std::string& text, bool force) {
  if (path == standard_stream) {
    std::cout << text << std::flush;
    if (!std::cout) throw IoError("standard output cannot be written: " + std::string(std::strerror(errno)));
  } else {
    write_file(path, text, {.overwrite = force});
  }
}

std::vector<std::string> component_names(Index rank) {
  std::vector<std::string> names;
  for (Index k = 1; k <= rank; ++k) names.push_back("component_" + std::to_string(k));
  return names;
}

#define SVRMU_INSTANTIATE(S)                                                                       \
  template Matrix<S> dense_values<S>(const MatrixFile&);                                           \
  template SparseMatrix<S> sparse_values<S>(const MatrixFile&);                                    \
  template void write_dense<S>(const std::string&, const DenseView<S>&, const MatrixNames&, bool); \
  template void write_sparse<S>(const std::string&, const SparseMatrix<S>&, const MatrixNames&, bool);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::cli
