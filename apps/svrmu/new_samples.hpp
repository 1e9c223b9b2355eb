// New samples for a model, from a file or a stream: their features as the model has them, preprocessed as its
// data were.
#pragma once

#include <string>

#include "input_flags.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/io/stream.hpp"

namespace svrmu::cli {

struct NewSamplesFlags {
  InputFlags input;
  NameFlags names;
  bool missing_as_zero = false;
};

void add_missing_flag(CLI::App& command, NewSamplesFlags& flags);

// Reads, matches and preprocesses. The precision is the model's.
template <class Scalar>
io::MatrixFile read_new_samples(const NewSamplesFlags& flags, const io::Model<Scalar>& model);

// What is to be done to each piece of a stream; empty: nothing.
template <class Scalar>
typename io::FileColumns<Scalar>::Change change_for(const NewSamplesFlags& flags,
                                                    const io::StreamHeader& header,
                                                    const io::Model<Scalar>& model);

}  // namespace svrmu::cli
