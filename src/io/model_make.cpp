#include <ctime>
#include <filesystem>
#include <utility>

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
  Model<Scalar> model;
  model.algorithm =
      provenance.algorithm.empty() ? std::string(name_of(fit.solver)) : std::move(provenance.algorithm);
  model.fit = std::move(fit);
  model.stopping = options.stopping;
  model.normalize = options.normalize;
  model.evaluate_every = options.evaluate_every;
  model.data = provenance.data ? std::move(*provenance.data) : describe_data(file);
  model.preprocessing = preprocessing;
  model.feature_names = file.feature_names();
  model.sample_names = file.sample_names();
  model.command = std::move(provenance.command);
  model.created = now_text();
  model.version = SVRMU_VERSION;
  return model;
}

template Model<float> make_model(FitResult<float>, const FitOptions<float>&, const MatrixFile&,
                                 const Preprocessing&, Provenance);
template Model<double> make_model(FitResult<double>, const FitOptions<double>&, const MatrixFile&,
                                  const Preprocessing&, Provenance);

}  // namespace svrmu::io
