#include "io/folder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "io/elements.hpp"
#include "io/folder_names.hpp"
#include "io/inflate.hpp"
#include "io/mapped_file.hpp"
#include "io/parsers.hpp"
#include "io/pictures.hpp"
#include "io/tenx.hpp"
#include "io/text.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

// The first of these that is there, plain or packed.
std::optional<std::string> find_file(const std::string& folder, const std::vector<std::string>& names,
                                     std::initializer_list<const char*> wanted) {
  for (const std::string plain : wanted)
    for (const std::string& name : {plain, plain + ".gz"})
      if (std::binary_search(names.begin(), names.end(), name)) return in_folder(folder, name);
  return std::nullopt;
}

// The first two cells of each line of a table without header.
struct TwoColumns {
  std::vector<std::string> first;
  std::vector<std::string> second;  // empty: there is none
};

TwoColumns read_columns(const Input& input, Index expected, const std::string& of) {
  std::string_view text = input.text();
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto lines = text.empty() ? 0 : 1 + std::count(text.begin(), text.end(), '\n');
  if (lines != expected)
    fail(input,
         "has " + std::to_string(lines) + " lines, but there are " + std::to_string(expected) + " " + of);
  TwoColumns columns;
  columns.first.reserve(static_cast<std::size_t>(lines));
  for (Index i = 0; i < lines; ++i) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t tab = line.find('\t');
    if (line.substr(0, tab).empty()) fail(input, "line " + std::to_string(i + 1) + " has no name");
    columns.first.emplace_back(line.substr(0, tab));
    if ((tab == line.npos) == (static_cast<Index>(columns.second.size()) == i) && i > 0)
      fail(input, "line " + std::to_string(i + 1) + " has another number of columns than the lines before");
    if (tab == line.npos) continue;
    line.remove_prefix(tab + 1);
    columns.second.emplace_back(line.substr(0, line.find('\t')));
  }
  return columns;
}

// Features x cells, with the names in files of their own.
MatrixFile read_tenx_folder(const std::string& folder, const std::vector<std::string>& names,
                            const std::string& matrix, const ReadOptions& options) {
  const auto features = find_file(folder, names, {"features.tsv", "genes.tsv"});
  const auto barcodes = find_file(folder, names, {"barcodes.tsv"});
  if (!features || !barcodes)
    fail(folder, std::string("has a matrix.mtx, but no ") + (barcodes ? "features.tsv" : "barcodes.tsv") +
                     " (or .gz) beside it, as a folder of 10x Genomics must");
  MatrixFile file = parse_matrix_market(open_unpacked(matrix), options);
  file.format = "10x";
  set_natural(file, SamplesIn::columns, options);
  TwoColumns rows = read_columns(open_unpacked(*features), file.rows, "features");
  file.row_names = feature_names(std::move(rows.second), rows.first);
  file.column_names = read_columns(open_unpacked(*barcodes), file.columns, "cells").first;
  return file;
}

bool is_picture(const std::string& name) {
  return lower(name).ends_with(".pgm") || lower(name).ends_with(".png");
}

// What people and systems leave beside pictures.
bool is_beside_the_point(const std::string& given) {
  constexpr std::array endings = {".txt", ".md", ".csv", ".tsv", ".json", ".xml", ".html", ".log"};
  const std::string name = lower(given);
  if (name.starts_with('.') || name.starts_with("readme") || name.starts_with("license")) return true;
  if (name == "thumbs.db" || name == "desktop.ini") return true;
  return std::any_of(endings.begin(), endings.end(), [&](const char* end) { return name.ends_with(end); });
}

std::string size_text(const Picture& picture) {
  return shape_text(picture.columns, picture.rows) + " pixels";
}

// One picture after the other, each a column; room grows with what has been decoded.
template <class Scalar>
MatrixFile stack_pictures(const std::string& folder, const std::vector<std::string>& names,
                          const ReadOptions& options) {
  const auto values = std::make_shared<Buffer>();
  Picture first;
  std::uint64_t pixels = 0;
  std::uint64_t read = 0;
  for (const std::string& name : names) {
    const Input input = map_file(in_folder(folder, name));
    if (input.bytes.empty()) fail(input, "is empty");
    Picture picture = lower(name).ends_with(".pgm") ? parse_pgm(input) : parse_png(input);
    if (read == 0) {
      pixels = picture.values.size();
      first = {picture.rows, picture.columns, picture.largest, {}};
    }
    if (picture.rows != first.rows || picture.columns != first.columns)
      fail(input,
           "has " + size_text(picture) + ", but " + in_folder(folder, names[0]) + " has " + size_text(first));
    if (picture.largest != first.largest)
      fail(input, "counts to " + std::to_string(picture.largest) + ", but " + in_folder(folder, names[0]) +
                      " counts to " + std::to_string(first.largest));
    const std::uint64_t needed = (read + 1) * pixels;
    if (values->size() / sizeof(Scalar) < needed)
      values->resize(sizeof(Scalar) *
                     room_for(input.name, needed, needed, names.size() * pixels, sizeof(Scalar)));
    std::transform(picture.values.begin(), picture.values.end(),
                   reinterpret_cast<Scalar*>(values->data()) + read * pixels,
                   [](double value) { return static_cast<Scalar>(value); });
    ++read;
  }
  std::shared_ptr<Scalar[]> owned(values, reinterpret_cast<Scalar*>(values->data()));
  MatrixFile file =
      owned_dense<Scalar>({folder, {}, nullptr, false, {}}, std::move(owned), static_cast<Index>(pixels),
                          static_cast<Index>(names.size()), Layout::columns_contiguous, options);
  file.image_rows = first.rows;
  file.image_columns = first.columns;
  file.elements = first.largest > 255 ? "uint16" : "uint8";
  return file;
}

MatrixFile read_pictures(const std::string& folder, const std::vector<std::string>& names,
                         const ReadOptions& options) {
  std::vector<std::string> pictures;
  const std::string* other = nullptr;
  for (const std::string& name : names) {
    if (is_beside_the_point(name)) continue;
    if (is_picture(name))
      pictures.push_back(name);
    else if (!other)
      other = &name;
  }
  if (pictures.empty())
    fail(folder,
         "is a folder with neither pictures (.pgm, .png) nor the files of 10x Genomics (matrix.mtx, "
         "features.tsv, barcodes.tsv, each also as .gz)");
  if (other)
    fail(in_folder(folder, *other),
         "is neither a .pgm nor a .png picture, as the others in its folder; convert it, or move it away");
  MatrixFile file = options.precision == Precision::float32
                        ? stack_pictures<float>(folder, pictures, options)
                        : stack_pictures<double>(folder, pictures, options);
  file.format = "pictures";
  set_natural(file, SamplesIn::columns, options);
  file.column_names = std::move(pictures);
  return file;
}

}  // namespace

MatrixFile read_folder(const std::string& path, const ReadOptions& options) {
  int error = 0;
  const std::vector<std::string> names = names_in(path, error);
  if (error != 0) throw IoError(path + ": cannot be read: " + error_text(error));
  if (const auto matrix = find_file(path, names, {"matrix.mtx"}))
    return read_tenx_folder(path, names, *matrix, options);
  return read_pictures(path, names, options);
}

}  // namespace svrmu::io
