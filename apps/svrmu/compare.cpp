// svrmu compare: algorithms against each other on one matrix.
#include <iostream>

#include "commands.hpp"
#include "comparison_output.hpp"
#include "comparison_progress.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "fit_flags.hpp"
#include "input_flags.hpp"
#include "list_flags.hpp"
#include "options/parse.hpp"
#include "report.hpp"
#include "solver_flags.hpp"
#include "svrmu/io/preprocess.hpp"
#include "svrmu/report/experiment_pages.hpp"
#include "text_values.hpp"

namespace svrmu::cli {
namespace {

double time_of(const std::string& flag, const std::string& text) {
  try {
    return parse_duration(text, flag);
  } catch (const InvalidInput& error) {
    throw UsageError(error.what());
  }
}

struct CompareFlags {
  InputFlags input;
  std::string algorithms = "paper";
  experiment::CompareOptions options;
  FitOptions<double> fit;  // loss and start
  std::string preprocess;
  std::uint64_t seed = 0;
  Index seeds = 3;
  double counts = 100;
  double grad_budget = 0;
  std::string time_limit;
  std::string axis = "gradient-counts";
  std::string output, csv;
  ReportFlags report;
  bool force = false, json = false;
};

class Compare {
 public:
  Compare(CLI::App& program, std::string command)
      : command_(std::move(command)),
        app_(*program.add_subcommand("compare", "Algorithms against each other on one matrix")),
        solver_flags_((add_flags(), app_)) {}

  int run();

 private:
  void add_flags();
  bool given(const char* flag) const { return app_.get_option(flag)->count() > 0; }
  void check_targets() const;
  experiment::Budget budget(double entries) const;
  template <class Scalar>
  experiment::Comparison compare_in(const io::MatrixFile& file,
                                    const std::vector<experiment::Contestant>& contestants) const;

