// Columns in blocks, in the framing that docs/formats.md describes.
#include <algorithm>
#include <cstring>

#include "io/column_decoder.hpp"

namespace svrmu::io {
namespace {

constexpr std::uint64_t most_features = (std::uint64_t{1} << 31) - 1;
// A block of sparse columns is in memory as a whole.
constexpr std::uint64_t most_block_bytes = std::uint64_t{1} << 26;
constexpr std::uint64_t most_columns_ever = std::uint64_t{1} << 62;

constexpr bool foreign_order = std::endian::native == std::endian::big;

std::uint64_t number_at(const std::byte* from) { return load<std::uint64_t>(from, foreign_order); }

template <class Scalar>
class FramedColumns final : public ColumnDecoder<Scalar> {
 public:
  FramedColumns(ByteReader& bytes, const StreamHeader& header, const FramedStart& start)
      : bytes_(bytes), header_(header), start_(start) {}

  Index read(Index most, ColumnWindow<Scalar>& window) override {
    if (header_.sparse) {
      window.offsets.assign(1, 0);
      window.rows.clear();
      window.values.clear();
    }
    Index got = 0;
    while (got < most && begin_block()) {
      const Index count =
          header_.sparse ? take_sparse(most - got, window) : read_dense(most - got, got, window);
      got += count;
      left_ -= count;
      columns_ += count;
    }
    return got;
  }

 private:
  // False at the mark of the end.
  bool begin_block() {
    if (ended_) return false;
    if (left_ > 0) return true;
    const std::uint64_t count = read_count();
    if (count > most_columns_ever)
      fail_at_column(header_.name, columns_, "a block of " + std::to_string(count) + " columns begins here");
    if (count > 0) {
      left_ = static_cast<Index>(count);
      if (header_.sparse) read_block(count);
      return true;
    }
    const std::uint64_t total = read_count();
    if (total != static_cast<std::uint64_t>(columns_))
      fail(header_.name, "has " + std::to_string(columns_) + " columns, but its end says " +
                             std::to_string(total) + ": it is damaged");
    if (!bytes_.peek(1).empty())
      fail(header_.name, "goes on after the mark of its end, behind column " + std::to_string(columns_));
    ended_ = true;
    return false;
  }

  std::uint64_t read_count() {
    std::byte raw[8];
    if (bytes_.read(raw, sizeof raw) < sizeof raw) fail_cut_off(header_.name, columns_, false);
    return number_at(raw);
  }

  Index read_dense(Index most, Index got, ColumnWindow<Scalar>& window) {
    const Index F = header_.features;
    // A few at a time: neither their number nor their size is to be believed.
    const Index count = std::min({left_, most, std::max<Index>(Index{numbers_at_a_time} / F, 1)});
    const std::uint64_t found = read_values(bytes_, start_.type, static_cast<std::uint64_t>(count * F),
                                            window.values, static_cast<std::size_t>(got * F));
    const auto whole = static_cast<Index>(found) / F;
    if (whole < count) fail_cut_off(header_.name, columns_ + whole, static_cast<Index>(found) % F > 0);
    return count;
  }

  // All of a block of sparse columns.
  void read_block(std::uint64_t count) {
    const std::uint64_t place_size = size_of(start_.index.element);
    const std::uint64_t entry_size = place_size + size_of(start_.type.element);
    if (count >= most_block_bytes / place_size) refuse_block(count);
    require(read_indices(bytes_, start_.index, count + 1, offsets_), count + 1);
    if (offsets_[0] != 0) fail_here("the first offset of its block is not 0");
    for (std::uint64_t c = 0; c < count; ++c) {
      if (offsets_[c + 1] < offsets_[c] || offsets_[c + 1] - offsets_[c] > header_.features)
        fail_at_column(header_.name, columns_ + static_cast<Index>(c),
                       "its offsets are " + std::to_string(offsets_[c]) + " and " +
                           std::to_string(offsets_[c + 1]) + "; a column has 0 to " +
                           std::to_string(header_.features) + " entries");
      if (static_cast<std::uint64_t>(offsets_[c + 1]) > most_block_bytes / entry_size) refuse_block(count);
    }
    const auto entries = static_cast<std::uint64_t>(offsets_[count]);
    require(read_indices(bytes_, start_.index, entries, rows_), entries);
    for (std::uint64_t c = 0; c < count; ++c) check_rows(c);
    require(read_values(bytes_, start_.type, entries, values_, 0), entries);
    next_ = 0;
  }

