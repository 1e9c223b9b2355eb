// svrmu update: W of a model goes on learning, from new samples that are seen once.
#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "list_flags.hpp"
#include "model_input.hpp"
#include "new_samples.hpp"
#include "stream_learning.hpp"
#include "stream_model.hpp"

namespace svrmu::cli {
namespace {

struct UpdateFlags {
  std::string model, stream;
  NewSamplesFlags samples;
  LearningFlags learning;
};

void check_update_flags(const UpdateFlags& flags) {
  const InputFlags& input = flags.samples.input;
  if (input.path.empty() == flags.stream.empty())
    throw UsageError(input.path.empty() ? "update needs NEW, a file with new samples, or --stream"
                                        : "--stream and NEW both name new samples; give one of them");
  if (!flags.stream.empty() && input.trusted)
    throw UsageError("--trusted does not go with --stream, which is never HDF5");
  check_learning_targets(flags.learning);
  std::vector<std::string> outputs = flags.learning.outputs();
  const std::string source = flags.stream.empty() ? input.path : flags.stream;
  check_distinct({source, flags.samples.names.features}, outputs);
  outputs.erase(outputs.begin());  // the model may replace the one that it goes on from
  check_distinct({flags.model}, outputs);
}

// Without -o the model is replaced, as by fit --resume. Its W goes on, but H of its samples would be lost.
template <class Scalar>
void refuse_to_drop_h(const UpdateFlags& flags, const io::Model<Scalar>& model) {
  if (!flags.learning.same_model || model.fit.H.cols() == 0) return;
  throw UsageError("update needs -o FILE: " + printable(flags.model) +
                   " holds H of its samples, which the model that comes out does not; -o " +
                   shell_word(flags.model) + " --force replaces it all the same");
}

template <class Scalar>
int update_model(const UpdateFlags& flags, const io::Model<Scalar>& model, const std::string& command) {
  NewSamplesFlags samples = flags.samples;
  std::stop_source stop;
  Learning<Scalar> learning(flags.learning, model.fit.rank, stop);
  SampleOrigin origin;
  if (!flags.stream.empty()) {
    samples.input.path = flags.stream;
    samples.input.precision = precision_name<Scalar>;
    OpenedStream stream(samples.input, stop.get_token());
    io::FileColumns<Scalar> columns(stream.file(), change_for(samples, stream.header(), model),
                                    model.fit.W.rows(), model.fit.loss.beta > 0);
    learning.run(stream.header().name, columns,
                 [&](const auto& options) { return update(model.fit, columns, options); });
    origin = {flags.stream, stream.header().sparse, stream.header().samples};
  } else {
    const io::MatrixFile file = read_new_samples(samples, model);
    const auto V = io::open_source<Scalar>(file);
    try {
      learning.run([&](const auto& options) { return update(model.fit, *V, options); });
    } catch (const InvalidData& error) {
      throw in_file(file, error);
    }
    origin = {file.path, file.is_sparse(), file.samples};
  }
  return learning.finish(updated_model(std::move(learning.result()), model, origin, command));
}

}  // namespace

Run add_update(CLI::App& program, const std::string& command) {
  CLI::App& app = *program.add_subcommand("update", "Go on learning from new samples");
  const auto flags = std::make_shared<UpdateFlags>();
  app.description(
      "Go on learning W of a model from new samples, each seen once.\n\n"
      "Features are matched and preprocessed as 'svrmu transform' does. H of the samples before is dropped, "
      "since W moves\n"
      "away from it. Errors are estimates: see docs/streams.md.\n\n"
      "Examples:\n"
      "  svrmu update counts.svrmu.h5 today.mtx -o counts-2.svrmu.h5\n"
      "  sensor | svrmu update sensor.svrmu.h5 --stream - --forget-factor 0.99\n");
  app.add_option("MODEL", flags->model, "model file of svrmu fit")->required();
  app.add_option("NEW", flags->samples.input.path, "new samples: any matrix that is read");
  app.add_option("--stream", flags->stream, "new samples as they come: a file, a pipe, or - (standard input)")
      ->type_name("FILE");
  LearningFlags& learning = flags->learning;
  app.add_option("-o,--output", learning.output, "model file that comes out [MODEL, if it holds no H]")
      ->type_name("FILE");
  app.add_option("--save-w", learning.save_w, "W, features x K: .npy, .csv, .tsv or .mtx")->type_name("FILE");
  app.add_option("--save-h", learning.save_h, "H of the new samples when they were seen, K x samples: .npy")
      ->type_name("FILE");
  app.add_option("--trace", learning.trace, "the history as JSON")->type_name("FILE");
  add_learning_flags(app, learning.options, "Learning");
  add_flag_of(app, learning.options, "time_limit_seconds")->group("Learning");
  NewSamplesFlags& samples = flags->samples;
  add_missing_flag(app, samples);
  add_samples_flag(app, samples.input.samples);
  add_trusted_flag(app, samples.input.trusted);
  add_reading_flags(app, samples.input, "Input");
  add_feature_names_flag(app, samples.names, "Input");
  add_threads_flag(app, samples.input.threads);
  add_force_flag(app, learning.force);
  add_json_flag(app, learning.json);
  return [flags, command] {
    flags->learning.options.threads = flags->samples.input.threads;
    flags->learning.same_model = flags->learning.output.empty();
    if (flags->learning.same_model) flags->learning.output = flags->model;
    check_update_flags(*flags);
    const io::AnyModel any = read_model(flags->model);
    return std::visit(
        [&](const auto& model) {
          refuse_to_drop_h(*flags, model);
          return update_model(*flags, model, command);
        },
        any);
  };
}

}  // namespace svrmu::cli