  std::string command_;
  CLI::App& app_;
  CompareFlags flags_;
  SolverFlags solver_flags_;
};

void Compare::add_flags() {
  app_.description(
      "Run several algorithms on a matrix, from the same starts and with the same budget.\n\n"
      "Printed is how far each is above the lowest objective known (f_opt: the best of a long run of "
      "hals-acc\n"
      "and of every run here), by the median over the seeds. Time for evaluating the objective is never "
      "counted.\n\n"
      "Examples:\n"
      "  svrmu compare V.npy -k 10\n"
      "  svrmu compare V.npy -k 10 --algorithms smu,svrmu-acc:inner-passes=5,h-repeats=3,hals-acc\n"
      "  svrmu compare news.mtx -k 30 --algorithms paper,fast --seeds 5 --time-limit 20s --axis "
      "solver-seconds\n"
      "  svrmu compare V.npy -k 10 --batch-size 100 --no-safeguard --counts 500 -o runs.json --csv "
      "runs.csv\n");
  CompareFlags& f = flags_;
  app_.add_option("INPUT", f.input.path, "matrix to factorize; - reads a stream");
  app_.add_option("-k,--rank", f.options.rank, "number of components K")->type_name("K");
  add_flag_of(app_, f.fit, "force_rank");
  app_.add_option("--algorithms", f.algorithms,
                  "names that 'svrmu algorithms' lists, each perhaps with its own options: "
                  "NAME:OPTION=VALUE,OPTION=VALUE; paper stands for the seven of the paper [paper]")
      ->type_name("NAME,...");

  const char* budget = "Budget (the first that is reached ends a run)";
  app_.add_option("--counts", f.counts,
                  "gradient counts as the paper has them: passes over V that enter a gradient of W [100]")
      ->type_name("NUMBER")
      ->group(budget);
  app_.add_option("--grad-budget", f.grad_budget, "the same in entries of V, instead of --counts")
      ->type_name("NUMBER")
      ->group(budget);
  app_.add_option("--epochs", f.options.budget.epochs,
                  "most epochs; one of svrmu makes 1 + inner-passes passes over V")
      ->type_name("INTEGER")
      ->group(budget);
  app_.add_option("--time-limit", f.time_limit, "most time in the solver: 90s, 10m, 1h30m")
      ->type_name("TIME")
      ->group(budget);
  app_.add_option("--reference", f.options.reference,
                  "how many times that budget the reference run for f_opt has; 0: no reference [4]")
      ->type_name("NUMBER")
      ->group(budget);

  const char* output = "Output";
  app_.add_option("-o,--output", f.output, "everything as JSON: options, gaps, every evaluation")
      ->type_name("FILE")
      ->group(output);
  add_csv_flag(app_, f.csv)->group(output);
  add_axis_flag(app_, f.axis)->group(output);
  add_report_flags(app_, f.report, output);
  add_force_flag(app_, f.force)->group(output);
  add_json_flag(app_, f.json)->group(output);

  const char* data = "Data";
  add_samples_flag(app_, f.input.samples)->group(data);
  add_reading_flags(app_, f.input, data);
  add_precision_flag(app_, f.input.precision)->group(data);
  add_trusted_flag(app_, f.input.trusted)->group(data);
  add_preprocess_flag(app_, f.preprocess)->group(data);

  const char* problem = "Problem";
  add_flag_of(app_, f.fit, "loss")->group(problem);
  add_flags_of(app_, f.options.penalties, problem);

  const char* start = "Start";
  app_.add_option("--seeds", f.seeds, "starts: from seed, seed + 1, ... [3]")
      ->type_name("INTEGER")
      ->check(CLI::Range(Index{1}, Index{10000}))
      ->group(start);
  app_.add_option("--seed", f.seed, "the first of them [0]")->type_name("INTEGER")->group(start);
  add_flag_of(app_, f.fit, "start")->group(start);
  add_threads_flag(app_, f.input.threads)->group("Machine");
}

void Compare::check_targets() const {
  for (const std::string* path : {&flags_.output, &flags_.csv})
    if (!path->empty()) check_target(*path, flags_.force);
  check_report_targets(flags_.report, flags_.force);
  int streams = flags_.json ? 1 : 0;
  for (const std::string* path : {&flags_.output, &flags_.csv, &flags_.report.html})
    if (*path == standard_stream) ++streams;
  if (streams > 1) throw UsageError("only one output can go to standard output");
  check_distinct({flags_.input.path}, {flags_.output, flags_.csv, flags_.report.html, flags_.report.figures});
}

experiment::Budget Compare::budget(double entries) const {
  experiment::Budget budget = flags_.options.budget;
  if (given("--epochs") && budget.epochs < 1)
    throw UsageError("--epochs is " + std::to_string(budget.epochs) + "; it must be at least 1");
  const auto positive = [&](const char* flag, double value) {
    if (given(flag) && !(value > 0 && std::isfinite(value)))
      throw UsageError(std::string(flag) + " is " + short_number(value) + "; it must be above 0");
  };
  positive("--counts", flags_.counts);
  positive("--grad-budget", flags_.grad_budget);
  if (given("--counts") && given("--grad-budget"))
    throw UsageError("--counts and --grad-budget are the same limit in other units; give one");
  if (given("--time-limit")) {
    budget.seconds = time_of("--time-limit", flags_.time_limit);
    positive("--time-limit", budget.seconds);
  }
  if (given("--grad-budget"))
    budget.gradient_counts = flags_.grad_budget / entries;
  else if (given("--counts") || (budget.epochs == 0 && budget.seconds == 0))
    budget.gradient_counts = flags_.counts;
  return budget;
}

template <class Scalar>
experiment::Comparison Compare::compare_in(const io::MatrixFile& file,
                                           const std::vector<experiment::Contestant>& contestants) const {
  experiment::CompareOptions options = flags_.options;
  options.force_rank = flags_.fit.force_rank;
  options.loss = flags_.fit.loss;
  options.start = flags_.fit.start;
  options.budget = budget(static_cast<double>(file.features()) * static_cast<double>(file.sample_count()));
  options.seeds.clear();
  for (Index i = 0; i < flags_.seeds; ++i)
    options.seeds.push_back(flags_.seed + static_cast<std::uint64_t>(i));
  options.threads = flags_.input.threads;
  ComparisonProgress progress;
  options.observer = [&](const experiment::ComparisonStep& step) { progress.show(step); };
  const auto V = io::open_source<Scalar>(file);
  try {
    experiment::Comparison comparison = compare(*V, contestants, options);
    comparison.data = file.path == standard_stream ? "standard input" : file.path;
    return comparison;
  } catch (const InvalidData& error) {
    throw in_file(file, error);
  }
}

int Compare::run() {
  if (flags_.input.path.empty())
    throw UsageError("compare needs INPUT, the matrix to factorize; see svrmu compare --help");
  if (!given("--rank")) throw UsageError("compare needs -k K, the number of components");
  const std::vector<experiment::Contestant> contestants =
      experiment::parse_contestants(flags_.algorithms, solver_flags_.given());
  const experiment::Axis axis = parse_choice<experiment::Axis>("--axis", flags_.axis);
  budget(1);
  const std::vector<io::PreprocessStep> steps =
      given("--preprocess") ? io::parse_steps(flags_.preprocess) : std::vector<io::PreprocessStep>{};
  check_targets();

  io::MatrixFile file = read_input(flags_.input);
  introduce(file);
  note_orientation(file, flags_.input);
  check_rank_flag(flags_.options.rank, flags_.fit.force_rank, file.path, file.features(),
                  file.sample_count());
  if (!steps.empty()) reading(file.path, [&] { return preprocess(file, steps); });
  const experiment::Comparison comparison =
      file.is_double() ? compare_in<double>(file, contestants) : compare_in<float>(file, contestants);
  for (const std::string& warning : comparison.warnings) say("note: " + printable(warning));
  warn_of_failures(comparison);
  if (!flags_.output.empty()) write_text(flags_.output, dump(json_with_runs(comparison), -1), flags_.force);
  if (!flags_.csv.empty()) write_text(flags_.csv, experiment::to_csv({comparison}), flags_.force);
  if (flags_.report.any())
    write_report(flags_.report, report::comparison_page(comparison, command_), flags_.force);
  if (flags_.json)
    write_text("-", dump(json_of(comparison)), false);
  else if (flags_.output != standard_stream && flags_.csv != standard_stream &&
           flags_.report.html != standard_stream)
    std::cout << table_text(comparison, axis);
  const experiment::Trial& trial = comparison.trials.front();
  say("f_opt " + short_number(trial.f_opt) + " by " +
      (trial.f_opt_by == "reference" ? "the reference " + comparison.reference : printable(trial.f_opt_by)));
  for (const std::string* path : {&flags_.output, &flags_.csv})
    if (!path->empty() && *path != standard_stream) say("saved " + printable(*path));
  tell_report(flags_.report);
  return done;
}

}  // namespace

Run add_compare(CLI::App& program, const std::string& command) {
  const auto compare = std::make_shared<Compare>(program, command);
  return [compare] { return compare->run(); };
}

}  // namespace svrmu::cli
