// A stream of bytes as a stream of columns.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "io/column_decoder.hpp"
#include "io/model_seal.hpp"
#include "linalg/validity.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

using Begun = std::variant<FramedStart, NpyStart, TextStart>;

Begun begin_stream(ByteReader& bytes, const ReadOptions& options, StreamHeader& header) {
  const std::string& format = options.format;
  const bool text = format == "csv" || format == "tsv" || format == "text";
  if (!format.empty() && format != "npy" && !text)
    throw InvalidInput("format=" + format +
                       " does not come column by column; a stream is npy, csv, tsv, text or framed columns");
  const auto refuse_text_options = [&] {
    const char* said = options.delimiter != '\0'                        ? "delimiter="
                       : options.decimal != '\0'                        ? "decimal="
                       : options.row_names != RowNames::automatic       ? "row_names="
                       : options.column_names != ColumnNames::automatic ? "column_names="
                                                                        : nullptr;
    if (said != nullptr)
      throw InvalidInput(std::string(said) + "... is for text, and " + header.name + " is none");
  };
  const std::string_view look = bytes.peek(framed_magic.size());
  if (look.empty()) fail(header.name, "is empty");
  if (format.empty() && look == framed_magic) {
    refuse_text_options();
    if (options.samples == SamplesIn::rows)
      throw InvalidInput("samples=rows contradicts " + header.name + ", which holds columns");
    return begin_framed(bytes, header);
  }
  const std::string_view ending = ending_by_content(bytes.peek(16));
  if (ending == ".npy" && !text) {
    refuse_text_options();
    return begin_npy(bytes, options, header);
  }
  if (ending == ".gz")
    fail(header.name, "is compressed by gzip; unpack it first: gunzip -c FILE | svrmu ...");
  if (begins_like_model(std::as_bytes(std::span(bytes.peek(16)))))
    fail(header.name, "is a model, and not samples to learn from");
  if (!ending.empty())
    fail(header.name, "begins like a " + std::string(ending) +
                          " file, which does not come column by column: it is read as a whole, and not as a "
                          "stream");
  if (format == "npy") fail(header.name, "does not begin like a .npy file");
  const std::string_view line = bytes.peek(1 << 12);
  const bool tabs = line.substr(0, line.find('\n')).find('\t') != line.npos;
  const char usual = format == "text" ? ' ' : format == "tsv" || (format.empty() && tabs) ? '\t' : ',';
  return begin_text(bytes, usual, options, header);
}

[[noreturn]] void fail_at_place(const std::string& name, Index column, Index row, const std::string& what) {
  fail(name + ", column " + std::to_string(column + 1) + ", row " + std::to_string(row + 1) +
           " (counted from 1)",
       what);
}

std::string refusal_of(double value) {
  if (std::isnan(value)) return "holds NaN; missing values are not supported: leave such samples out";
  return "holds " + (std::isinf(value) ? "an infinite value" : number_text(value)) +
         "; values must be finite and not negative";
}

}  // namespace

ByteSource bytes_of(int descriptor, std::string name) {
  return [descriptor, name = std::move(name)](std::byte* to, std::size_t most) {
    for (;;) {
      const ssize_t got = ::read(descriptor, to, most);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno == EAGAIN) {  // somebody made it so that it does not wait
        pollfd wait{descriptor, POLLIN, 0};
        ::poll(&wait, 1, -1);
      } else if (errno != EINTR) {
        throw IoError(name + ": cannot be read: " + std::strerror(errno));
      }
    }
  };
}

struct StreamFile::Parts {
  ByteReader bytes;
  StreamHeader header;
  Begun start;
};

StreamFile::StreamFile(ByteSource bytes, std::string name, const ReadOptions& options)
    : parts_(new Parts{ByteReader(std::move(bytes)), {.name = std::move(name)}, {}}) {
  parts_->start = begin_stream(parts_->bytes, options, parts_->header);
  const bool single = parts_->header.elements == "float32";
  parts_->header.is_double =
      options.precision == Precision::automatic ? !single : options.precision == Precision::float64;
}
StreamFile::~StreamFile() = default;

const StreamHeader& StreamFile::header() const { return parts_->header; }

template <class Scalar>
struct FileColumns<Scalar>::State {
  StreamFile::Parts& parts;
  Change change;
  Index features = 0;
  bool zeros = true;
  std::unique_ptr<ColumnDecoder<Scalar>> decoder{};
  ColumnWindow<Scalar> window{};
  MatrixFile file{};  // the columns that are served, if something is done to them
  Index served = 0;
  std::exception_ptr fault{};
  bool ended = false;
  bool cancelled = false;

