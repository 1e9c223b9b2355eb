// An array of numpy whose columns come one after the other, as numpy.save writes it into a pipe.
#include <algorithm>

#include "io/column_decoder.hpp"

namespace svrmu::io {
namespace {

template <class Scalar>
class NpyColumns final : public ColumnDecoder<Scalar> {
 public:
  NpyColumns(ByteReader& bytes, const StreamHeader& header, const NpyStart& start)
      : bytes_(bytes), header_(header), start_(start) {}

  Index read(Index most, ColumnWindow<Scalar>& window) override {
    const Index F = header_.features;
    Index got = 0;
    while (got < most && columns_ < start_.columns) {
      const Index count =
          std::min({most - got, start_.columns - columns_, std::max<Index>(Index{numbers_at_a_time} / F, 1)});
      const auto found =
          static_cast<Index>(read_values(bytes_, start_.type, static_cast<std::uint64_t>(count * F),
                                         window.values, static_cast<std::size_t>(got * F)));
      if (found < count * F)
        fail(header_.name, "ends after " + std::to_string(columns_ + found / F) + " of " +
                               std::to_string(start_.columns) + " samples: it was cut off");
      got += count;
      columns_ += count;
    }
    if (got < most && !bytes_.peek(1).empty())
      fail(header_.name, "goes on after its " + std::to_string(start_.columns) + " samples");
    return got;
  }

 private:
  ByteReader& bytes_;
  const StreamHeader& header_;
  NpyStart start_;
  Index columns_ = 0;
};

// The whole header, still to be read.
std::string_view peek_header(ByteReader& bytes) {
  constexpr std::size_t longest = 1 << 20;  // a longer one is refused by who reads it
  const std::string_view begin = bytes.peek(12);
  if (begin.size() < 12) return begin;
  const auto at = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(begin[i]));
  };
  std::size_t length = at(8) | at(9) << 8;
  if (at(6) > 1) length |= at(10) << 16 | at(11) << 24;
  return bytes.peek(12 + std::min(length, longest));
}

}  // namespace

NpyStart begin_npy(ByteReader& bytes, const ReadOptions& options, StreamHeader& header) {
  const std::string_view text = peek_header(bytes);
  const Input input{header.name, std::as_bytes(std::span(text)), nullptr, false, {}};
  const NpyArray array = parse_npy_header(input);
  NpyStart start{numeric_type(input, array), 0};
  if (array.shape.size() != 2)
    fail(input, "an array of " + std::to_string(array.shape.size()) +
                    " dimensions; a matrix has 2: reshape it before saving");
  // What lies beside each other is what comes together.
  const SamplesIn natural = array.columns_first ? SamplesIn::columns : SamplesIn::rows;
  if (options.samples != SamplesIn::automatic && options.samples != natural)
    fail(input, std::string("comes ") + (array.columns_first ? "column by column" : "row by row") +
                    ", so that its samples are not there one after the other if they are its " +
                    (array.columns_first ? "rows" : "columns") + "; save the transpose");
  const bool rows = natural == SamplesIn::rows;
  const Index features = array.shape[rows ? 1 : 0];
  start.columns = array.shape[rows ? 0 : 1];
  if (features == 0 || features > (Index{1} << 31) - 1)
    fail(input, "samples of " + std::to_string(features) + " features");
  header.format = "npy";
  header.elements = name_of(start.type);
  header.features = features;
  header.samples = natural;
  if (options.samples == SamplesIn::automatic)
    header.notes.push_back(std::string("each ") + (rows ? "row" : "column") +
                           " of the array is taken as a sample, since that is how it comes");
  std::vector<std::byte> skipped(array.header_end);
  bytes.read(skipped.data(), skipped.size());
  return start;
}

template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const NpyStart& start) {
  return std::make_unique<NpyColumns<Scalar>>(bytes, header, start);
}

template std::unique_ptr<ColumnDecoder<float>> decode<float>(ByteReader&, const StreamHeader&,
                                                             const NpyStart&);
template std::unique_ptr<ColumnDecoder<double>> decode<double>(ByteReader&, const StreamHeader&,
                                                               const NpyStart&);

}  // namespace svrmu::io
