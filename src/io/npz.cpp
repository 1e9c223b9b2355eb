// numpy's .npz: a ZIP archive of .npy files; scipy keeps a sparse matrix as several of them.
#include <algorithm>
#include <utility>

#include "io/compress.hpp"
#include "io/npy.hpp"
#include "io/parsers.hpp"
#include "io/zip.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

using Members = std::vector<ZipMember>;

const ZipMember* find(const Members& members, const std::string& key) {
  for (const ZipMember& member : members)
    if (member.name == key || member.name == key + ".npy") return &member;
  return nullptr;
}

Input open(const Input& input, const Members& members, const std::string& key) {
  const ZipMember* member = find(members, key);
  if (!member) fail(input, "a sparse matrix of scipy must have an array " + in_quotes(key));
  return zip_member(input, *member);
}

std::vector<std::string> keys(const Members& members) {
  constexpr std::size_t most = 30;  // in a message
  std::vector<std::string> names;
  for (const ZipMember& member : members) {
    if (names.size() == most) break;
    const bool npy = member.name.size() > 4 && member.name.ends_with(".npy");
    names.push_back(npy ? member.name.substr(0, member.name.size() - 4) : member.name);
  }
  return names;
}

// 'csr', 'csc', ... as bytes or as 4-byte characters.
std::string format_text(const Input& content) {
  const NpyArray array = parse_npy_header(content);
  const bool wide = array.type.size() > 1 && array.type[1] == 'U';
  if (array.type.size() != 3 || (array.type[1] != 'S' && !wide) || array.type[2] < '1' || array.type[2] > '9')
    fail(content, "must be a short text such as 'csr'");
  const auto letters = static_cast<std::size_t>(array.type[2] - '0');
  const Bytes bytes = values_of(content, array, letters * (wide ? 4 : 1));
  std::string text;
  for (const std::byte byte : bytes)
    if (byte != std::byte{0}) text += static_cast<char>(byte);
  return text;
}

std::vector<Index> integers(const Input& content) {
  const NpyArray array = parse_npy_header(content);
  const ElementType type = numeric_type(content, array);
  if (array.shape.size() != 1) fail(content, "must have one dimension");
  const Bytes bytes = values_of(content, array, size_of(type.element));
  std::vector<Index> numbers(static_cast<std::size_t>(array.shape[0]));
  if (!convert_indices(type, bytes.data(), numbers.size(), numbers.data()))
    fail(content, "must hold integers, not " + name_of(type));
  return numbers;
}

template <class Scalar>
std::vector<Scalar> numbers(const Input& content, const NpyArray& array, const ElementType& type) {
  if (array.shape.size() != 1) fail(content, "must have one dimension");
  const Bytes bytes = values_of(content, array, size_of(type.element));
  std::vector<Scalar> values(static_cast<std::size_t>(array.shape[0]));
  convert(type, bytes.data(), values.size(), values.data());
  return values;
}

Shape shape_of(const Input& content) {
  const std::vector<Index> sizes = integers(content);
  if (sizes.size() != 2) fail(content, "must hold two sizes");
  for (const Index size : sizes)
    if (size < 0 || size > most_positions) fail(content, "a size of " + std::to_string(size));
  return {sizes[0], sizes[1]};
}

void check_lengths(const Input& input, std::size_t indices, std::size_t values) {
  if (indices != values)
    fail(input,
         "there are " + std::to_string(indices) + " indices, but " + std::to_string(values) + " values");
}

template <class Scalar>
OwnedSparse<Scalar> read_compressed(const Input& input, const Members& members, std::vector<Scalar> values,
                                    Index majors, Index minors) {
  OwnedSparse<Scalar> owned{integers(open(input, members, "indptr")),
                            integers(open(input, members, "indices")), std::move(values)};
  check_lengths(input, owned.indices.size(), owned.values.size());
  if (const std::string wrong = defect(owned, majors, minors); !wrong.empty()) fail(input, wrong);
  return owned;
}

