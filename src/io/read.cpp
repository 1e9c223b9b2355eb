// Which parser reads a file: its ending says so, its first bytes must agree.
#include "io/read.hpp"

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <new>
#include <string_view>

#include "io/folder.hpp"
#include "io/hdf5.hpp"
#include "io/mapped_file.hpp"
#include "io/model_seal.hpp"
#include "io/parsers.hpp"
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
    Format{".mat", "a MATLAB file", true, false,
           [](const Input& input, const std::string& member, const ReadOptions& options) {
             return is_mat73(input.text()) ? parse_mat73(input, member, options)
                                           : parse_mat5(input, member, options);
           }},
    Format{".h5", "an HDF5 file", true, false, parse_h5},
    Format{".hdf5", "an HDF5 file", true, false, parse_h5},
    Format{".h5ad", "an AnnData file", true, false, parse_h5ad},
};

struct Target {
  std::string path;
  std::string member;
  const Format* format = nullptr;
};

const Format* format_of(const std::string& path) {
  const std::string name = lower(path);
  for (const Format& format : formats) {
    if (name.ends_with(format.ending)) return &format;
    if (format.may_be_gzipped && name.ends_with(std::string(format.ending) + ".gz")) return &format;
  }
  return nullptr;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

bool is_ordinary(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// "a.npz:key" names a member, unless there is a file of that very name.
Target find_target(const std::string& path) {
  const Format* whole = format_of(path);
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos && !exists(path)) {
    const std::string file = path.substr(0, colon);
    const Format* format = format_of(file);
    if (format && format->has_members) return {file, path.substr(colon + 1), format};
  }
  return {path, {}, whole};
}

Target target_of(const std::string& path, const ReadOptions& options) {
  return options.ending.empty() ? find_target(path) : Target{path, {}, format_of(options.ending)};
}

std::string endings() {
  std::vector<std::string> all;
  for (const Format& format : formats) {
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

void check_look(const Input& input, const Format& format) {
  if (input.bytes.empty()) fail(input, "is empty");
  const std::string_view look = ending_by_content(input.text());
  if (look.empty() || look == format.ending || (look == ".h5" && is_for_h5(format))) return;
  fail_at_byte(input, 0,
               "begins like a " + std::string(look) + " file, not like " + std::string(format.what) +
                   "; give it the right ending");
}

MatrixFile read_target(const Target& target, const std::string& path, const ReadOptions& options) {
  MatrixFile file;
  if (target.format) {
    const Input input = open_unpacked(target.path, Pipes::read);
    check_look(input, *target.format);
    file = target.format->parse(input, target.member, options);
  } else {
    file = read_folder(path, options);
  }
  file.path = path;
  return file;
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

std::string_view ending_by_content(std::string_view first_bytes) {
  struct Beginning {
    std::string_view bytes;
    std::string_view ending;
  };
  static constexpr Beginning beginnings[] = {
      {"\x93NUMPY", ".npy"},  {"PK\x03\x04", ".npz"}, {"PK\x05\x06", ".npz"}, {"%%MatrixMarket", ".mtx"},
      {"MATLAB 5.0", ".mat"}, {"MATLAB 7.3", ".mat"}, {h5_signature, ".h5"},  {"\x1f\x8b", ".gz"},
  };
  for (const Beginning& beginning : beginnings)
    if (first_bytes.starts_with(beginning.bytes)) return beginning.ending;
  return begins_like_model(std::as_bytes(std::span(first_bytes))) ? ".h5" : std::string_view();
}

std::string file_of(const std::string& path) { return find_target(path).path; }

bool is_read_by_hdf5(const std::string& path, const ReadOptions& options) {
  const Target target = target_of(path, options);
  if (!target.format || !is_for_h5(*target.format)) return false;
  if (target.format->ending != ".mat") return true;
  if (!is_ordinary(target.path)) return false;  // a look into a pipe would take its first bytes away
  std::array<char, 16> head{};
  std::ifstream file(target.path, std::ios::binary);
  file.read(head.data(), head.size());
  return is_mat73({head.data(), static_cast<std::size_t>(file.gcount())});
}

MatrixFile read_matrix(const std::string& path, const ReadOptions& options) {
  const Target target = target_of(path, options);
  if (!target.format && !is_folder(path)) {
    // A missing file is the more useful news.
    map_file(path);
    throw InvalidInput(path + ": its ending does not say what it holds; endings that are read: " + endings());
  }
  try {
    return read_target(target, path, options);
  } catch (const std::bad_alloc&) {
    throw ResourceLimit(path + ": there is not enough memory to read it");
  }
}

}  // namespace svrmu::io
