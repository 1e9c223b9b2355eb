#include "files.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "console.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

namespace fs = std::filesystem;

// A file in a private folder of its own. Both are removed with this object, or at an interrupt.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) {
    std::error_code error;
    const fs::path base = fs::temp_directory_path(error);
    if (error) throw io::IoError("there is no folder for temporary files; set TMPDIR: " + error.message());
    folder_ = (base / "svrmu-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr)
      throw io::IoError(folder_ + ": cannot be made: " + std::strerror(errno));
    path_ = (fs::path(folder_) / name).string();
    remove_at_interrupt(folder_);
  }
  ~TemporaryFile() {
    remove_at_interrupt("");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string folder_;
  std::string path_;
};

// Which format a stream is in: it has no ending.
std::string ending_of(std::string_view head) {
  const std::string_view ending = io::ending_by_content(head);
  if (ending == ".gz")
    throw InvalidData("standard input is compressed by gzip; unpack it first: gunzip -c FILE | svrmu ...");
  if (!ending.empty()) return std::string(ending);
  return head.substr(0, head.find('\n')).find('\t') != std::string_view::npos ? ".tsv" : ".csv";
}

io::MatrixFile read_standard_input(const io::ReadOptions& options) {
  std::array<char, 1 << 16> buffer;
  std::cin.read(buffer.data(), buffer.size());
  if (std::cin.bad())
    throw io::IoError("standard input cannot be read: " + std::string(std::strerror(errno)));
  if (std::cin.gcount() == 0) throw InvalidData("standard input is empty");
  const TemporaryFile spool(
      "stdin" + ending_of(std::string_view(buffer.data(), static_cast<std::size_t>(std::cin.gcount()))));
  std::ofstream out(spool.path(), std::ios::binary);
  while (std::cin.gcount() > 0) {
    out.write(buffer.data(), std::cin.gcount());
    std::cin.read(buffer.data(), buffer.size());
  }
  out.close();
  if (std::cin.bad())
    throw io::IoError("standard input cannot be read: " + std::string(std::strerror(errno)));
  if (!out)
    throw io::IoError(spool.path() + ": standard input cannot be kept there: " + std::strerror(errno));
  try {
    io::MatrixFile file = io::read_matrix(spool.path(), options);  // pages that are mapped outlive the name
    file.path = standard_stream;
    return file;
  } catch (const InvalidInput& error) {
    std::string message = error.what();
    for (std::size_t at; (at = message.find(spool.path())) != std::string::npos;)
      message.replace(at, spool.path().size(), "standard input");
    throw InvalidData(message);
  }
}

template <class Write>
void to_standard_output(const Write& write) {
  const TemporaryFile file("out.csv");
  write(file.path());
  std::ifstream in(file.path(), std::ios::binary);
  if (in.peek() != std::ifstream::traits_type::eof()) std::cout << in.rdbuf();
  finish_standard_output();
}

constexpr std::array matrix_endings = {".npy", ".csv", ".tsv", ".mtx"};

}  // namespace

io::MatrixFile read_input(const InputFlags& flags) {
  io::ReadOptions options;
  options.threads = flags.threads;
  if (flags.samples == "rows") options.samples = io::SamplesIn::rows;
  if (flags.samples == "columns") options.samples = io::SamplesIn::columns;
  if (flags.precision == "float32") options.precision = io::Precision::float32;
  if (flags.precision == "float64") options.precision = io::Precision::float64;
  return reading(spoken_input(flags.path), [&] {
    return flags.path == standard_stream ? read_standard_input(options)
                                         : io::read_matrix(flags.path, options);
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
  errno = 0;
  std::cout.flush();
  if (std::cout) return;
  if (errno == EPIPE) throw NobodyReads();
  throw io::IoError("standard output cannot be written" +
                    (errno == 0 ? std::string() : ": " + std::string(std::strerror(errno))));
}

void check_distinct(const std::vector<std::string>& paths) {
  std::vector<fs::path> known;
  for (const std::string& path : paths) {
    if (path.empty() || path == standard_stream) continue;
    std::error_code ignored;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    if (std::find(known.begin(), known.end(), place) != known.end())
      throw UsageError(printable(path) + " is named twice; inputs and outputs must be different files");
    known.push_back(place);
  }
}

void check_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  // A temporary name beside it is a little longer.
  if (fs::path(path).filename().string().size() > 225)
    throw io::IoError(printable(path) + ": the name is too long");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) throw io::IoError(printable(path) + ": is a folder; name a file");
  if (fs::exists(status) && !force)
    throw io::IoError(printable(path) + ": already exists; --force replaces it");
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw io::IoError(printable(path) + ": is not an ordinary file");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error))
    throw io::IoError(printable(path) + ": there is no folder " + printable(folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw io::IoError(printable(path) + ": the folder " + printable(folder.string()) +
                      " cannot be written to: " + std::strerror(errno));
}

void check_matrix_target(const std::string& path, bool force) {
  if (path == standard_stream) return;
  bool known = false;
  for (const std::string_view ending : matrix_endings) known = known || path.ends_with(ending);
  if (!known)
    throw UsageError(
        printable(path) +
        ": its ending does not say how to write it; endings that are written: " + list_text(matrix_endings));
  check_target(path, force);
}

template <class Scalar>
void write_dense(const std::string& path, const io::DenseView<Scalar>& matrix, const io::MatrixNames& names,
                 bool force) {
  if (path == standard_stream) {
    to_standard_output([&](const std::string& file) { io::write_csv(file, matrix, names); });
  } else {
    const NoInterrupts whole;
    io::write_matrix(path, matrix, names, {.overwrite = force});
  }
}

template <class Scalar>
void write_sparse(const std::string& path, const SparseMatrix<Scalar>& matrix, const io::MatrixNames& names,
                  bool force) {
  if (path.ends_with(".mtx")) {
    const NoInterrupts whole;
    return io::write_mtx(path, matrix, {.overwrite = force});
  }
  const double bytes =
      static_cast<double>(matrix.rows()) * static_cast<double>(matrix.cols()) * double(sizeof(Scalar));
  try {
    const Matrix<Scalar> dense = matrix.toDense();
    write_dense(path, io::dense_view(dense), names, force);
  } catch (const std::bad_alloc&) {
    throw ResourceLimit(printable(path) + ": written densely the matrix needs " + byte_size(bytes) +
                        "; .mtx keeps it sparse");
  }
}

void write_text(const std::string& path, const std::string& text, bool force) {
  if (path == standard_stream) {
    std::cout << text;
    finish_standard_output();
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