  Index read(Index most) {
    const Index count = decoder->read(most, window);
    check(count);
    ended = count < most;
    return count;
  }

  // The place of the first value that cannot be used.
  void check(Index count) const {
    const Index F = parts.header.features;
    const bool sparse = parts.header.sparse;
    const Index total = sparse ? window.offsets[static_cast<std::size_t>(count)] : count * F;
    const Index at = first_invalid(window.values.data(), total);
    if (at == total) return;
    Index column = at / F, row = at % F;
    if (sparse) {
      const auto behind = std::upper_bound(window.offsets.begin(), window.offsets.end(), at);
      column = behind - window.offsets.begin() - 1;
      row = window.rows[static_cast<std::size_t>(at)];
    }
    fail_at_place(parts.header.name, served + column, row,
                  refusal_of(static_cast<double>(window.values[static_cast<std::size_t>(at)])));
  }

  void check_zeros(const Scalar* values) const {
    const Scalar* const end = values + file.rows * file.columns;
    const Scalar* const zero = std::find(values, end, Scalar(0));
    if (zero == end) return;
    fail_at_place(parts.header.name, served + (zero - values) / file.rows, (zero - values) % file.rows,
                  "holds 0, where the loss is infinite; add a small constant to V or use kl");
  }

  void serve(Index count, Batch<Scalar>& batch) {
    const StreamHeader& header = parts.header;
    file = {};
    file.path = header.name;
    file.rows = header.features;
    file.columns = count;
    if (header.sparse)
      file.matrix = StoredSparse<Scalar>{window.offsets.data(), window.rows.data(), window.values.data(),
                                         Layout::columns_contiguous};
    else
      file.matrix = StoredDense<Scalar>{window.values.data(), Layout::columns_contiguous};
    if (change) {
      file.row_names = header.feature_names;
      file.storage = std::make_shared<int>();  // nobody else's: changes may be made in place
      change(file);
    }
    if (const auto* dense = std::get_if<StoredDense<Scalar>>(&file.matrix)) {
      if (!zeros) check_zeros(dense->data);
      batch.data = DenseColumns<Scalar>{dense->data, 1, file.rows};
    } else {
      const auto& sparse = std::get<StoredSparse<Scalar>>(file.matrix);
      batch.data = SparseColumns<Scalar, std::int64_t>{sparse.offsets, sparse.indices, sparse.values};
    }
    batch.count = count;
    batch.first = 0;
  }
};

template <class Scalar>
FileColumns<Scalar>::FileColumns(StreamFile& file, Change change, Index features, bool zeros)
    : state_(new State{
          .parts = *file.parts_, .change = std::move(change), .features = features, .zeros = zeros}) {
  StreamFile::Parts& parts = *file.parts_;
  if (features == 0) state_->features = parts.header.features;
  state_->decoder = std::visit(
      [&](const auto& start) { return decode<Scalar>(parts.bytes, parts.header, start); }, parts.start);
}
template <class Scalar>
FileColumns<Scalar>::~FileColumns() = default;

template <class Scalar>
Index FileColumns<Scalar>::features() const {
  return state_->features;
}
template <class Scalar>
bool FileColumns<Scalar>::is_sparse() const {
  return state_->parts.header.sparse;
}
template <class Scalar>
Index FileColumns<Scalar>::served() const {
  return state_->served;
}
template <class Scalar>
std::exception_ptr FileColumns<Scalar>::fault() const {
  return state_->fault;
}
template <class Scalar>
bool FileColumns<Scalar>::cancelled() const {
  return state_->cancelled;
}

template <class Scalar>
bool FileColumns<Scalar>::next(Index most_columns, Batch<Scalar>& batch) {
  if (state_->ended) return false;
  try {
    const Index count = state_->read(most_columns);
    if (count == 0) return false;
    state_->serve(count, batch);
    state_->served += count;
    return true;
  } catch (const InvalidData&) {
    state_->fault = std::current_exception();
  } catch (const IoError&) {
    state_->fault = std::current_exception();
  } catch (const Cancelled&) {
    state_->cancelled = true;
  }
  state_->ended = true;
  return false;
}

template class FileColumns<float>;
template class FileColumns<double>;

}  // namespace svrmu::io
