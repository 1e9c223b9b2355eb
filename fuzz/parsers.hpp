// The parsers by name, for the fuzz targets and for the test that replays their corpus.
#pragma once

#include <string_view>

#include "io/parsers.hpp"

namespace svrmu {

// Reads untrusted bytes; anything but a matrix or InvalidInput is a finding.
inline void read_untrusted(std::string_view parser, io::Bytes bytes) {
  const io::Input input{"fuzz", bytes, nullptr, false, {}};
  const ReadOptions options{SamplesIn::automatic, Precision::automatic, 1};
  try {
    if (parser == "npy") io::parse_npy(input, options);
    if (parser == "npz") io::parse_npz(input, "", options);
    if (parser == "npz_member") io::parse_npz(input, "a", options);
    if (parser == "mtx") io::parse_matrix_market(input, options);
    if (parser == "csv") io::parse_delimited(input, ',', options);
    if (parser == "mat") io::parse_mat5(input, "", options);
  } catch (const InvalidInput&) {
  }
}

}  // namespace svrmu
