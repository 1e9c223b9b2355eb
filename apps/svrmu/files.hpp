// Matrices and texts from what the command line names, and to it. "-" is standard input or output.
#pragma once

#include <string>
#include <string_view>

#include "svrmu/io/files.hpp"
#include "targets.hpp"

namespace svrmu::cli {

constexpr std::string_view standard_stream = "-";

template <class Scalar>
constexpr const char* precision_name = sizeof(Scalar) == 4 ? "float32" : "float64";

// The reader of standard output has gone, as `head` does: no failure of this program.
class NobodyReads : public io::IoError {
 public:
  NobodyReads() : io::IoError("nobody reads standard output") {}
};

// Everything written to standard output has arrived, or IoError.
void finish_standard_output();

struct InputFlags {
  std::string path;
  std::string samples = "auto";
  std::string precision = "auto";
  // Empty: as the file looks.
  std::string format{}, delimiter{}, decimal{}, row_names{}, column_names{};
  int threads = 0;
  bool trusted = false;
};

// The first bytes of standard input, or of a pipe, say which format it has.
io::MatrixFile read_input(const InputFlags& flags);

// As read_input(), with flags turned into options, and nothing said.
io::MatrixFile read_file(const InputFlags& flags, const io::ReadOptions& options);

// "8293 samples x 18933 features", and a second line about how they are stored.
void introduce(const io::MatrixFile& file);

// The values of a file as it has them, rows x columns.
template <class Scalar>
Matrix<Scalar> dense_values(const io::MatrixFile& file);
template <class Scalar>
SparseMatrix<Scalar> sparse_values(const io::MatrixFile& file);  // of a sparse file

// By the ending; to standard output as comma-separated text.
template <class Scalar>
void write_dense(const std::string& path, const io::DenseView<Scalar>& matrix, const io::MatrixNames& names,
                 bool force);
// As above; only .mtx keeps it sparse.
template <class Scalar>
void write_sparse(const std::string& path, const SparseMatrix<Scalar>& matrix, const io::MatrixNames& names,
                  bool force);
void write_text(const std::string& path, const std::string& text, bool force);

// For messages: the name of a file, or of the stream.
std::string spoken_input(const std::string& path);

// What is wrong with V, as a fault of the file, which may hold its transpose.
InvalidData in_file(const io::MatrixFile& file, const InvalidData& error);

std::vector<std::string> component_names(Index rank);

}  // namespace svrmu::cli
