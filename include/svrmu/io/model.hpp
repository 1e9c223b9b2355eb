// A fitted model in a file (target svrmu::io): HDF5, described in docs/model-file.md.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/io/files.hpp"
#include "svrmu/io/preprocess.hpp"

namespace svrmu::io {

// What V was, so that going on with another matrix is noticed.
struct DataDescription {
  std::string path;
  Index features = 0;
  Index samples = 0;
  Index stored = 0;  // entries held
  bool sparse = false;
  SamplesIn samples_in = SamplesIn::columns;
  std::uint64_t checksum = 0;  // of the values and their places, after preprocessing
};

template <class Scalar>
struct Model {
  FitResult<Scalar> fit;  // without a checkpoint if the file had none: then resume() refuses it
  std::string algorithm;  // the name that was asked for: "svrmu-acc"
  Stopping stopping;
  bool normalize = false;
  Index evaluate_every = 1;
  DataDescription data;
  Preprocessing preprocessing;
  std::vector<std::string> feature_names;  // empty: none
  std::vector<std::string> sample_names;   // empty: none
  std::string command;                     // how it was made, for people
  std::string created;                     // ISO 8601, UTC
  std::string version;                     // of svrmu
};

using AnyModel = std::variant<Model<float>, Model<double>>;

// The same for the same matrix, whatever its file: dense or sparse, by rows or by columns give other numbers.
SVRMU_API std::uint64_t checksum(const MatrixFile& file);

// Written whole or not at all. InvalidInput if the parts of the model do not fit each other.
template <class Scalar>
SVRMU_API void write_model(const std::string& path, const Model<Scalar>& model,
                           const WriteOptions& options = {});

// True for an HDF5 file that says that it is a model; it may still be damaged.
SVRMU_API bool is_model(const std::string& path);

// Throws IoError if the file cannot be read, InvalidData if it is no model or makes no sense.
SVRMU_API AnyModel read_model(const std::string& path);

}  // namespace svrmu::io
