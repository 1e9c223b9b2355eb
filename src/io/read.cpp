// Which parser reads a file: its ending or the format that is asked for says so, its first bytes must agree.
#include "io/read.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

#include "io/column_decoder.hpp"
#include "io/folder.hpp"
#include "io/hdf5.hpp"
#include "io/mapped_file.hpp"
#include "io/parsers.hpp"
#include "io/table.hpp"
#include "io/text.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

bool is_mat73(std::string_view bytes) {
  return bytes.starts_with("MATLAB 7.3") || bytes.starts_with(h5_signature);
}

using Parse = MatrixFile (*)(const Input&, const std::string& member, const ReadOptions&);

struct Format {
  std::string_view ending;
  std::string_view what;
  bool has_members;
  bool may_be_gzipped;
  Parse parse;
};

constexpr std::array formats = {
    Format{".npy", "a numpy array", false, false,
           [](const Input& input, const std::string&, const ReadOptions& options) {
             return parse_npy(input, options);
           }},
    Format{".npz", "a numpy archive", true, false, parse_npz},
    Format{".mtx", "a Matrix Market file", false, true,
           [](const Input& input, const std::string&, const ReadOptions& options) {
             return parse_matrix_market(input, options);
           }},
    Format{".csv", "comma-separated text", false, true,
           [](const Input& input, const std::string&, const ReadOptions& options) {
             return parse_delimited(input, ',', options);
           }},
    Format{".tsv", "tab-separated text", false, true,
           [](const Input& input, const std::string&, const ReadOptions& options) {
             return parse_delimited(input, '\t', options);
           }},
    // No ending says that a file is a text of this kind.
    Format{"text", "delimited text", false, true,
           [](const Input& input, const std::string&, const ReadOptions& options) {
             return parse_delimited(input, ' ', options);
           }},
    Format{".mat", "a MATLAB file", true, false,
           [](const Input& input, const std::string& member, const ReadOptions& options) {
             return is_mat73(input.text()) ? parse_mat73(input, member, options)
                                           : parse_mat5(input, member, options);
           }},
    Format{".h5", "an HDF5 file", true, false, parse_h5},
    Format{".hdf5", "an HDF5 file", true, false, parse_h5},
    Format{".h5ad", "an AnnData file", true, false, parse_h5ad},
};

constexpr bool has_ending(const Format& format) { return format.ending.starts_with('.'); }
std::string name_of(const Format& format) {
  return std::string(format.ending.substr(has_ending(format) ? 1 : 0));
}
bool is_text(const Format& format) {
  return format.ending == ".csv" || format.ending == ".tsv" || !has_ending(format);
}

struct Target {
  std::string path;
  std::string member;
  const Format* format = nullptr;
};

const Format* format_of(const std::string& path) {
  const std::string name = lower(path);
  for (const Format& format : formats) {
    if (!has_ending(format)) continue;
    if (name.ends_with(format.ending)) return &format;
    if (format.may_be_gzipped && name.ends_with(std::string(format.ending) + ".gz")) return &format;
  }
  return nullptr;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

const Format* format_named(const std::string& name) {
  for (const Format& format : formats)
    if (name_of(format) == name) return &format;
  throw InvalidInput("format=" + printable(name) + ": " + nearest_text(name, format_names()));
}

// "a.npz:key" names a member, unless there is a file of that very name.
Target find_target(const std::string& path, const std::string& wanted) {
  const Format* said = wanted.empty() ? nullptr : format_named(wanted);
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos && !exists(path)) {
    const std::string file = path.substr(0, colon);
    const Format* format = said ? said : format_of(file);
    if (format && format->has_members) return {file, path.substr(colon + 1), format};
  }
  return {path, {}, said ? said : format_of(path)};
}

// An option that says nothing about such a file is a mistake, not to be overlooked.
void check_for(const Target& target, const ReadOptions& options) {
  const bool folder = !target.format || is_folder(target.path);
  const auto refuse = [&](const std::string& option, const std::string& what) {
    throw InvalidInput(option + " does not apply to " + printable(target.path) + ": it is " + what);
  };
  if (folder && !options.format.empty()) refuse("format=" + options.format, "a folder");
  if (!folder && is_text(*target.format)) return;
  const std::string what = (folder ? "a folder" : std::string(target.format->what)) + ", not delimited text";
  if (options.delimiter != '\0') refuse("delimiter=" + delimiter_name(options.delimiter), what);
  if (options.decimal != '\0') refuse(options.decimal == ',' ? "decimal=comma" : "decimal=point", what);
  if (options.row_names != RowNames::automatic)
    refuse(options.row_names == RowNames::first ? "row_names=first" : "row_names=none", what);
  if (options.column_names != ColumnNames::automatic)
    refuse(options.column_names == ColumnNames::first ? "column_names=first" : "column_names=none", what);
}

