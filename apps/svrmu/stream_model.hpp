// Models of what was learned from a stream.
#pragma once

#include <string>
#include <vector>

#include "svrmu/io/model.hpp"

namespace svrmu::cli {

// Where samples that were seen once came from.
struct SampleOrigin {
  std::string path;  // "-": standard input
  bool sparse = false;
  io::SamplesIn samples = io::SamplesIn::columns;
};

template <class Scalar>
io::Model<Scalar> streamed_model(FitResult<Scalar> fit, const std::string& algorithm,
                                 const SampleOrigin& origin, const std::vector<std::string>& feature_names,
                                 const io::Preprocessing& done, const Stopping& stopping,
                                 const std::string& command);

// What goes on of `before` stays: names, preprocessing, where its samples lay.
template <class Scalar>
io::Model<Scalar> updated_model(FitResult<Scalar> fit, const io::Model<Scalar>& before,
                                const SampleOrigin& origin, const std::string& command);

}  // namespace svrmu::cli
