#include "new_samples.hpp"

#include "console.hpp"
#include "errors.hpp"
#include "match_features.hpp"

namespace svrmu::cli {
namespace {

// Where each feature of the model is; empty: as it is there.
template <class Scalar>
std::vector<Index> places_of_features(const NewSamplesFlags& flags, const io::MatrixFile& file,
                                      const io::Model<Scalar>& model) {
  if (!file.feature_names().empty() && !model.feature_names.empty())
    return find_features(file, model.feature_names, flags.missing_as_zero);
  if (flags.missing_as_zero)
    throw UsageError("--missing-as-zero needs names of features, in the model and in the new data");
  if (file.features() == model.fit.W.rows()) return {};
  const bool turned = file.sample_count() == model.fit.W.rows();
  const bool rows = file.samples == io::SamplesIn::rows;
  throw InvalidData(spoken_input(file.path) + ": has " + std::to_string(file.features()) +
                    " features, but the model has " + std::to_string(model.fit.W.rows()) +
                    (turned
                         ? ", as many as this file has " + std::string(rows ? "rows: say --samples columns"
                                                                            : "columns: say --samples rows")
                         : ""));
}

}  // namespace

void add_missing_flag(CLI::App& command, NewSamplesFlags& flags) {
  command.add_flag("--missing-as-zero", flags.missing_as_zero,
                   "features of the model that the new samples do not have are 0 there");
}

template <class Scalar>
io::MatrixFile read_new_samples(const NewSamplesFlags& flags, const io::Model<Scalar>& model) {
  InputFlags input = flags.input;
  input.precision = precision_name<Scalar>;
  io::MatrixFile file = read_input(input);
  // Samples lie where they lay for the fit, unless told otherwise or the format knows better.
  if (input.samples == "auto" && file.natural == io::SamplesIn::automatic)
    file.samples = model.data.samples_in;
  introduce(file);
  take_names(file, flags.names);
  if (const std::vector<Index> from = places_of_features(flags, file, model); !from.empty()) {
    file = with_features(file, from);
    set_feature_names(file, model.feature_names);
  }
  reading(file.path, [&] { return preprocess(file, model.preprocessing), 0; });
  return file;
}

template <class Scalar>
typename io::FileColumns<Scalar>::Change change_for(const NewSamplesFlags& flags,
                                                    const io::StreamHeader& header,
                                                    const io::Model<Scalar>& model) {
  io::MatrixFile about;  // the features, without a sample
  about.path = flags.input.path;
  about.rows = header.features;
  about.row_names = header.feature_names;
  if (!flags.names.features.empty()) about.row_names = read_feature_names(flags.names, header.features);
  std::vector<Index> from = places_of_features(flags, about, model);
  if (from.empty() && model.preprocessing.steps.empty()) return {};
  return [from = std::move(from), &model](io::MatrixFile& file) {
    if (!from.empty()) file = with_features(file, from);
    preprocess(file, model.preprocessing);
  };
}

#define SVRMU_INSTANTIATE(S)                                                                         \
  template io::MatrixFile read_new_samples<S>(const NewSamplesFlags&, const io::Model<S>&);          \
  template io::FileColumns<S>::Change change_for<S>(const NewSamplesFlags&, const io::StreamHeader&, \
                                                    const io::Model<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::cli
