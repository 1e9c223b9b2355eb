// svrmu fit: from a matrix in a file to a model.
#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "fit_flags.hpp"
#include "fit_outcome.hpp"
#include "fit_stream.hpp"
#include "interrupt.hpp"
#include "list_flags.hpp"
#include "model_input.hpp"
#include "progress.hpp"
#include "rescue.hpp"
#include "start_file.hpp"
#include "text_values.hpp"

namespace svrmu::cli {
namespace {

class Fit {
 public:
  Fit(CLI::App& program, std::string command)
      : command_(std::move(command)),
        app_(*program.add_subcommand("fit", "Factorize a matrix: V ~ WH")),
        solver_flags_((add_fit_flags(app_, flags_), app_)) {}

  int run();

 private:
  template <class Scalar>
  int run_in(io::MatrixFile& file, const io::Model<Scalar>* previous);
  template <class Scalar>
  FitOptions<Scalar> fit_options(const io::MatrixFile& file) const;
  SolverOptions named_solver() const;
  template <class Scalar>
  SolverOptions solver_for(const MatrixSource<Scalar>& V, const FitOptions<Scalar>& options) const;

  std::string command_;
  CLI::App& app_;
  FitFlags flags_;
  SolverFlags solver_flags_;
};

template <class Scalar>
FitOptions<Scalar> Fit::fit_options(const io::MatrixFile& file) const {
  const FitOptions<double>& said = flags_.fit;
  FitOptions<Scalar> options;
  options.rank = said.rank;
  options.force_rank = said.force_rank;
  options.loss = said.loss;
  options.penalties = said.penalties;
  options.stopping = said.stopping;
  options.seed = said.seed;
  options.start = said.start;
  options.restarts = said.restarts;
  options.normalize = said.normalize;
  options.evaluate_every = said.evaluate_every;
  options.threads = flags_.input.threads;
  if (!flags_.init_w.empty())
    options.given.W = read_start<Scalar>(flags_.init_w, file.features(), said.rank, flags_.input);
  if (!flags_.init_h.empty())
    options.given.H = read_start<Scalar>(flags_.init_h, said.rank, file.sample_count(), flags_.input);
  if (!flags_.init_r.empty()) {
    Matrix<Scalar> R = read_start<Scalar>(flags_.init_r, file.features(), file.sample_count(), flags_.input);
    if (file.is_sparse())
      options.given.R_sparse = R.sparseView();
    else
      options.given.R = std::move(R);
  }
  return options;
}

// The algorithm with what was asked of it. An option that it does not have is refused by its flag.
SolverOptions Fit::named_solver() const {
  SolverOptions solver = solver_named(flags_.algorithm);
  solver_flags_.apply(solver, flags_.algorithm);
  if (!flags_.given("--preset")) return solver;
  try {
    return solver_by_preset(flags_.algorithm, flags_.preset, solver_flags_.given());
  } catch (const InvalidInput& error) {
    throw UsageError("--preset " + printable(flags_.preset) + ": " + in_flags(error.what()));
  }
}

template <class Scalar>
SolverOptions Fit::solver_for(const MatrixSource<Scalar>& V, const FitOptions<Scalar>& options) const {
  if (flags_.algorithm != Auto::name) return named_solver();
  SolverOptions solver =
      Auto{.robust = solver_flags_.about_outliers() || !flags_.init_r.empty() || !flags_.save_r.empty()};
  Choice choice = choose(V, solver, options);
  solver_flags_.apply(choice.solver, choice.name + " (chosen by --algorithm auto)");
  solver_flags_.apply(solver, flags_.algorithm);
  return solver;
}

// A run that goes on has the names that it began with, unless others are given.
template <class Scalar>
void keep_names(io::MatrixFile& file, const io::Model<Scalar>& model) {
  if (file.feature_names().empty() && std::ssize(model.feature_names) == file.features())
    set_feature_names(file, model.feature_names);
  if (file.sample_names().empty() && std::ssize(model.sample_names) == file.sample_count())
    set_sample_names(file, model.sample_names);
}

template <class Scalar>
int Fit::run_in(io::MatrixFile& file, const io::Model<Scalar>* previous) {
  const auto begin = std::chrono::steady_clock::now();
  if (previous == nullptr)
    check_rank_flag(flags_.fit.rank, flags_.fit.force_rank, file.path, file.features(), file.sample_count());
  io::Preprocessing preprocessing;
  if (previous != nullptr) {
    preprocessing = previous->preprocessing;
    reading(file.path, [&] { return preprocess(file, preprocessing), 0; });
  } else if (!flags_.preprocess.empty()) {
    const std::vector<io::PreprocessStep> steps = io::parse_steps(flags_.preprocess);
    preprocessing = reading(file.path, [&] { return preprocess(file, steps); });
  }
  const auto V = io::open_source<Scalar>(file);
  const io::DataDescription data = io::describe_data(file);
  FitOptions<Scalar> options = fit_options<Scalar>(file);
  SolverOptions solver;
  Choice choice;
  if (previous != nullptr) {
    choice = {previous->algorithm, previous->fit.solver, ""};
    if (!describes(previous->data, file))
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
    for (const OptionInfo& said : options_of(now))
      if (flags_.given("--" + said.flag)) set_option(options.stopping, said.name, said.value);
    if (!can_go_on(previous->fit, options.stopping))
      throw UsageError("the run in " + printable(flags_.resume) + " has used its limits (" +
                       report::stop_text(previous->fit, previous->stopping) +
                       "); raise --epochs, --time-limit or --grad-budget");
  } else {
    solver = solver_for(*V, options);
    choice = choose(*V, solver, options);
    if (flags_.algorithm != Auto::name) choice.name = flags_.algorithm;
  }
  if (!flags_.save_r.empty() && !has_outliers(choice.solver))
    throw UsageError("--save-r needs an algorithm with outliers, and " + choice.name +
                     " has none; r-svrmu, r-onmf and r-nmf have");

  const auto image = image_shape(flags_.report, &file, file.features());

  std::optional<LateInterrupts> saving;
  FitResult<Scalar> result;
  try {
    if (flags_.dry_run) {
      tell_plan(flags_, file, *V, solver, choice, options);
      return done;
    }
    if (!choice.reason.empty()) say("algorithm " + bold(choice.name) + ": " + choice.reason);
    std::stop_source stop;
    options.stop = stop.get_token();
    Progress progress(options.stopping, options.loss);
    options.observer = [&](const EpochRecord& record) {
      progress.show(record);
      return Flow::keep_going;
    };
    {
      const GentleInterrupts gently([&] { stop.request_stop(); });
      result = previous != nullptr ? resume(*V, previous->fit, options) : fit(*V, solver, options);
      saving.emplace();
    }
    progress.clear();
  } catch (const InvalidData& error) {
    throw in_file(file, error);
  } catch (const InvalidInput& error) {
    throw UsageError(in_flags(error.what()));
  }
  const io::Model<Scalar> model =
      io::make_model(std::move(result), options, file, std::move(preprocessing),
                     {.algorithm = choice.name, .command = command_, .data = data});
  write_or_rescue(flags_.output_path(), flags_.force || flags_.same_run(),
                  [&](const std::string& path, bool overwrite) {
                    io::write_model(path, model, {.overwrite = overwrite});
                  });
  try {
    write_outputs(flags_, model, Outputs::files);
    saving.reset();
    if (flags_.report.any())
      write_report(flags_.report, report::model_page<Scalar>(model, {.image = image, .V = V.get()}),
                   flags_.force);
    write_outputs(flags_, model, Outputs::stream);
  } catch (...) {
    say("the model itself is saved: " + printable(flags_.output_path()));
    throw;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  tell_result(flags_, model, choice.reason, seconds.count());
  if (model.fit.reason == StopReason::cancelled) return interrupted;
  return code_of_end(model.fit.reason, flags_.output_path());
}

int Fit::run() {
  if (!flags_.stream.empty()) return fit_stream(flags_, solver_flags_, command_);
  check_fit_flags(flags_, solver_flags_);
  if (flags_.given("--preprocess")) io::parse_steps(flags_.preprocess);
  // Refusals before anything is read.
  if (flags_.resume.empty() && (flags_.algorithm != Auto::name || flags_.given("--preset"))) named_solver();
  check_fit_targets(flags_);
  std::optional<io::AnyModel> previous;
  InputFlags input = flags_.input;
  if (!flags_.resume.empty()) {
    previous = read_model(flags_.resume);
    std::visit(
        [&]<class Scalar>(const io::Model<Scalar>& model) {
          if (model.fit.H.cols() == 0)
            throw UsageError("--resume " + printable(flags_.resume) +
                             ": learned from a stream, which is not there any more; svrmu update goes on");
          if (input.path.empty()) input.path = model.data.path;
          if (input.samples == "auto")
            input.samples = model.data.samples_in == io::SamplesIn::rows ? "rows" : "columns";
          input.precision = precision_name<Scalar>;
        },
        *previous);
    check_distinct({input.path}, flags_.outputs());
  }
  io::MatrixFile file = read_input(input);
  introduce(file);
  note_orientation(file, input);
  if (flags_.leaves_folder())
    note("the model goes beside this folder, not among its files: " + printable(flags_.output_path()));
  take_names(file, flags_.names);
  if (previous) std::visit([&](const auto& model) { keep_names(file, model); }, *previous);
  note_names_nearby(file, input);
  if (previous) return std::visit([&](const auto& model) { return run_in(file, &model); }, *previous);
  return file.is_double() ? run_in<double>(file, nullptr) : run_in<float>(file, nullptr);
}

}  // namespace

Run add_fit(CLI::App& program, const std::string& command) {
  const auto fit = std::make_shared<Fit>(program, command);
  return [fit] { return fit->run(); };
}

}  // namespace svrmu::cli
