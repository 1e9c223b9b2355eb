/// @file
/// A fitted model in a file (target svrmu::io): HDF5, described in docs/model-file.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/io/files.hpp"
#include "svrmu/io/preprocess.hpp"

namespace svrmu::io {

/// What V was, so that resuming with another matrix is noticed.
struct DataDescription {
  std::string path;                            ///< absolute; "-": standard input
  Index features = 0;                          ///< rows of V
  Index samples = 0;                           ///< columns of V; of a stream: learned from so far
  Index stored = 0;                            ///< entries held
  bool sparse = false;                         ///< only some entries are held
  SamplesIn samples_in = SamplesIn::columns;   ///< where the samples lie in the file
  std::optional<std::uint64_t> fingerprint{};  ///< of the values and their places, after preprocessing
  std::optional<std::uint64_t> checksum{};     ///< what models had before: another number for another storage
};

/// A result with all that is needed to use it, to resume it and to explain it.
template <class Scalar>
struct Model {
  FitResult<Scalar> fit;        ///< without a checkpoint if the file had none: then resume() refuses it;
                                ///< with an H of no columns if it learned from a stream
  std::string algorithm;        ///< the name that was asked for: "svrmu-acc"
  Stopping stopping;            ///< when the fit was to end
  bool normalize = false;       ///< columns of W have norm 1
  Index evaluate_every = 1;     ///< epochs between evaluations
  DataDescription data;         ///< what it was made from
  Preprocessing preprocessing;  ///< what was done to the data before
  std::vector<std::string> feature_names;  ///< empty: none
  std::vector<std::string> sample_names;   ///< empty: none
  std::string command;                     ///< the command line that made it; may be empty
  std::string created;                     ///< ISO 8601, UTC
  std::string version;                     ///< of svrmu
  bool has_checksum = true;  ///< false: read from a file that has none, so that damage to it is not noticed
};

/// A model in either precision.
using AnyModel = std::variant<Model<float>, Model<double>>;

/// A number that tells matrices apart: the same for the same V, whatever its file and its storage. Dense or
/// sparse, samples in rows or in columns, stored zeros and the precision of equal values make no difference.
/// It guards against mistakes, not against intent.
SVRMU_API std::uint64_t fingerprint(const MatrixFile& file);

/// As above, but dense or sparse, by rows or by columns give other numbers: for models that have no
/// fingerprint.
SVRMU_API std::uint64_t checksum(const MatrixFile& file);

/// Describes the data as they are now: call it after preprocess(). It takes a pass over the values.
SVRMU_API DataDescription describe_data(const MatrixFile& file);

/// True if this is the matrix that was described. It takes a pass over the values.
SVRMU_API bool describes(const DataDescription& data, const MatrixFile& file);

/// What a model keeps that neither a result nor its options say.
struct Provenance {
  std::string algorithm{};                ///< the name that was asked for; empty: that of the solver
  std::string command{};                  ///< the command line that made it; may be empty
  std::optional<DataDescription> data{};  ///< none: describe_data() makes it
};

/// The model of a result, with the data and the options that it was made from. The time and the version are
/// those of the call.
template <class Scalar>
SVRMU_API Model<Scalar> make_model(FitResult<Scalar> fit, const FitOptions<Scalar>& options,
                                   const MatrixFile& file, const Preprocessing& preprocessing = {},
                                   Provenance provenance = {});

/// The model of what fit_stream() or update() returned: there is no H, and no matrix to describe. `samples`
/// of its data is how many columns were learned from, and a fingerprint is dropped: nobody can compare
/// streams.
template <class Scalar>
SVRMU_API Model<Scalar> make_stream_model(FitResult<Scalar> fit,
                                          const std::vector<std::string>& feature_names = {},
                                          const Preprocessing& preprocessing = {},
                                          Provenance provenance = {});

/// Writes a model, whole or not at all. InvalidInput if its parts contradict each other.
template <class Scalar>
SVRMU_API void write_model(const std::string& path, const Model<Scalar>& model,
                           const WriteOptions& options = {});

/// The bytes of that file, handed to `put` in one piece that is valid while it runs.
template <class Scalar>
SVRMU_API void write_model(const std::function<void(std::string_view)>& put, const Model<Scalar>& model);

/// True for an HDF5 file that says that it is a model; it may still be damaged.
SVRMU_API bool is_model(const std::string& path);

/// Reads a model. Throws IoError if the file cannot be read, InvalidData if it is no model or makes no sense.
SVRMU_API AnyModel read_model(const std::string& path);
/// Reads a model from the bytes of its file.
SVRMU_API AnyModel read_model(std::span<const std::byte> bytes);

}  // namespace svrmu::io
