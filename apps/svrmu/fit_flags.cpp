#include "fit_flags.hpp"

#include <filesystem>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "fit/check.hpp"
#include "list_flags.hpp"
#include "stream_learning.hpp"
#include "text_values.hpp"

namespace svrmu::cli {

void add_fit_flags(CLI::App& app, FitFlags& flags) {
  flags.app = &app;
  app.description(
      "Factorize a nonnegative matrix, V ~ WH, and save the model.\n\n"
      "Examples:\n"
      "  svrmu fit counts.mtx -k 20\n"
      "  svrmu fit news.mtx -k 30 --preprocess tfidf --samples rows -o news.svrmu.h5\n"
      "  svrmu fit news.npz -k 30 --samples rows --feature-names vocab.txt\n"
      "  svrmu fit faces.npy -k 49 --algorithm svrmu-acc --batch-size 100 --save-w W.npy --save-h H.npy\n"
      "  svrmu fit faces.npy -k 49 --report faces.html --image 19x19\n"
      "  svrmu fit cells.h5ad:layers/counts -k 25 --loss kl --time-limit 10m\n"
      "  svrmu fit counts.mtx --resume counts.svrmu.h5 --epochs 1000\n"
      "  sensor | svrmu fit --stream - -k 20 -o sensor.svrmu.h5\n");
  app.add_option("INPUT", flags.input.path,
                 "matrix to factorize ('svrmu info' tells what is in it); - reads a stream");
  add_flag_of(app, flags.fit, "rank", "-k");
  add_flag_of(app, flags.fit, "force_rank");

  const char* output = "Output";
  app.add_option("-o,--output", flags.output, "model file [<name of INPUT>.svrmu.h5]")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--save-w", flags.save_w, "W, features x K: .npy, .csv, .tsv or .mtx")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--save-h", flags.save_h, "H, K x samples, likewise; of a stream .npy")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--save-r", flags.save_r, "outliers R, features x samples, likewise")
      ->type_name("FILE")
      ->group(output);
  app.add_option("--trace", flags.trace, "the history of the run as JSON")->type_name("FILE")->group(output);
  app.add_option("--report", flags.report.html,
                 "a page to look at it: one HTML file ('svrmu report' makes it later)")
      ->type_name("FILE")
      ->group(output);
  add_figures_flag(app, flags.report, output);
  add_force_flag(app, flags.force)->group(output);
  add_json_flag(app, flags.json)->group(output);
  app.add_flag("--dry-run", flags.dry_run, "read and check everything, tell what would be done, and stop")
      ->group(output);

  const char* data = "Data";
  app.add_option(
         "--stream", flags.stream,
         "in the place of INPUT: samples as they come, each seen once; a file, a pipe, or - (standard input)")
      ->type_name("FILE")
      ->group(data);
  add_samples_flag(app, flags.input.samples)->group(data);
  add_reading_flags(app, flags.input, data);
  add_feature_names_flag(app, flags.names, data);
  add_sample_names_flag(app, flags.names, data);
  add_precision_flag(app, flags.input.precision)->group(data);
  add_trusted_flag(app, flags.input.trusted)->group(data);
  add_preprocess_flag(app, flags.preprocess)->group(data);

  add_image_flag(app, flags.report, data);

  const char* problem = "Problem";
  app.add_option("--algorithm", flags.algorithm, "auto, or a name that 'svrmu algorithms' lists")
      ->type_name("NAME")
      ->group(problem);
  app.add_option("--preset", flags.preset,
                 "paper: svrmu, svrmu-acc, r-svrmu or r-svrmu-acc as printed; other flags win")
      ->type_name("NAME")
      ->group(problem);
  add_flag_of(app, flags.fit, "loss")->group(problem);
  add_flags_of(app, flags.fit.penalties, problem);
  add_flag_of(app, flags.fit, "normalize")->group(problem);

  const char* start = "Start";
  for (const char* option : {"seed", "restarts", "start"}) add_flag_of(app, flags.fit, option)->group(start);
  app.add_option("--init-w", flags.init_w, "W to start from, features x K")->type_name("FILE")->group(start);
  app.add_option("--init-h", flags.init_h, "H to start from, K x samples")->type_name("FILE")->group(start);
  app.add_option("--init-r", flags.init_r, "R to start from, features x samples")
      ->type_name("FILE")
      ->group(start);
  app.add_option("--resume", flags.resume, "go on where this model stopped; limits count from its very start")
      ->type_name("MODEL")
      ->group(start);

  add_learning_flags(app, flags.learning, "Streams");

  const char* end = "End";
  add_flags_of(app, flags.fit.stopping, end);
  add_flag_of(app, flags.fit, "evaluate_every")->group(end);
  add_threads_flag(app, flags.input.threads)->group("Machine");
}

