// svrmu transform: H for new samples under the W of a model.
#include <stop_token>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "new_samples.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/svrmu.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

struct TransformFlags {
  std::string model;
  NewSamplesFlags samples;
  std::string output;
  std::string save_r;
  bool force = false;
  bool json = false;
};

template <class Scalar>
int run_in(const TransformFlags& flags, const io::Model<Scalar>& model) {
  const io::MatrixFile file = read_new_samples(flags.samples, model);
  const auto V = io::open_source<Scalar>(file);
  std::stop_source stop;
  TransformResult<Scalar> result;
  try {
    const GentleInterrupts gently([&] { stop.request_stop(); });
    result = transform(*V, model.fit, {.threads = flags.samples.input.threads, .stop = stop.get_token()});
  } catch (const InvalidData& error) {
    throw in_file(file, error);
  }
  const bool names = !file.sample_names().empty();
  write_dense(flags.output, io::dense_view(result.H),
              {names ? component_names(model.fit.rank) : std::vector<std::string>(), file.sample_names()},
              flags.force);
  if (!flags.save_r.empty())
    write_sparse(flags.save_r, result.R_sparse, {model.feature_names, file.sample_names()}, flags.force);
  if (flags.json)
    write_text("-",
               dump({{"model", flags.model},
                     {"input", file.path},
                     {"rank", model.fit.rank},
                     {"samples", file.sample_count()},
                     {"unfinished", result.unfinished},
                     {"output", flags.output}}),
               false);
  if (result.unfinished > 0)
    say("note: " + counted(static_cast<double>(result.unfinished), "sample", "samples") + " of " +
        std::to_string(file.sample_count()) + " used all " +
        std::to_string(TransformOptions<Scalar>().max_sweeps) +
        " sweeps before reaching the tolerance: their columns of H are close, not exact");
  if (flags.output != standard_stream)
    say("H (" + shape_text(model.fit.rank, file.sample_count()) + ") " + printable(flags.output));
  return done;
}

int run(const TransformFlags& flags) {
  check_matrix_target(flags.output, flags.force);
  if (!flags.save_r.empty()) check_matrix_target(flags.save_r, flags.force);
  if (flags.json && (flags.output == standard_stream || flags.save_r == standard_stream))
    throw UsageError("only one output can go to standard output");
  check_distinct(
      {flags.model, flags.samples.input.path, flags.samples.names.features, flags.samples.names.samples},
      {flags.output, flags.save_r});
  const io::AnyModel any = read_model(flags.model);
  return std::visit(
      [&](const auto& model) {
        const bool robust = has_outliers(model.fit.solver);
        if (!flags.save_r.empty() && !robust)
          throw UsageError("--save-r needs a model with outliers, and " + printable(model.algorithm) +
                           " has none");
        return run_in(flags, model);
      },
      any);
}

}  // namespace

Run add_transform(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("transform", "H for new samples under a model");
  const auto flags = std::make_shared<TransformFlags>();
  app.description(
      "H for new samples under a model.\n\n"
      "W, loss, penalties and preprocessing are the model's. Features are matched by name where both sides "
      "have names,\n"
      "otherwise by their number.\n\n"
      "Examples:\n"
      "  svrmu transform counts.svrmu.h5 new.mtx -o H.npy\n"
      "  svrmu transform news.svrmu.h5 today.csv --samples rows -o - | head\n");
  app.add_option("MODEL", flags->model, "model file of svrmu fit")->required();
  app.add_option("INPUT", flags->samples.input.path, "new samples; - reads a stream")->required();
  app.add_option("-o,--output", flags->output,
                 "H, K x samples: .npy, .csv, .tsv or .mtx; - writes comma-separated text")
      ->type_name("FILE")
      ->required();
  app.add_option("--save-r", flags->save_r, "outliers R of a robust model, likewise")->type_name("FILE");
  add_missing_flag(app, flags->samples);
  add_samples_flag(app, flags->samples.input.samples);
  add_trusted_flag(app, flags->samples.input.trusted);
  add_reading_flags(app, flags->samples.input, "Input");
  add_feature_names_flag(app, flags->samples.names, "Input");
  add_sample_names_flag(app, flags->samples.names, "Input");
  add_threads_flag(app, flags->samples.input.threads);
  add_force_flag(app, flags->force);
  add_json_flag(app, flags->json);
  return [flags] { return run(*flags); };
}

}  // namespace svrmu::cli
