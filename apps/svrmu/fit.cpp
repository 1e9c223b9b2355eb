// svrmu fit: from a matrix in a file to a model.
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stop_token>

#include "commands.hpp"
#include "console.hpp"
#include "data/text.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "solver_flags.hpp"
#include "svrmu/model.hpp"
#include "svrmu/svrmu.hpp"
#include "text_values.hpp"
#include "version.hpp"

namespace svrmu::cli {
namespace {

struct FitFlags {
  InputFlags input;
  Index rank = 0;
  std::string output;
  std::string save_w, save_h, save_r, trace;
  ReportFlags report;
  bool force = false, json = false, dry_run = false;
  std::string algorithm = "auto";
  std::string loss = "frobenius";
  Penalties penalties;
  Stopping stopping;
  std::string time_limit;
  std::uint64_t seed = 0;
  int restarts = 1;
  bool normalize = false;
  std::string init = "automatic";
  std::string init_w, init_h, init_r;
  std::string resume;
  std::string preprocess;
  Index evaluate_every = 1;
};

enum class Outputs { files, stream };

class Fit {
 public:
  Fit(CLI::App& program, std::string command)
      : command_(std::move(command)),
        app_(*program.add_subcommand("fit", "Factorize a matrix: V ~ WH")),
        solver_flags_((add_flags(), app_)) {}

  int run();

 private:
  void add_flags();
  void check_flags() const;
  void check_resume_flags() const;
  void check_targets() const;
  bool given(const char* flag) const { return app_.get_option(flag)->count() > 0; }
  Stopping stopping_now() const;
  std::string output_path() const;
  bool same_run() const { return !flags_.resume.empty() && flags_.output.empty(); }  // its model is replaced

  template <class Scalar>
  int run_in(MatrixFile& file, const Model<Scalar>* previous);
  template <class Scalar>
  FitOptions<Scalar> fit_options(const MatrixFile& file) const;
  Choice choose(const MatrixFile& file) const;
  template <class Scalar>
  void tell_plan(const MatrixFile& file, const MatrixSource<Scalar>& V, const Choice& choice,
                 const FitOptions<Scalar>& options) const;
  template <class Scalar>
  void write_outputs(const Model<Scalar>& model, Outputs which) const;
  template <class Scalar>
  void tell_result(const Model<Scalar>& model, const std::string& chosen, double seconds) const;

