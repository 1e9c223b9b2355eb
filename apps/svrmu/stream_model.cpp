#include "stream_model.hpp"

#include <filesystem>
#include <utility>

#include "files.hpp"

namespace svrmu::cli {
namespace {

std::string full_path(const std::string& path) {
  if (path == standard_stream) return path;
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

}  // namespace

template <class Scalar>
io::Model<Scalar> streamed_model(FitResult<Scalar> fit, const std::string& algorithm,
                                 const SampleOrigin& origin, const std::vector<std::string>& feature_names,
                                 const io::Preprocessing& done, const Stopping& stopping,
                                 const std::string& command) {
  io::DataDescription data;
  data.path = full_path(origin.path);
  data.sparse = origin.sparse;
  data.samples_in = origin.samples;
  io::Model<Scalar> model =
      io::make_stream_model(std::move(fit), feature_names, done,
                            {.algorithm = algorithm, .command = command, .data = std::move(data)});
  model.stopping = stopping;
  return model;
}

template <class Scalar>
io::Model<Scalar> updated_model(FitResult<Scalar> fit, const io::Model<Scalar>& before,
                                const SampleOrigin& origin, const std::string& command) {
  const std::string algorithm =
      fit.solver.name() == before.fit.solver.name() ? before.algorithm : fit.algorithm;
  return streamed_model(std::move(fit), algorithm, {origin.path, origin.sparse, before.data.samples_in},
                        before.feature_names, before.preprocessing, before.stopping, command);
}

#define SVRMU_INSTANTIATE(S)                                                                      \
  template io::Model<S> streamed_model(FitResult<S>, const std::string&, const SampleOrigin&,     \
                                       const std::vector<std::string>&, const io::Preprocessing&, \
                                       const Stopping&, const std::string&);                      \
  template io::Model<S> updated_model(FitResult<S>, const io::Model<S>&, const SampleOrigin&,     \
                                      const std::string&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::cli
