#include "input_flags.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "console.hpp"
#include "errors.hpp"
#include "list_flags.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

// Sets what a flag says; what is refused is said of the flag.
void set_from_flag(io::ReadOptions& options, const std::string& name, const std::string& value) {
  if (!value.empty()) set_by_flag(options, name, flag_of(name), value);
}

}  // namespace

io::ReadOptions read_options(const InputFlags& flags) {
  io::ReadOptions options;
  options.threads = flags.threads;
  if (flags.samples != "auto") set_from_flag(options, "samples", flags.samples);
  if (flags.precision != "auto") set_from_flag(options, "precision", flags.precision);
  options.format = flags.format;
  set_from_flag(options, "delimiter", flags.delimiter);
  set_from_flag(options, "decimal", flags.decimal);
  set_from_flag(options, "row_names", flags.row_names);
  set_from_flag(options, "column_names", flags.column_names);
  return options;
}

std::string with_flags(std::string message) {
  for (const char* option : {"row_names", "column_names", "delimiter", "decimal", "format", "samples"}) {
    const std::string said = std::string(option) + "=";
    std::string flag = "--" + std::string(option) + " ";
    std::replace(flag.begin(), flag.end(), '_', '-');
    for (std::size_t at = 0; (at = message.find(said, at)) != message.npos; at += flag.size())
      message.replace(at, said.size(), flag);
  }
  return message;
}

namespace {

std::vector<std::string> read_names(const char* flag, const std::string& path, Index count,
                                    const std::string& what) {
  std::vector<std::string> names = reading(path, [&] { return io::read_names(path); });
  if (std::ssize(names) != count)
    throw InvalidData(printable(path) + ": has " + std::to_string(names.size()) + " names, but there are " +
                      std::to_string(count) + " " + what + " (" + flag + ")");
  return names;
}

// "data/counts.npz:key" -> "data/counts.npz"
std::filesystem::path file_of(const std::string& path) {
  std::error_code ignored;
  const std::size_t colon = path.rfind(':');
  return colon == path.npos || std::filesystem::exists(path, ignored) ? path : path.substr(0, colon);
}

// Where names of this kind may be, for --feature-names and --sample-names.
std::vector<std::string> places_of_names(const std::string& path, const std::vector<std::string>& words) {
  const std::filesystem::path file = file_of(path);
  std::string stem = file.filename().string();
  stem.resize(stem.find('.') == stem.npos ? stem.size() : stem.find('.', 1));
  std::vector<std::string> places;
  for (const std::string& word : words)
    for (const std::string& name : {stem + "." + word, stem + "_" + word, word})
      for (const char* ending : {".txt", ".tsv"})
        places.push_back((file.parent_path() / (name + ending)).string());
  return places;
}

struct NamesNearby {
  std::string place;  // as a flag takes it; empty: there are none
  Index count = 0;
};

// The first of the places whose number of names is one of `counts`.
NamesNearby find_names(const std::vector<std::string>& places, std::initializer_list<Index> counts) {
  constexpr std::uintmax_t most_bytes = 64 << 20;
  for (const std::string& place : places) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(place, error)) continue;
    if (const auto size = std::filesystem::file_size(place, error); error || size > most_bytes) continue;
    const std::string column = place.ends_with(".tsv") ? ":1" : "";
    try {
      const auto count = std::ssize(io::read_names(place + column));
      if (std::find(counts.begin(), counts.end(), count) != counts.end()) return {place + column, count};
    } catch (const InvalidInput&) {  // not names
    } catch (const io::IoError&) {   // not ours to read
    }
  }
  return {};
}

void note_of_names(const NamesNearby& found, const std::string& what, const std::string& flag) {
  note(printable(found.place) + " has " + std::to_string(found.count) + " lines, as many as there are " +
       what + ": " + flag);
}

}  // namespace

void add_reading_flags(CLI::App& command, InputFlags& flags, const char* group) {
  command.add_option("--format", flags.format, "what the file is [as its ending says]")
      ->type_name(joined(io::format_names(), "|"))
      ->group(group);
  command
      .add_option("--delimiter", flags.delimiter,
                  "between cells of a text; or any one character [as it looks]")
      ->type_name("comma|semicolon|tab|space")
      ->group(group);
  command.add_option("--decimal", flags.decimal, "decimal sign of a text [as it looks]")
      ->type_name("point|comma")
      ->group(group);
  command
      .add_option("--row-names", flags.row_names,
                  "whether the first column of a text holds names of rows [as it looks]")
      ->type_name("first|none")
      ->group(group);
  command
      .add_option("--column-names", flags.column_names,
                  "whether the first line of a text holds names of columns [as it looks]")
      ->type_name("first|none")
      ->group(group);
}

