#include <ctime>
#include <filesystem>
#include <utility>

#include "svrmu/error.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {
namespace {

// So that the data are found again from another folder; a member stays part of the path.
std::string absolute_path(const std::string& path) {
  if (path.empty() || path == "-") return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// What models of both kinds have. The data are described.
template <class Scalar>
Model<Scalar> begin_model(FitResult<Scalar> fit, const Preprocessing& preprocessing, Provenance provenance) {
  Model<Scalar> model;
  model.algorithm =
      provenance.algorithm.empty() ? std::string(name_of(fit.solver)) : std::move(provenance.algorithm);
  model.fit = std::move(fit);
  model.data = std::move(*provenance.data);
  model.preprocessing = preprocessing;
  model.command = std::move(provenance.command);
  model.created = now_text();
  model.version = SVRMU_VERSION;
  return model;
}

}  // namespace

DataDescription describe_data(const MatrixFile& file) {
  return {.path = absolute_path(file.path),
          .features = file.features(),
          .samples = file.sample_count(),
          .stored = file.stored(),
          .sparse = file.is_sparse(),
          .samples_in = file.samples,
          .fingerprint = fingerprint(file)};
}

template <class Scalar>
Model<Scalar> make_model(FitResult<Scalar> fit, const FitOptions<Scalar>& options, const MatrixFile& file,
                         const Preprocessing& preprocessing, Provenance provenance) {
  if (fit.H.cols() == 0)
    throw InvalidInput("the result learned from a stream: make_stream_model() makes its model");
  if (!provenance.data) provenance.data = describe_data(file);
  Model<Scalar> model = begin_model(std::move(fit), preprocessing, std::move(provenance));
  model.stopping = options.stopping;
  model.normalize = options.normalize;
  model.evaluate_every = options.evaluate_every;
  model.feature_names = file.feature_names();
  model.sample_names = file.sample_names();
  return model;
}

template <class Scalar>
Model<Scalar> make_stream_model(FitResult<Scalar> fit, const std::vector<std::string>& feature_names,
                                const Preprocessing& preprocessing, Provenance provenance) {
  if (fit.H.cols() > 0) throw InvalidInput("the result has an H: make_model() makes its model");
  if (!provenance.data) provenance.data.emplace();
  provenance.data->features = fit.W.rows();
  provenance.data->samples = fit.checkpoint.stream.columns;
  provenance.data->fingerprint.reset();
  provenance.data->checksum.reset();
  Model<Scalar> model = begin_model(std::move(fit), preprocessing, std::move(provenance));
  model.feature_names = feature_names;
  return model;
}

#define SVRMU_INSTANTIATE(S)                                                                                \
  template Model<S> make_model(FitResult<S>, const FitOptions<S>&, const MatrixFile&, const Preprocessing&, \
                               Provenance);                                                                 \
  template Model<S> make_stream_model(FitResult<S>, const std::vector<std::string>&, const Preprocessing&,  \
                                      Provenance);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
