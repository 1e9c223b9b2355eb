// The models that jobs leave.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/matrix.hpp"
#include "c/model.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::c {

// A file is described by its values, so that the command line knows it again; memory only by its shape.
template <class Scalar>
io::DataDescription description_of(const Data& data) {
  if (data.file) return io::describe_data(*data.file);
  const MatrixSource<Scalar>& V = source_in<Scalar>(data);
  io::DataDescription described;
  described.features = V.features();
  described.samples = V.samples();
  described.stored = V.stored();
  described.sparse = V.is_sparse();
  return described;
}

// Where its names are; those of memory are set later.
inline const io::MatrixFile& file_of(const Data& data) {
  static const io::MatrixFile& none = *new io::MatrixFile;
  return data.file ? *data.file : none;
}

// The names of a model that goes on, which its owner may change while a job runs.
template <class Scalar>
struct KeptNames {
  std::vector<std::string> features, samples;

  explicit KeptNames(const io::Model<Scalar>& model)
      : features(model.feature_names), samples(model.sample_names) {}
  void give_to(io::Model<Scalar>& model) {
    if (model.feature_names.empty()) model.feature_names = std::move(features);
    if (model.sample_names.empty()) model.sample_names = std::move(samples);
  }
};

template <class Scalar>
std::unique_ptr<svrmu_model> handed_over(io::Model<Scalar> model) {
  return std::make_unique<svrmu_model>(io::AnyModel(std::move(model)));
}

}  // namespace svrmu::c
