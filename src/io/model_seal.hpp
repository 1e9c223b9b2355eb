// The seal of a model file: the block of bytes before HDF5's part, with a mark and a checksum over the whole
// file. It is looked at before HDF5 sees a byte, because HDF5 itself neither notices damaged numbers nor
// always survives damaged tables. docs/model-file.md describes it.
#pragma once

#include <span>

#include "io/input.hpp"

namespace svrmu::io {

// HDF5 calls it the user block of a file; 512 bytes is the least that it may have.
constexpr std::size_t seal_size = 512;

// True if the bytes begin with the mark of a model, also where a few bytes of it are damaged.
bool begins_like_model(Bytes bytes);

// Makes the seal of a whole file, over its first bytes. Tests and fuzzers call it after they have changed
// something else.
void seal_model(std::span<char> file);

// True: the file is sealed, and as it was written. False: it is HDF5 from its first byte on, as models were
// before there were seals. Throws InvalidData for all others.
bool check_seal(const Input& input);

}  // namespace svrmu::io