  void check_rows(std::uint64_t c) const {
    Index least = 0;
    for (auto p = static_cast<std::size_t>(offsets_[c]); p < static_cast<std::size_t>(offsets_[c + 1]); ++p) {
      if (rows_[p] < least || rows_[p] >= header_.features)
        fail_at_column(header_.name, columns_ + static_cast<Index>(c),
                       "has row " + std::to_string(rows_[p]) +
                           " (counted from 0), but rows must increase and " + "be below " +
                           std::to_string(header_.features));
      least = rows_[p] + 1;
    }
  }

  void require(std::uint64_t found, std::uint64_t wanted) const {
    if (found < wanted) fail_cut_off(header_.name, columns_, true);
  }
  [[noreturn]] void fail_here(const std::string& what) const { fail_at_column(header_.name, columns_, what); }
  [[noreturn]] void refuse_block(std::uint64_t count) const {
    fail_here("a block of " + std::to_string(count) + " columns begins here that takes more than " +
              std::to_string(most_block_bytes) + " bytes; write smaller ones");
  }

  Index take_sparse(Index most, ColumnWindow<Scalar>& window) {
    const Index count = std::min(left_, most);
    const auto begin = static_cast<std::ptrdiff_t>(offsets_[static_cast<std::size_t>(next_)]);
    const auto end = static_cast<std::ptrdiff_t>(offsets_[static_cast<std::size_t>(next_ + count)]);
    const Index shift = window.offsets.back() - static_cast<Index>(begin);
    for (Index c = 1; c <= count; ++c)
      window.offsets.push_back(offsets_[static_cast<std::size_t>(next_ + c)] + shift);
    window.rows.insert(window.rows.end(), rows_.begin() + begin, rows_.begin() + end);
    window.values.insert(window.values.end(), values_.begin() + begin, values_.begin() + end);
    next_ += count;
    return count;
  }

  ByteReader& bytes_;
  const StreamHeader& header_;
  FramedStart start_;
  Index columns_ = 0;  // handed out
  Index left_ = 0;     // of the block
  bool ended_ = false;
  std::vector<Index> offsets_;  // of the block, if it is sparse
  std::vector<Index> rows_;
  std::vector<Scalar> values_;
  Index next_ = 0;  // its column that comes next
};

}  // namespace

void fail_at_column(const std::string& name, Index column, const std::string& what) {
  fail(name + ", column " + std::to_string(column + 1) + " (counted from 1)", what);
}

void fail_cut_off(const std::string& name, Index whole, bool within) {
  const std::string where = within      ? "within column " + std::to_string(whole + 1)
                            : whole > 0 ? "after column " + std::to_string(whole)
                                        : "before its first column";
  fail(name, "ends " + where + " (counted from 1), without the mark of its end: it was cut off");
}

FramedStart begin_framed(ByteReader& bytes, StreamHeader& header) {
  std::byte raw[32];
  if (bytes.read(raw, sizeof raw) < sizeof raw) fail(header.name, "ends within its header of 32 bytes");
  if (std::memcmp(raw, framed_magic.data(), framed_magic.size()) != 0)
    fail(header.name, "does not begin with " + std::string(framed_magic));
  const auto field = [&](std::size_t i) { return load<std::uint32_t>(raw + 8 + 4 * i, foreign_order); };
  const auto refuse = [&](const std::string& what, std::uint64_t is, const std::string& may) {
    fail(header.name, what + " is " + std::to_string(is) + " in its header; it must be " + may);
  };
  const std::uint32_t version = field(0), size = field(1), sparse = field(2), width = field(3);
  const std::uint64_t features = number_at(raw + 24);
  if (version != 1) refuse("the version", version, "1");
  if (size != 4 && size != 8) refuse("the size of a value", size, "4 or 8");
  if (sparse > 1) refuse("the mark of sparse columns", sparse, "0 or 1");
  if (sparse == 0 && width != 0) refuse("the size of a place", width, "0 for dense columns");
  if (sparse == 1 && width != 4 && width != 8) refuse("the size of a place", width, "4 or 8");
  if (features == 0 || features > most_features)
    refuse("the number of features", features, "1 to " + std::to_string(most_features));
  const FramedStart start{{size == 4 ? Element::float32 : Element::float64, false},
                          {width == 4 ? Element::uint32 : Element::int64, false}};
  header.format = "columns";
  header.elements = name_of(start.type);
  header.features = static_cast<Index>(features);
  header.sparse = sparse == 1;
  return start;
}

template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const FramedStart& start) {
  return std::make_unique<FramedColumns<Scalar>>(bytes, header, start);
}

template std::unique_ptr<ColumnDecoder<float>> decode<float>(ByteReader&, const StreamHeader&,
                                                             const FramedStart&);
template std::unique_ptr<ColumnDecoder<double>> decode<double>(ByteReader&, const StreamHeader&,
                                                               const FramedStart&);

}  // namespace svrmu::io