std::string endings() {
  std::vector<std::string> all;
  for (const Format& format : formats) {
    if (!has_ending(format)) continue;
    all.emplace_back(format.ending);
    if (format.may_be_gzipped) all.push_back(std::string(format.ending) + ".gz");
  }
  return list_text(all) + ", and folders of pictures or of 10x Genomics";
}

// HDF5 has several endings, and other programs put it into .mat.
bool is_for_h5(const Format& format) {
  return format.ending == ".h5" || format.ending == ".hdf5" || format.ending == ".h5ad" ||
         format.ending == ".mat";
}

// Formats that always begin with the same bytes.
bool has_beginning(const Format& format) {
  return format.ending == ".npy" || format.ending == ".npz" || format.ending == ".mtx" ||
         (is_for_h5(format) && format.ending != ".mat");
}

void check_look(const Input& input, const Format& format, bool said) {
  if (input.bytes.empty()) fail(input, "is empty");
  const std::string_view look = ending_by_content(input.text());
  if (look == format.ending || (look == ".h5" && is_for_h5(format))) return;
  const std::string not_so = ", not like " + std::string(format.what) + "; ";
  const std::string remedy =
      said ? "format=" + name_of(format) + " contradicts that" : "give it the right ending";
  if (!look.empty()) fail_at_byte(input, 0, "begins like a " + std::string(look) + " file" + not_so + remedy);
  if (said && has_beginning(format))
    fail_at_byte(input, 0, "begins like a text or something unknown" + not_so + remedy);
}

// A file whose ending says nothing: its first bytes may.
std::string format_by_look(const Input& input) {
  const std::string_view look = ending_by_content(input.text());
  if (!look.empty() && look != ".gz")
    return "it begins like a " + std::string(look) + " file: say format=" + std::string(look.substr(1));
  if (input.text().starts_with(framed_magic)) return "it holds framed columns, which --stream reads";
  const std::string_view head = input.text().substr(0, 4096);
  if (look.empty() && !head.empty() && head.find('\0') == head.npos)
    return "it looks like text: say format=text";
  return "say format=NAME, which is one of " + list_text(format_names());
}

[[noreturn]] void fail_of_ending(const std::string& path) {
  const Input input = map_file(path);  // a missing file is the more useful news
  throw InvalidData(path + ": its ending does not say what it holds; " + format_by_look(input) +
                    ", or give it one of these endings: " + endings());
}

MatrixFile read_target(const Target& target, const std::string& path, const ReadOptions& options) {
  MatrixFile file;
  if (target.format) {
    const Input input = open_unpacked(target.path, Pipes::read);
    check_look(input, *target.format, !options.format.empty());
    file = target.format->parse(input, target.member, options);
  } else {
    file = read_folder(path, options);
  }
  file.path = path;
  return file;
}

// '\0': it is no table.
char table_delimiter(const std::string& path) {
  std::string name = lower(path);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name.ends_with(".csv") ? ',' : name.ends_with(".tsv") ? '\t' : '\0';
}

}  // namespace

Index MatrixFile::stored() const {
  return std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.offsets; })
          return m.offsets[m.layout == Layout::columns_contiguous ? columns : rows];
        else
          return rows * columns;
      },
      matrix);
}

bool is_read_by_hdf5(const std::string& path, const ReadOptions& options) {
  const Target target = find_target(path, options.format);
  if (!target.format || !is_for_h5(*target.format)) return false;
  return target.format->ending != ".mat" || is_mat73(first_bytes(target.path, 16));
}

void check_applicable(const std::string& path, const ReadOptions& options) {
  const Target target = find_target(path, options.format);
  if (target.format || is_folder(path)) check_for(target, options);
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  names.reserve(std::size(formats));
  for (const Format& format : formats) names.push_back(name_of(format));
  return names;
}

MatrixFile read_matrix(const std::string& path, const ReadOptions& options) {
  const Target target = find_target(path, options.format);
  if (!target.format && !is_folder(path)) fail_of_ending(path);
  check_for(target, options);
  try {
    return read_target(target, path, options);
  } catch (const std::bad_alloc&) {
    throw ResourceLimit(path + ": there is not enough memory to read it");
  }
}

std::vector<std::string> read_names(const std::string& path) {
  std::string file = path, column;
  if (const std::size_t colon = path.rfind(':'); colon != path.npos && !exists(path)) {
    file = path.substr(0, colon);
    column = path.substr(colon + 1);
  }
  const char delimiter = table_delimiter(file);
  const Input input = open_unpacked(file);
  const std::string_view look = ending_by_content(input.text());
  if (!look.empty() && look != ".npy")
    fail(input, "begins like a " + std::string(look) + " file, not like names");
  if (!column.empty() && delimiter == '\0')
    fail(input, "is no table (.csv, .tsv), so that it has no column " + in_quotes(column));
  return parse_names(input, delimiter, column);
}

}  // namespace svrmu::io
