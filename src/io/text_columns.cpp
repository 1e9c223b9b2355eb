// Samples as lines of delimited text, as they come.
#include <algorithm>
#include <exception>

#include "io/column_decoder.hpp"
#include "io/parsers.hpp"

namespace svrmu::io {
namespace {

constexpr std::size_t lines_looked_at = 101;  // that tell names, delimiter and decimal sign
constexpr std::size_t text_at_a_time = 1 << 18;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
constexpr std::size_t longest_line = 1 << 16;
#else
constexpr std::size_t longest_line = std::size_t{1} << 28;
#endif

struct LineEnds {
  std::size_t count = 0;
  std::size_t last = 0;  // behind the last of them
};

// Ends of lines that are not within quotes, `most` of them at most. Blank lines at the end are left to what
// follows: only there it is known whether they end the text.
LineEnds find_line_ends(std::string_view text, std::size_t most) {
  LineEnds found;
  bool quoted = false, blank = true;
  for (std::size_t i = 0; i < text.size() && found.count < most; ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      if (!blank) found = {found.count + 1, i + 1};
      blank = true;
    } else if (c != ' ' && c != '\r') {
      blank = false;
    }
  }
  return found;
}

// The same for all of them, quickly where there are no quotes.
std::size_t end_of_lines(std::string_view text) {
  if (text.find('"') != text.npos) return find_line_ends(text, text.npos).last;
  const std::size_t end = text.rfind('\n');
  const std::size_t last = end == text.npos ? end : text.find_last_not_of(" \r\n", end);
  return last == text.npos ? 0 : text.find('\n', last) + 1;
}

[[noreturn]] void fail_of_length(const std::string& name, std::uint64_t line) {
  fail(name + ", line " + std::to_string(line),
       "is longer than " + std::to_string(longest_line) + " bytes; is this text?");
}

template <class Scalar>
class TextColumns final : public ColumnDecoder<Scalar> {
 public:
  TextColumns(ByteReader& bytes, const StreamHeader& header, const TextStart& start)
      : bytes_(bytes), header_(header), table_(start.table) {
    // The line of names has been understood.
    text_.resize(table_.body);
    bytes_.read(reinterpret_cast<std::byte*>(text_.data()), text_.size());
    lines_ = static_cast<std::uint64_t>(std::count(text_.begin(), text_.end(), '\n'));
    text_.clear();
  }

  Index read(Index most, ColumnWindow<Scalar>& window) override {
    const auto F = static_cast<std::size_t>(header_.features);
    std::uint64_t wanted = 0;
    if (!multiply(static_cast<std::uint64_t>(most), F, wanted)) wanted = std::string::npos;
    window.values.clear();
    while (window.values.size() < wanted) {
      if (at_ == numbers_.size() && !read_lines()) break;
      const std::size_t count = std::min<std::size_t>(numbers_.size() - at_, wanted - window.values.size());
      const auto from = numbers_.begin() + static_cast<std::ptrdiff_t>(at_);
      window.values.insert(window.values.end(), from, from + static_cast<std::ptrdiff_t>(count));
      at_ += count;
    }
    return static_cast<Index>(window.values.size() / F);
  }

 private:
  // The numbers of some more lines; false after the last.
  bool read_lines() {
    if (fault_) std::rethrow_exception(fault_);
    numbers_.clear();
    at_ = 0;
    while (!ended_) {
      const std::size_t before = text_.size();
      text_.resize(before + text_at_a_time);
      const std::size_t got =
          bytes_.read(reinterpret_cast<std::byte*>(text_.data()) + before, text_at_a_time);
      text_.resize(before + got);
      ended_ = got < text_at_a_time;
      const std::size_t end = ended_ ? last_line_end() : end_of_lines(text_);
      if (end > 0) {
        const std::string_view lines = std::string_view(text_).substr(0, end);
        const Input input{header_.name, std::as_bytes(std::span(lines)), nullptr, false, {}, lines_};
        try {
          append_lines(input, table_, numbers_);
        } catch (const InvalidData&) {
          fault_ = std::current_exception();
          ended_ = true;
          return true;  // the lines before it are good
        }
        lines_ += static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
        text_.erase(0, end);
        return true;
      }
      if (text_.size() > longest_line) fail_of_length(header_.name, lines_ + 1);
    }
    return false;
  }

  // Blanks at the end mean nothing; tabs there may be empty cells.
  std::size_t last_line_end() const {
    const std::size_t last = text_.find_last_not_of(table_.dialect.delimiter == '\t' ? " \r\n" : " \t\r\n");
    return last == text_.npos ? 0 : last + 1;
  }

  ByteReader& bytes_;
  const StreamHeader& header_;
  Table table_;
  std::uint64_t lines_ = 0;  // that have been read
  std::string text_;         // not understood yet
  std::vector<Scalar> numbers_;
  std::size_t at_ = 0;  // of them, the next to be handed out
  bool ended_ = false;
  std::exception_ptr fault_;  // of the line behind these numbers
};

// The first lines, as many whatever comes at a time.
std::string_view peek_lines(ByteReader& bytes, const std::string& name) {
  for (std::size_t size = 1 << 16;; size *= 2) {
    const std::string_view text = bytes.peek(size);
    const LineEnds ends = find_line_ends(text, lines_looked_at);
    if (ends.count == lines_looked_at) return text.substr(0, ends.last);
    if (text.size() < size) return text;
    if (size > longest_line) fail_of_length(name, ends.count + 1);
  }
}

}  // namespace

TextStart begin_text(ByteReader& bytes, char usual, const ReadOptions& options, StreamHeader& header) {
  if (options.samples == SamplesIn::columns)
    throw InvalidInput("samples=columns contradicts a stream of text, whose lines are the samples");
  const std::string_view text = peek_lines(bytes, header.name);
  if (text.empty()) fail(header.name, "is empty");
  const Input input{header.name, std::as_bytes(std::span(text)), nullptr, false, {}};
  ReadOptions reading = options;
  reading.threads = 1;
  reading.format.clear();
  const MatrixFile first = parse_delimited(input, usual, reading);
  const Dialect dialect = find_dialect(input, usual, options);
  TextStart start{find_table(input, Cells(input, dialect.delimiter), dialect, options)};
  Table& table = start.table;
  if (!first.row_names.empty() && !table.row_names) {  // an index, as its values say
    table.row_names = true;
    --table.width;
    if (!table.column_names.empty()) table.column_names.erase(table.column_names.begin());
  }
  header.format = first.format;
  header.elements = first.elements;
  header.features = static_cast<Index>(table.width);
  header.samples = SamplesIn::rows;
  header.feature_names = table.column_names;
  header.notes = first.notes;
  return start;
}

template <class Scalar>
std::unique_ptr<ColumnDecoder<Scalar>> decode(ByteReader& bytes, const StreamHeader& header,
                                              const TextStart& start) {
  return std::make_unique<TextColumns<Scalar>>(bytes, header, start);
}

template std::unique_ptr<ColumnDecoder<float>> decode<float>(ByteReader&, const StreamHeader&,
                                                             const TextStart&);
template std::unique_ptr<ColumnDecoder<double>> decode<double>(ByteReader&, const StreamHeader&,
                                                               const TextStart&);

}  // namespace svrmu::io