std::string first_reading_flag(const InputFlags& flags) {
  if (!flags.format.empty()) return "--format";
  if (!flags.delimiter.empty()) return "--delimiter";
  if (!flags.decimal.empty()) return "--decimal";
  if (!flags.row_names.empty()) return "--row-names";
  return flags.column_names.empty() ? "" : "--column-names";
}

io::MatrixFile read_input(const InputFlags& flags) {
  const io::ReadOptions options = read_options(flags);
  try {
    if (flags.path != standard_stream) io::check_applicable(flags.path, options);
    io::MatrixFile file = read_file(flags, options);
    for (const std::string& what : file.notes) note(printable(with_flags(what)));
    return file;
  } catch (const InvalidData& error) {
    throw InvalidData(with_flags(error.what()));
  } catch (const InvalidInput& error) {
    throw UsageError(with_flags(error.what()));
  }
}

void add_feature_names_flag(CLI::App& command, NameFlags& flags, const char* group) {
  command
      .add_option("--feature-names", flags.features,
                  "names of the features: one per line, TABLE.csv:COLUMN, or a .npy of texts")
      ->type_name("FILE")
      ->group(group);
}

void add_sample_names_flag(CLI::App& command, NameFlags& flags, const char* group) {
  command.add_option("--sample-names", flags.samples, "names of the samples, likewise")
      ->type_name("FILE")
      ->group(group);
}

std::vector<std::string> read_feature_names(const NameFlags& flags, Index count) {
  return read_names("--feature-names", flags.features, count, "features");
}
std::vector<std::string> read_sample_names(const NameFlags& flags, Index count) {
  return read_names("--sample-names", flags.samples, count, "samples");
}

void set_feature_names(io::MatrixFile& file, std::vector<std::string> names) {
  (file.samples == io::SamplesIn::rows ? file.column_names : file.row_names) = std::move(names);
}
void set_sample_names(io::MatrixFile& file, std::vector<std::string> names) {
  (file.samples == io::SamplesIn::rows ? file.row_names : file.column_names) = std::move(names);
}

void take_names(io::MatrixFile& file, const NameFlags& flags) {
  if (!flags.features.empty()) set_feature_names(file, read_feature_names(flags, file.features()));
  if (!flags.samples.empty()) set_sample_names(file, read_sample_names(flags, file.sample_count()));
}

void note(const std::string& what) { say(bold("note:") + " " + what); }

void note_orientation(const io::MatrixFile& file, const InputFlags& flags) {
  if (flags.samples != "auto" || file.natural != io::SamplesIn::automatic) return;
  note(
      "each column is taken as a sample, each row as a feature; if the rows are the samples, say --samples "
      "rows");
}

void note_names_nearby(const io::MatrixFile& file, const InputFlags& flags) {
  std::error_code ignored;
  if (flags.path == standard_stream || std::filesystem::is_directory(flags.path, ignored)) return;
  const Index F = file.features(), N = file.sample_count();
  if (file.feature_names().empty()) {
    const NamesNearby found = find_names(
        places_of_names(flags.path, {"features", "vocab", "vocabulary", "words", "terms", "genes"}), {F, N});
    const bool turned =
        found.count != F && flags.samples == "auto" && file.natural == io::SamplesIn::automatic;
    if (!found.place.empty() && found.count == F)
      note_of_names(found, "features", "--feature-names " + shell_word(found.place));
    else if (!found.place.empty() && turned)
      note_of_names(
          found, "columns",
          "if these are the features, say --samples rows --feature-names " + shell_word(found.place));
  }
  if (file.sample_names().empty()) {
    const NamesNearby found =
        find_names(places_of_names(flags.path, {"samples", "barcodes", "cells", "documents", "docs"}), {N});
    if (!found.place.empty()) note_of_names(found, "samples", "--sample-names " + shell_word(found.place));
  }
}

}  // namespace svrmu::cli
