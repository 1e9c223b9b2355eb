// One class per framing: bytes in, columns out. They throw InvalidData and what the source of bytes throws.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "io/byte_reader.hpp"
#include "io/npy.hpp"
#include "io/table.hpp"
#include "svrmu/io/stream.hpp"

namespace svrmu::io {

// Columns in memory of their own, which is used again.
template <class Scalar>
struct ColumnWindow {
  std::vector<Scalar> values;  // dense: features x columns, or more
  std::vector<Index> offsets;  // sparse
  std::vector<Index> rows;
};

template <class Scalar>
class ColumnDecoder {
 public:
  virtual ~ColumnDecoder() = default;
  // The next columns; fewer than asked for only at the end.
  virtual Index read(Index most, ColumnWindow<Scalar>& window) = 0;
};

// "NAME, column 12 (counted from 1): what"
[[noreturn]] void fail_at_column(const std::string& name, Index column, const std::string& what);
// For a stream that ends without its mark after so many columns.
[[noreturn]] void fail_cut_off(const std::string& name, Index whole, bool within);

// What the beginning of each framing says.
struct FramedStart {
  ElementType type;
  ElementType index;  // of places, if the columns are sparse
};
struct NpyStart {
  ElementType type;
  Index columns = 0;
};
struct TextStart {
  Table table;
};

inline constexpr std::string_view framed_magic = "SVRMUCOL";

// Read the beginning and say in `header` what it is.
FramedStart begin_framed(ByteReader& bytes, StreamHeader& header);
NpyStart begin_npy(ByteReader& bytes, const ReadOptions& options, StreamHeader& header);
// The beginning is looked at, and only the line of names is read. `usual` is the delimiter of the format.
TextStart begin_text(ByteReader& bytes, char usual, const ReadOptions& options, StreamHeader& header);

// `header` must outlive the decoder.
template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const FramedStart& start);
template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const NpyStart& start);
template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const TextStart& start);

}  // namespace svrmu::io
