// Flags that say how a matrix is read and what its features and samples are called, and what is said of it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "files.hpp"

namespace svrmu::cli {

// --format, --delimiter, --decimal and --row-names.
void add_reading_flags(CLI::App& command, InputFlags& flags, const char* group);
// The first of them that is given, for commands to which they do not always apply; empty: none.
std::string first_reading_flag(const InputFlags& flags);

// What they and the other flags of a file say to the library.
io::ReadOptions read_options(const InputFlags& flags);
// The library names its options like "row_names=none"; here they are flags.
std::string with_flags(std::string message);

// Files with names, for formats that have none.
struct NameFlags {
  std::string features;
  std::string samples;
};
void add_feature_names_flag(CLI::App& command, NameFlags& flags, const char* group);
void add_sample_names_flag(CLI::App& command, NameFlags& flags, const char* group);

// Names for `count` things, from what a flag names; InvalidData with both numbers if there are more or fewer.
std::vector<std::string> read_feature_names(const NameFlags& flags, Index count);
std::vector<std::string> read_sample_names(const NameFlags& flags, Index count);
// The file with the names that the flags give it.
void take_names(io::MatrixFile& file, const NameFlags& flags);
void set_feature_names(io::MatrixFile& file, std::vector<std::string> names);
void set_sample_names(io::MatrixFile& file, std::vector<std::string> names);

// "note: ...", unless quiet.
void note(const std::string& what);

// Where the samples were taken to be, if neither the format nor a flag said it.
void note_orientation(const io::MatrixFile& file, const InputFlags& flags);
// Files beside the matrix that may hold the names that it lacks.
void note_names_nearby(const io::MatrixFile& file, const InputFlags& flags);

}  // namespace svrmu::cli