namespace {

// "../" from within the folder that is read, or deeper: a model must not be among the files of its data.
std::filesystem::path way_out_of(const std::string& input) {
  std::error_code error;
  if (!std::filesystem::is_directory(input, error)) return {};
  const auto folder = std::filesystem::canonical(input, error);
  const auto here = std::filesystem::current_path(error);
  const std::filesystem::path below = here.lexically_relative(folder);
  const bool inside = !below.empty() && *below.begin() != "..";
  return !error && inside && folder.has_filename() ? folder.parent_path().lexically_relative(here)
                                                   : std::filesystem::path();
}

}  // namespace

std::string FitFlags::output_path() const {
  if (!output.empty()) return output;
  if (!resume.empty()) return resume;
  std::string stem = "stdin";
  const std::string& from = stream.empty() ? input.path : stream;
  if (from != standard_stream) {
    // "cells.h5ad:layers/counts" -> "cells", "counts.mtx.gz" -> "counts", "folder/" -> "folder"
    std::error_code ignored;
    const std::string path = file_of_input(from);
    std::filesystem::path name = std::filesystem::path(path).filename();
    if (name.empty() || name == "." || name == "..")
      name = std::filesystem::weakly_canonical(path, ignored).filename();
    if (name.empty()) name = std::filesystem::weakly_canonical(path, ignored).parent_path().filename();
    if (name.extension() == ".gz") name = name.stem();
    stem = name.stem().string();
  }
  return (way_out_of(input.path) / (stem + ".svrmu.h5")).string();
}

bool FitFlags::leaves_folder() const {
  return output.empty() && resume.empty() && !way_out_of(input.path).empty();
}

std::vector<std::string> FitFlags::outputs() const {
  return {output_path(), save_w, save_h, save_r, trace, report.html, report.figures};
}

namespace {

// A run that goes on does so with what it began with.
void check_resume_flags(const FitFlags& flags, const SolverFlags& solver) {
  for (const char* flag : {"--rank", "--force-rank", "--algorithm", "--preset", "--loss", "--l1-w", "--l2-w",
                           "--l1-h", "--l2-h", "--seed", "--restarts", "--init", "--init-w", "--init-h",
                           "--init-r", "--precision", "--preprocess", "--normalize", "--evaluate-every"})
    if (flags.given(flag))
      throw UsageError(std::string(flag) + " does not go with --resume: the model in " +
                       printable(flags.resume) + " has it already");
  if (const std::string flag = solver.first_given(); !flag.empty())
    throw UsageError(flag + " does not go with --resume: the model in " + printable(flags.resume) +
                     " has it already");
}

}  // namespace

void check_fit_flags(const FitFlags& flags, const SolverFlags& solver) {
  for (const char* flag : {"--forget-factor", "--window"})
    if (flags.given(flag)) throw UsageError(std::string(flag) + " is for --stream");
  if (!flags.resume.empty()) return check_resume_flags(flags, solver);
  if (flags.input.path.empty())
    throw UsageError("fit needs INPUT, the matrix to factorize; see svrmu fit --help");
  if (!flags.given("--rank")) throw UsageError("fit needs -k K, the number of components");
}

void check_rank_flag(Index rank, bool force, const std::string& path, Index features, Index samples) {
  if (force) return;
  try {
    check_rank(rank, features, samples);
  } catch (const InvalidInput& error) {
    throw UsageError(spoken_input(path) + ": " + in_flags(error.what()));
  }
}

void check_fit_targets(const FitFlags& flags) {
  if (flags.output_path() == standard_stream)
    throw UsageError("a model cannot be written to standard output; name a file");
  check_target(flags.output_path(), flags.force || flags.same_run());
  for (const std::string* path : {&flags.save_w, &flags.save_h, &flags.save_r})
    if (!path->empty()) check_matrix_target(*path, flags.force);
  if (!flags.trace.empty()) check_target(flags.trace, flags.force);
  check_report_targets(flags.report, flags.force);
  if (!flags.report.image.empty()) {
    report::parse_image_shape(flags.report.image);
    if (!flags.report.any())
      throw UsageError("--image is for pictures in a report: give --report or --figures");
  }

  int streams = flags.json ? 1 : 0;
  for (const std::string* path :
       {&flags.save_w, &flags.save_h, &flags.save_r, &flags.trace, &flags.report.html})
    if (*path == standard_stream) ++streams;
  if (streams > 1) throw UsageError("only one output can go to standard output");
  std::vector<std::string> outputs = flags.outputs();
  check_distinct(
      {flags.input.path, flags.init_w, flags.init_h, flags.init_r, flags.names.features, flags.names.samples},
      outputs);
  outputs.erase(outputs.begin());  // the model may replace the one that it goes on from
  check_distinct({flags.resume}, outputs);
}

}  // namespace svrmu::cli
