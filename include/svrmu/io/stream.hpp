/// @file
/// Columns of V that come through a pipe or lie in a file, each read once (target svrmu::io). docs/formats.md
/// describes the framings.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/io/files.hpp"
#include "svrmu/stream.hpp"

namespace svrmu::io {

/// Bytes in their order: puts up to so many of them at an address, and returns how many; 0 after the last.
/// IoError if they cannot be read, Cancelled if nobody wants them any more.
using ByteSource = std::function<std::size_t(std::byte* to, std::size_t most)>;

/// The bytes of an open file or pipe, which stays open. `name` is what messages call it.
SVRMU_API ByteSource bytes_of(int descriptor, std::string name);

/// What the beginning of a stream says.
struct StreamHeader {
  std::string name{};                        ///< for messages
  std::string format{};                      ///< "columns", "npy", "csv", "tsv" or "text"
  std::string elements{};                    ///< type of the numbers: "float32", "text", ...
  Index features = 0;                        ///< rows of V
  bool sparse = false;                       ///< only some entries come
  bool is_double = true;                     ///< the values are to be in double precision
  SamplesIn samples = SamplesIn::columns;    ///< where the samples lie, if the stream is seen as a matrix
  std::vector<std::string> feature_names{};  ///< empty: there are none
  std::vector<std::string> notes{};  ///< what may not be meant as it was understood, and the option for it
};

/// A stream whose beginning has been read. The rest is for one FileColumns.
class SVRMU_API StreamFile {
 public:
  /// Reads the beginning. Options are those of a file: format (its first bytes say it, else it is text),
  /// precision, samples, delimiter, decimal and row_names. Throws InvalidData if it makes no sense.
  StreamFile(ByteSource bytes, std::string name, const ReadOptions& options = {});
  ~StreamFile();
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;

  /// What the beginning says.
  const StreamHeader& header() const;

 private:
  template <class Scalar>
  friend class FileColumns;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The columns of a StreamFile, which must outlive them.
///
/// What is wrong with them is no exception, which would cost what was learned before: the stream ends, and
/// fault() tells of it. Columns that are left over before the fault, less than were asked for, are not
/// served, so that who goes on with the next column gets the batches of an undisturbed stream.
template <class Scalar>
class SVRMU_API FileColumns final : public ColumnStream<Scalar> {
 public:
  /// What is done to the columns that are served at a time, seen as a file with the samples in columns.
  using Change = std::function<void(MatrixFile&)>;

  /// `features`: how many there are after a change; 0: as many as before. `zeros`: false if a zero cannot be
  /// used either, as with losses that are infinite there.
  explicit FileColumns(StreamFile& file, Change change = {}, Index features = 0, bool zeros = true);
  ~FileColumns() override;
  FileColumns(const FileColumns&) = delete;
  FileColumns& operator=(const FileColumns&) = delete;

  Index features() const override;
  bool is_sparse() const override;
  bool next(Index most_columns, Batch<Scalar>& batch) override;

  /// Columns that were served.
  Index served() const;
  /// InvalidData or IoError that ended the stream; null: nothing was wrong.
  std::exception_ptr fault() const;
  /// True if nobody wanted its bytes any more.
  bool cancelled() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace svrmu::io