// The positions of one direction, into the entries that are there already.
template <class Scalar>
void read_positions(const Input& content, Index size, std::int32_t Entry<Scalar>::*position,
                    std::vector<Entry<Scalar>>& entries) {
  const std::vector<Index> positions = integers(content);
  check_lengths(content, positions.size(), entries.size());
  for (std::size_t p = 0; p < entries.size(); ++p) {
    if (positions[p] < 0 || positions[p] >= size)
      fail(content, "entry " + std::to_string(p + 1) + " (counted from 1) is " +
                        std::to_string(positions[p]) + ", but must be from 0 to " + std::to_string(size - 1));
    entries[p].*position = static_cast<std::int32_t>(positions[p]);
  }
}

// One array after the other, so that never more than one is in memory beside the entries.
template <class Scalar>
OwnedSparse<Scalar> read_coordinates(const Input& input, const Members& members, std::vector<Scalar> values,
                                     const Shape& shape, Layout layout) {
  EntryParts<Scalar> parts(1);
  parts[0].reserve(values.size());
  for (const Scalar value : values) parts[0].push_back({0, 0, value});
  std::vector<Scalar>().swap(values);
  read_positions(open(input, members, "row"), shape.rows, &Entry<Scalar>::row, parts[0]);
  read_positions(open(input, members, "col"), shape.columns, &Entry<Scalar>::column, parts[0]);
  // Offsets are as many as rows or columns, whatever was stored.
  const Index majors = layout == Layout::rows_contiguous ? shape.rows : shape.columns;
  check_affordable(input, static_cast<std::uint64_t>(majors) + 1, sizeof(Index), "the matrix");
  return compress(parts, shape.rows, shape.columns, layout, false);
}

template <class Scalar>
MatrixFile read_sparse(const Input& input, const Members& members, const std::string& format,
                       std::vector<Scalar> values, const ReadOptions& options) {
  const Shape shape = shape_of(open(input, members, "shape"));
  if (format == "csr") {
    auto owned = read_compressed(input, members, std::move(values), shape.rows, shape.columns);
    return sparse_matrix(input, std::move(owned), shape.rows, shape.columns, Layout::rows_contiguous,
                         options);
  }
  if (format == "csc") {
    auto owned = read_compressed(input, members, std::move(values), shape.columns, shape.rows);
    return sparse_matrix(input, std::move(owned), shape.rows, shape.columns, Layout::columns_contiguous,
                         options);
  }
  const bool by_rows = decide_samples(options.samples, SamplesIn::automatic) == SamplesIn::rows;
  const Layout layout = by_rows ? Layout::rows_contiguous : Layout::columns_contiguous;
  auto owned = read_coordinates(input, members, std::move(values), shape, layout);
  return sparse_matrix(input, std::move(owned), shape.rows, shape.columns, layout, options);
}

MatrixFile read_scipy(const Input& input, const Members& members, const ReadOptions& options) {
  const std::string format = format_text(open(input, members, "format"));
  if (format != "csr" && format != "csc" && format != "coo")
    fail(input, "a sparse matrix in scipy's format " + in_quotes(format) +
                    "; csr, csc and coo are read: save matrix.tocsr()");
  Input content = open(input, members, "data");
  const NpyArray array = parse_npy_header(content);
  const ElementType type = numeric_type(content, array);
  MatrixFile file;
  if (as_double(type, options.precision)) {
    auto values = numbers<double>(content, array, type);
    content = {};  // its memory goes before the indices come
    file = read_sparse(input, members, format, std::move(values), options);
  } else {
    auto values = numbers<float>(content, array, type);
    content = {};
    file = read_sparse(input, members, format, std::move(values), options);
  }
  file.elements = name_of(type);
  return file;
}

}  // namespace

MatrixFile parse_npz(const Input& input, const std::string& key, const ReadOptions& options) {
  const Members members = zip_directory(input);
  if (members.empty()) fail(input, "the archive is empty");
  MatrixFile file;
  if (key.empty() && find(members, "format") && find(members, "shape")) {
    file = read_scipy(input, members, options);
  } else {
    const ZipMember* member = key.empty() && members.size() == 1 ? &members[0] : find(members, key);
    if (!member && key.empty())
      fail(input, "holds several arrays; choose one as " + input.name + ":NAME, there are " +
                      list_text(keys(members)));
    if (!member) fail(input, "has no array " + in_quotes(key) + "; " + nearest_text(key, keys(members)));
    file = parse_npy(zip_member(input, *member), options);
  }
  file.format = "npz";
  return file;
}

}  // namespace svrmu::io
