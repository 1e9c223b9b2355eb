// The parsers by name, for the fuzz targets and for the test that replays their corpus.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "h5_builder.hpp"
#include "io/parsers.hpp"
#include "io/pictures.hpp"
#include "model_changes.hpp"
#include "svrmu/io/stream.hpp"

namespace svrmu::io {

// A reader that keeps something of a file open keeps the file open as well.
inline void check_all_closed() {
  if (H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) std::abort();
}

inline void read_built_h5(Bytes bytes, const ReadOptions& options) {
  const H5Silence silence;
  try {
    H5Builder(bytes).run(options);
  } catch (const InvalidInput&) {
  }
  check_all_closed();
}

// Every reader gets the same bytes: each looks at other parts of them.
inline void read_raw_h5(const Input& input, const ReadOptions& options) {
  for (const auto parse : {parse_h5, parse_h5ad, parse_mat73}) try {
      parse(input, "", options);
    } catch (const InvalidInput&) {
    } catch (const ResourceLimit&) {  // HDF5 was asked for too much
    }
}

inline void read_changed_model(Bytes bytes) {
  if (const auto model = ModelChanges(bytes).read()) check_texts(*model);
  check_all_closed();
}

// Columns in pieces of a few, whose bytes come in pieces of other sizes.
template <class Scalar>
void read_columns(Bytes bytes, const ReadOptions& options) {
  std::size_t at = 0;
  StreamFile file(
      [&](std::byte* to, std::size_t most) {
        const std::size_t count = std::min({most, bytes.size() - at, at % 7 + 1});
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, to);
        at += count;
        return count;
      },
      "fuzz", options);
  FileColumns<Scalar> columns(file);
  Batch<Scalar> batch;
  while (columns.next(3, batch))
    if (batch.count < 1 || batch.count > 3) std::abort();
}

// Reads untrusted bytes; anything but a matrix or InvalidInput is a finding.
inline void read_untrusted(std::string_view parser, Bytes bytes) {
  const Input input{"fuzz", bytes, nullptr, false, {}};
  const ReadOptions options{SamplesIn::automatic, Precision::automatic, 1};
  try {
    if (parser == "npy") parse_npy(input, options);
    if (parser == "npz") parse_npz(input, "", options);
    if (parser == "npz_member") parse_npz(input, "a", options);
    if (parser == "mtx") parse_matrix_market(input, options);
    if (parser == "csv") parse_delimited(input, ',', options);
    if (parser == "text") parse_delimited(input, ' ', options);
    if (parser == "names") parse_names(input, ',', "2");
    if (parser == "mat") parse_mat5(input, "", options);
    if (parser == "pgm") parse_pgm(input);
    if (parser == "png") parse_png(input);
    if (parser == "columns") {
      read_columns<float>(bytes, options);
      read_columns<double>(bytes, options);
    }
    if (parser == "h5") read_built_h5(bytes, options);
    if (parser == "h5_raw") read_raw_h5(input, options);
    if (parser == "model") read_changed_model(bytes);
    if (parser == "model_attributes") read_model_texts(input.text());
  } catch (const InvalidInput&) {
  }
}

}  // namespace svrmu::io