  std::string command_;
  CLI::App& app_;
  FitFlags flags_;
  SolverFlags solver_flags_;
};

void Fit::add_flags() {
  app_.description(
      "Factorize a nonnegative matrix, V ~ WH, and save the model.\n\n"
      "Examples:\n"
      "  svrmu fit counts.mtx -k 20\n"
      "  svrmu fit news.mtx -k 30 --preprocess tfidf --samples rows -o news.svrmu.h5\n"
      "  svrmu fit faces.npy -k 49 --algorithm svrmu-acc --batch-size 100 --save-w W.npy --save-h H.npy\n"
      "  svrmu fit faces.npy -k 49 --report faces.html --image 19x19\n"
      "  svrmu fit cells.h5ad:layers/counts -k 25 --loss kl --time-limit 10m\n"
      "  svrmu fit counts.mtx --resume counts.svrmu.h5 --epochs 1000\n");
  FitFlags& f = flags_;
  app_.add_option("INPUT", f.input.path,
                  "matrix to factorize ('svrmu info' tells what is in it); - reads a stream");
  app_.add_option("-k,--rank", f.rank, "number of components K")->type_name("K");

  const char* output = "Output";
  app_.add_option("-o,--output", f.output, "model file [<name of INPUT>.svrmu.h5]")
      ->type_name("FILE")
      ->group(output);
  app_.add_option("--save-w", f.save_w, "W, features x K: .npy, .csv, .tsv or .mtx")
      ->type_name("FILE")
      ->group(output);
  app_.add_option("--save-h", f.save_h, "H, K x samples, likewise")->type_name("FILE")->group(output);
  app_.add_option("--save-r", f.save_r, "outliers R, features x samples, likewise")
      ->type_name("FILE")
      ->group(output);
  app_.add_option("--trace", f.trace, "the history of the run as JSON")->type_name("FILE")->group(output);
  app_.add_option("--report", f.report.html,
                  "a page to look at it: one HTML file ('svrmu report' makes it later)")
      ->type_name("FILE")
      ->group(output);
  add_figures_flag(app_, f.report, output);
  add_force_flag(app_, f.force)->group(output);
  add_json_flag(app_, f.json)->group(output);
  app_.add_flag("--dry-run", f.dry_run, "read and check everything, tell what would be done, and stop")
      ->group(output);

  const char* data = "Data";
  add_samples_flag(app_, f.input.samples)->group(data);
  add_precision_flag(app_, f.input.precision)->group(data);
  app_.add_option("--preprocess", f.preprocess,
                  "steps from left to right: tfidf, log1p, sqrt, l1, l2, cp10k, max1, feature-max")
      ->type_name("STEP,...")
      ->group(data);

  add_image_flag(app_, f.report, data);

  const char* problem = "Problem";
  app_.add_option("--algorithm", f.algorithm, "auto, or a name that 'svrmu algorithms' lists")
      ->type_name("NAME")
      ->group(problem);
  app_.add_option("--loss", f.loss, "frobenius, kl, is or beta:X")->type_name("LOSS")->group(problem);
  app_.add_option("--l1-w", f.penalties.l1_w, "adds l1_w |W| to the objective")
      ->type_name("NUMBER")
      ->group(problem);
  app_.add_option("--l2-w", f.penalties.l2_w, "adds l2_w/2 ||W||^2")->type_name("NUMBER")->group(problem);
  app_.add_option("--l1-h", f.penalties.l1_h, "adds l1_h |H|")->type_name("NUMBER")->group(problem);
  app_.add_option("--l2-h", f.penalties.l2_h, "adds l2_h/2 ||H||^2")->type_name("NUMBER")->group(problem);
  app_.add_flag("--normalize", f.normalize, "columns of W to norm 1, heaviest component first")
      ->group(problem);

  const char* start = "Start";
  app_.add_option("--seed", f.seed, "same seed, same bits, for any number of threads")
      ->type_name("INTEGER")
      ->group(start);
  app_.add_option("--restarts", f.restarts, "runs from seed, seed + 1, ...; the best is kept")
      ->type_name("INTEGER")
      ->group(start);
  app_.add_option("--init", f.init, "random, svd-abs, nndsvd, nndsvda, nndsvdar or frobenius")
      ->type_name("NAME")
      ->group(start);
  app_.add_option("--init-w", f.init_w, "W to start from, features x K")->type_name("FILE")->group(start);
  app_.add_option("--init-h", f.init_h, "H to start from, K x samples")->type_name("FILE")->group(start);
  app_.add_option("--init-r", f.init_r, "R to start from, features x samples")
      ->type_name("FILE")
      ->group(start);
  app_.add_option("--resume", f.resume, "go on where this model stopped; limits count from its very start")
      ->type_name("MODEL")
      ->group(start);

  const char* end = "End";
  app_.add_option("--epochs", f.stopping.max_epochs, "most epochs [200]")->type_name("INTEGER")->group(end);
  app_.add_option("--tol", f.stopping.relative_change,
                  "stop when the objective falls by less than this share; 0: never [1e-4]")
      ->type_name("NUMBER")
      ->group(end);
  app_.add_option("--kkt-tol", f.stopping.kkt,
                  "stop when the projected gradient falls to this share of its start; 0: never [0]")
      ->type_name("NUMBER")
      ->group(end);
  app_.add_option("--time-limit", f.time_limit, "most time in the solver: 90s, 10m, 1h30m")
      ->type_name("TIME")
      ->group(end);
  app_.add_option("--grad-budget", f.stopping.gradient_budget,
                  "most entries of V that enter gradients of W; 0: no limit [0]")
      ->type_name("NUMBER")
      ->group(end);
  app_.add_option("--evaluate-every", f.evaluate_every, "epochs between evaluations of the objective [1]")
      ->type_name("INTEGER")
      ->group(end);
  add_threads_flag(app_, f.input.threads)->group("Machine");
}

void Fit::check_flags() const {
  if (!flags_.resume.empty()) return check_resume_flags();
  if (flags_.input.path.empty())
    throw UsageError("fit needs INPUT, the matrix to factorize; see svrmu fit --help");
  if (!given("--rank")) throw UsageError("fit needs -k K, the number of components");
}

// A run that goes on does so with what it began with.
void Fit::check_resume_flags() const {
  for (const char* flag : {"--rank", "--algorithm", "--loss", "--l1-w", "--l2-w", "--l1-h", "--l2-h",
                           "--seed", "--restarts", "--init", "--init-w", "--init-h", "--init-r",
                           "--precision", "--preprocess", "--samples", "--normalize", "--evaluate-every"})
    if (given(flag))
      throw UsageError(std::string(flag) + " does not go with --resume: the model in " +
                       printable(flags_.resume) + " has it already");
  if (const std::string flag = solver_flags_.first_given(); !flag.empty())
    throw UsageError(flag + " does not go with --resume: the model in " + printable(flags_.resume) +
                     " has it already");
}

Stopping Fit::stopping_now() const {
  Stopping stopping = flags_.stopping;
  if (given("--time-limit")) stopping.time_limit_seconds = parse_duration(flags_.time_limit);
  return stopping;
}

std::string Fit::output_path() const {
  if (!flags_.output.empty()) return flags_.output;
  if (!flags_.resume.empty()) return flags_.resume;
  std::string stem = "stdin";
  if (flags_.input.path != standard_stream) {
    // "cells.h5ad:layers/counts" -> "cells", "counts.mtx.gz" -> "counts", "folder/" -> "folder"
    std::error_code ignored;
    std::string path = flags_.input.path;
    if (const std::size_t colon = path.rfind(':');
        colon != std::string::npos && !std::filesystem::exists(path, ignored))
      path.resize(colon);
    std::filesystem::path name = std::filesystem::path(path).filename();
    if (name.empty() || name == "." || name == "..")
      name = std::filesystem::weakly_canonical(path, ignored).filename();
    if (name.empty()) name = std::filesystem::weakly_canonical(path, ignored).parent_path().filename();
    if (name.extension() == ".gz") name = name.stem();
    stem = name.stem().string();
  }
  return stem + ".svrmu.h5";
}

void Fit::check_targets() const {
  if (output_path() == standard_stream)
    throw UsageError("a model cannot be written to standard output; name a file");
  check_target(output_path(), flags_.force || same_run());
  for (const std::string* path : {&flags_.save_w, &flags_.save_h, &flags_.save_r})
    if (!path->empty()) check_matrix_target(*path, flags_.force);
  if (!flags_.trace.empty()) check_target(flags_.trace, flags_.force);
  check_report_targets(flags_.report, flags_.force);
  if (!flags_.report.image.empty()) {
    report::parse_image_shape(flags_.report.image);
    if (!flags_.report.any())
      throw UsageError("--image is for pictures in a report: give --report or --figures");
  }

  int streams = flags_.json ? 1 : 0;
  for (const std::string* path :
       {&flags_.save_w, &flags_.save_h, &flags_.save_r, &flags_.trace, &flags_.report.html})
    if (*path == standard_stream) ++streams;
  if (streams > 1) throw UsageError("only one output can go to standard output");
  check_distinct({flags_.input.path, output_path(), flags_.save_w, flags_.save_h, flags_.save_r, flags_.trace,
                  flags_.report.html, flags_.report.figures, flags_.init_w, flags_.init_h, flags_.init_r});
}

// A factor to start from, which must be rows x columns.
template <class Scalar>
Matrix<Scalar> read_start(const std::string& path, Index rows, Index columns, int threads) {
  const Precision precision = sizeof(Scalar) == 4 ? Precision::float32 : Precision::float64;
  const auto file = reading(path, [&] {
    return read_matrix(path, {SamplesIn::columns, precision, threads});
  });
  const auto sizes = [](Index r, Index c) { return std::to_string(r) + " x " + std::to_string(c); };
  if (file.rows != rows || file.columns != columns)
    throw InvalidData(printable(path) + ": is " + sizes(file.rows, file.columns) +
                      ", but a start here must be " + sizes(rows, columns));
  Matrix<Scalar> start = dense_values<Scalar>(file);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      if (!(start(i, j) >= 0) || !std::isfinite(start(i, j)))
        throw InvalidData(printable(path) + ", row " + std::to_string(i + 1) + ", column " +
                          std::to_string(j + 1) + ": holds " +
                          short_number(static_cast<double>(start(i, j))) +
                          "; a start must be finite and not negative");
  return start;
}

template <class Scalar>
FitOptions<Scalar> Fit::fit_options(const MatrixFile& file) const {
  FitOptions<Scalar> options;
  options.rank = flags_.rank;
  options.loss = parse_loss(flags_.loss);
  options.penalties = flags_.penalties;
  options.stopping = stopping_now();
  options.seed = flags_.seed;
  options.start = parse_choice<Start>("--init", flags_.init);
  options.restarts = flags_.restarts;
  options.normalize = flags_.normalize;
  options.evaluate_every = flags_.evaluate_every;
  options.threads = flags_.input.threads;
  if (!flags_.init_w.empty())
    options.given.W = read_start<Scalar>(flags_.init_w, file.features(), flags_.rank, options.threads);
  if (!flags_.init_h.empty())
    options.given.H = read_start<Scalar>(flags_.init_h, flags_.rank, file.sample_count(), options.threads);
  if (!flags_.init_r.empty()) {
    Matrix<Scalar> R =
        read_start<Scalar>(flags_.init_r, file.features(), file.sample_count(), options.threads);
    if (file.is_sparse())
      options.given.R_sparse = R.sparseView();
    else
      options.given.R = std::move(R);
  }
  return options;
}

Choice Fit::choose(const MatrixFile& file) const {
  Choice choice;
  if (flags_.algorithm == "auto") {
    choice = choose_solver(
        {.features = file.features(),
         .samples = file.sample_count(),
         .rank = flags_.rank,
         .stored = static_cast<double>(file.stored()),
         .sparse = file.is_sparse(),
         .loss = parse_loss(flags_.loss),
         .penalties = flags_.penalties,
         .robust = solver_flags_.about_outliers() || !flags_.init_r.empty() || !flags_.save_r.empty()});
  } else {
    choice = {flags_.algorithm, solver_named(flags_.algorithm), ""};
  }
  solver_flags_.apply(choice.solver,
                      choice.name + (choice.reason.empty() ? "" : " (chosen by --algorithm auto)"));
  return choice;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// So that --resume finds it from another folder; a member stays part of it.
std::string absolute_input(const std::string& path) {
  if (path == standard_stream) return path;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

// Within this folder the short name says enough.
std::string spoken_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::string relative = std::filesystem::path(path).lexically_relative(here).string();
  return error || relative.empty() || relative.starts_with("..") ? path : relative;
}

// The place in the file, for a V that may be its transpose.
InvalidData in_file(const MatrixFile& file, const InvalidData& error) {
  std::string message = spoken_input(file.path) + ": " + error.what();
  if (file.samples == SamplesIn::rows) message += " (rows of V are features: the file's columns)";
  return InvalidData(message);
}

template <class Scalar>
void Fit::tell_plan(const MatrixFile& file, const MatrixSource<Scalar>& V, const Choice& choice,
                    const FitOptions<Scalar>& options) const {
  const FitPlan plan = plan_fit(V, choice.solver, options);
  const double entries = static_cast<double>(plan.data.features) * static_cast<double>(plan.data.samples);
  const double v_bytes = file.is_sparse() ? plan.data.stored * double(sizeof(Scalar) + sizeof(Index))
                                          : entries * double(sizeof(Scalar));
  if (flags_.json) {
    Json json = {{"samples", plan.data.samples},
                 {"features", plan.data.features},
                 {"stored", plan.data.stored},
                 {"nonzeros", plan.data.nonzeros},
                 {"sparse", file.is_sparse()},
                 {"precision", precision_name<Scalar>},
                 {"transposed", needs_transposition(file)},
                 {"algorithm", choice.name},
                 {"chosen_because", choice.reason},
                 {"options", values_of(plan.solver)},
                 {"bytes_of_V", v_bytes},
                 {"bytes_beyond_V", plan.bytes},
                 {"output", output_path()},
                 {"warnings", plan.warnings}};
    return write_text("-", dump(json), false);
  }
  const auto line = [](const std::string& text) { std::cout << text << "\n"; };
  line("nonzeros     " + number_text(plan.data.nonzeros) + " of " + number_text(entries) + " (" +
       short_number(100 * plan.data.nonzeros / entries) + " %)");
  line("values       " + short_number(plan.data.least) + " to " + short_number(plan.data.most) + ", mean " +
       short_number(plan.data.mean));
  line("algorithm    " + choice.name + (choice.reason.empty() ? "" : ": " + choice.reason));
  for (const OptionInfo& option : options_of(plan.solver)) line("  " + option.name + " " + option.value);
  line("precision    " + std::string(precision_name<Scalar>));
  if (needs_transposition(file)) line("transposition  once: the file is compressed along the features");
  line("memory       " + byte_size(v_bytes) + " for V, " + byte_size(plan.bytes) + " beyond it");
  line("output       " + printable(output_path()));
  for (const std::string& warning : plan.warnings) line("note         " + warning);
}

template <class Scalar>
std::string trace_text(const Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  Json history = Json::array();
  for (const EpochReport& report : fit.history) history.push_back(json_of(report));
  return dump({{"algorithm", model.algorithm},
               {"stop_reason", to_string(fit.reason)},
               {"seed", fit.seed},
               {"rank", fit.rank},
               {"loss", to_string(fit.loss)},
               {"options", values_of(fit.solver)},
               {"returned", fit.returned},
               {"history", history}});
}

template <class Scalar>
void Fit::write_outputs(const Model<Scalar>& model, Outputs which) const {
  const FitResult<Scalar>& fit = model.fit;
  const auto due = [&](const std::string& path) {
    return !path.empty() && (path == standard_stream) == (which == Outputs::stream);
  };
  const std::vector<std::string> components = component_names(fit.rank);
  const std::vector<std::string> none;
  if (due(flags_.save_w))
    write_dense(flags_.save_w, dense_view(fit.W),
                {model.feature_names, model.feature_names.empty() ? none : components}, flags_.force);
  if (due(flags_.save_h))
    write_dense(flags_.save_h, dense_view(fit.H),
                {model.sample_names.empty() ? none : components, model.sample_names}, flags_.force);
  if (due(flags_.save_r)) {
    const MatrixNames names{model.feature_names, model.sample_names};
    if (fit.R.size() > 0)
      write_dense(flags_.save_r, dense_view(fit.R), names, flags_.force);
    else
      write_sparse(flags_.save_r, fit.R_sparse, names, flags_.force);
  }
  if (due(flags_.trace)) write_text(flags_.trace, trace_text(model), flags_.force);
}

template <class Scalar>
void Fit::tell_result(const Model<Scalar>& model, const std::string& chosen, double seconds) const {
  const FitResult<Scalar>& fit = model.fit;
  const EpochReport& at = fit.report();
  const EpochReport& last = fit.history.back();
  const double explained = 1 - at.relative_error * at.relative_error;
  if (flags_.json) {
    Json files = {{"model", output_path()}};
    const auto name = [&](const char* what, const std::string& path) {
      if (!path.empty()) files[what] = path;
    };
    name("w", flags_.save_w);
    name("h", flags_.save_h);
    name("r", flags_.save_r);
    name("trace", flags_.trace);
    name("report", flags_.report.html);
    name("figures", flags_.report.figures);
    const Json json = {{"input", model.data.path},
                       {"samples", model.data.samples},
                       {"features", model.data.features},
                       {"rank", fit.rank},
                       {"precision", precision_name<Scalar>},
                       {"algorithm", model.algorithm},
                       {"chosen_because", chosen},
                       {"options", values_of(fit.solver)},
                       {"loss", to_string(fit.loss)},
                       {"preprocessing", to_string(model.preprocessing)},
                       {"seed", fit.seed},
                       {"stop_reason", to_string(fit.reason)},
                       {"epochs", last.epoch},
                       {"objective", number_or_null(at.objective)},
                       {"cost", number_or_null(at.cost)},
                       {"relative_error", number_or_null(at.relative_error)},
                       {"explained", number_or_null(explained)},
                       {"gradient_count", last.gradient_count},
                       {"columns_read", last.columns_read},
                       {"solver_seconds", last.solver_seconds},
                       {"evaluate_seconds", last.evaluate_seconds},
                       {"seconds", seconds},
                       {"warnings", fit.warnings},
                       {"files", files}};
    write_text("-", dump(json), false);
  }
  say(bold(printable(model.algorithm)) + ", " + counted(static_cast<double>(last.epoch), "epoch", "epochs") +
      " in " + duration(last.solver_seconds) + ": " + report::stop_text(fit.reason, model.stopping));
  say("relative error " + bold(short_number(at.relative_error)) + ": WH" +
      (fit.R.size() > 0 || fit.R_sparse.size() > 0 ? " + R" : "") + " explains " +
      short_number(100 * explained) + " % of V's sum of squares; objective " +
      short_number(fit.history.front().objective) + " -> " + short_number(at.objective));
  if (fit.R_sparse.nonZeros() > 0)
    say("outliers " + std::to_string(fit.R_sparse.nonZeros()) + " of " +
        number_text(static_cast<double>(model.data.features) * static_cast<double>(model.data.samples)) +
        " entries");
  if (last.rollbacks > 0)
    say(counted(static_cast<double>(last.rollbacks), "epoch was", "epochs were") +
        " undone by the safeguard");
  for (const std::string& warning : fit.warnings) say("note: " + warning);
  say("model " + printable(output_path()));
  for (const auto& [what, path] : {std::pair{"W     ", &flags_.save_w}, std::pair{"H     ", &flags_.save_h},
                                   std::pair{"R     ", &flags_.save_r}, std::pair{"trace ", &flags_.trace}})
    if (!path->empty() && *path != standard_stream) say(what + printable(*path));
  tell_report(flags_.report);
  const std::string input =
      model.data.path == standard_stream ? "INPUT" : shell_word(spoken_path(model.data.path));
  const std::string again = "go on svrmu fit " + input + " --resume " + shell_word(output_path());
  const bool at_limit = last.epoch >= model.stopping.max_epochs;
  if (at_limit && fit.reason != StopReason::relative_change && fit.reason != StopReason::kkt)
    say(again + " --epochs " + std::to_string(2 * std::max<Index>(model.stopping.max_epochs, 1)));
  else if (fit.reason == StopReason::cancelled)
    say(again);
  else
    say("next  svrmu top " + shell_word(output_path()));
}

template <class Scalar>
int Fit::run_in(MatrixFile& file, const Model<Scalar>* previous) {
  const auto begin = std::chrono::steady_clock::now();
  Model<Scalar> model;
  if (previous != nullptr) {
    model.preprocessing = previous->preprocessing;
    reading(file.path, [&] { return preprocess(file, model.preprocessing), 0; });
  } else if (!flags_.preprocess.empty()) {
    const std::vector<Step> steps = parse_steps(flags_.preprocess);
    model.preprocessing = reading(file.path, [&] { return preprocess(file, steps); });
  }
  const auto V = open_source<Scalar>(file);
  model.data = {.path = absolute_input(file.path),
                .features = file.features(),
                .samples = file.sample_count(),
                .stored = file.stored(),
                .sparse = file.is_sparse(),
                .samples_in = file.samples,
                .checksum = checksum(file)};
  FitOptions<Scalar> options = fit_options<Scalar>(file);
  Choice choice;
  if (previous != nullptr) {
    choice = {previous->algorithm, previous->fit.solver, ""};
    if (previous->data.checksum != model.data.checksum)
      throw InvalidData(spoken_input(file.path) + ": is not the matrix that the model in " +
                        printable(flags_.resume) + " was made from (" + printable(previous->data.path) + ")");
    options.rank = previous->fit.rank;
    options.loss = previous->fit.loss;
    options.penalties = previous->fit.penalties;
    options.normalize = previous->normalize;
    options.evaluate_every = previous->evaluate_every;
    // What is not said anew stays as it was.
    const Stopping now = options.stopping;
    options.stopping = previous->stopping;
    if (given("--epochs")) options.stopping.max_epochs = now.max_epochs;
    if (given("--tol")) options.stopping.relative_change = now.relative_change;
    if (given("--kkt-tol")) options.stopping.kkt = now.kkt;
    if (given("--time-limit")) options.stopping.time_limit_seconds = now.time_limit_seconds;
    if (given("--grad-budget")) options.stopping.gradient_budget = now.gradient_budget;
    if (should_stop({.max_epochs = options.stopping.max_epochs,
                     .relative_change = 0,
                     .kkt = 0,
                     .time_limit_seconds = options.stopping.time_limit_seconds,
                     .gradient_budget = options.stopping.gradient_budget},
                    previous->fit.history))
      throw UsageError("the run in " + printable(flags_.resume) + " has used its limits (" +
                       report::stop_text(previous->fit.reason, previous->stopping) +
                       "); raise --epochs, --time-limit or --grad-budget");
  } else {
    choice = choose(file);
    if (options.start == Start::automatic && !options.given.W && !options.given.H)
      options.start = choice.start;
  }
  if (!flags_.save_r.empty() && !has_outliers(choice.solver))
    throw UsageError("--save-r needs an algorithm with outliers, and " + choice.name +
                     " has none; r-svrmu, r-onmf and r-nmf have");

  const auto image = image_shape(flags_.report, &file, file.features());

  std::optional<NoInterrupts> saving;
  try {
    if (flags_.dry_run) {
      tell_plan(file, *V, choice, options);
      return done;
    }
    if (!choice.reason.empty()) say("algorithm " + bold(choice.name) + ": " + choice.reason);
    std::stop_source stop;
    options.stop = stop.get_token();
    Progress progress(options.stopping);
    options.observer = [&](const EpochReport& report) {
      progress.show(report);
      return Flow::keep_going;
    };
    {
      const GentleInterrupts gently([&] { stop.request_stop(); });
      model.fit = previous != nullptr ? resume(*V, previous->fit, options) : fit(*V, choice.solver, options);
      saving.emplace();
    }
    progress.clear();
  } catch (const InvalidData& error) {
    throw in_file(file, error);
  }
  model.algorithm = choice.name;
  model.stopping = options.stopping;
  model.normalize = options.normalize;
  model.evaluate_every = options.evaluate_every;
  model.feature_names = file.feature_names();
  model.sample_names = file.sample_names();
  model.command = command_;
  model.created = now_text();
  model.version = SVRMU_VERSION;
  write_model(output_path(), model, {.overwrite = flags_.force || same_run()});
  try {
    write_outputs(model, Outputs::files);
    saving.reset();
    if (flags_.report.any())
      write_report(flags_.report, report::model_page<Scalar>(model, {.image = image, .V = V.get()}),
                   flags_.force);
    write_outputs(model, Outputs::stream);
  } catch (...) {
    say("the model itself is saved: " + printable(output_path()));
    throw;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  tell_result(model, choice.reason, seconds.count());
  if (model.fit.reason == StopReason::cancelled) return interrupted;
  return model.fit.reason == StopReason::numerical_failure ? numerical_failure : done;
}

int Fit::run() {
  check_flags();
  parse_loss(flags_.loss);
  stopping_now();
  parse_choice<Start>("--init", flags_.init);
  if (given("--preprocess")) parse_steps(flags_.preprocess);
  if (flags_.algorithm != "auto" && flags_.resume.empty()) {
    SolverOptions solver = solver_named(flags_.algorithm);
    solver_flags_.apply(solver, flags_.algorithm);
  }
  check_targets();
  std::optional<AnyModel> previous;
  InputFlags input = flags_.input;
  if (!flags_.resume.empty()) {
    previous = reading(flags_.resume, [&] { return read_model(flags_.resume); });
    std::visit(
        [&]<class Scalar>(const Model<Scalar>& model) {
          if (input.path.empty()) input.path = model.data.path;
          input.samples = model.data.samples_in == SamplesIn::rows ? "rows" : "columns";
          input.precision = precision_name<Scalar>;
        },
        *previous);
  }
  MatrixFile file = read_input(input);
  introduce(file);
  if (previous) return std::visit([&](const auto& model) { return run_in(file, &model); }, *previous);
  return file.is_double() ? run_in<double>(file, nullptr) : run_in<float>(file, nullptr);
}

}  // namespace

Run add_fit(CLI::App& program, const std::string& command) {
  const auto fit = std::make_shared<Fit>(program, command);
  return [fit] { return fit->run(); };
}

}  // namespace svrmu::cli
