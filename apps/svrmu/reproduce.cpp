// svrmu reproduce: the experiments of the paper.
#include "reproduce.hpp"

#include <cmath>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"

namespace svrmu::cli {
namespace {

constexpr const char* synthetic_group = "Experiment synthetic";
constexpr const char* faces_group = "Experiment faces";

void add_common_flags(CLI::App& app, ReproduceFlags& f) {
  app.add_option("EXPERIMENT", f.experiment, "synthetic or faces")
      ->required()
      ->check(CLI::IsMember({"synthetic", "faces"}));
  app.add_option("--counts", f.counts, "gradient counts of each run [500; swimmer 200]")->type_name("NUMBER");
  app.add_option("--seeds", f.seeds, "runs: with data and starts from seed, seed + 1, ... [5]")
      ->type_name("INTEGER")
      ->check(CLI::Range(Index{1}, Index{10000}));
  app.add_option("--seed", f.seed, "the first of them [0]")->type_name("INTEGER");
  app.add_option("-k,--rank", f.rank, "number of components K [synthetic 10, faces 49, swimmer 17]")
      ->type_name("K");
  app.add_option("--batch-size", f.batch_size, "columns per update of W [100]")
      ->type_name("INTEGER")
      ->check(CLI::Range(Index{1}, Index{1} << 40));
  app.add_option("--init", f.init,
                 "random, svd-abs (Qiao, as the author's scripts start), nndsvda or nndsvdar [synthetic "
                 "svd-abs, faces "
                 "uniform in (0, 1) whatever V is]")
      ->type_name("NAME");
  const char* output = "Output";
  app.add_option("-o,--output", f.output, "everything as JSON: options, results, every evaluation")
      ->type_name("FILE")
      ->group(output);
  add_report_flags(app, f.report, output);
  add_force_flag(app, f.force)->group(output);
  add_json_flag(app, f.json)->group(output);
  add_threads_flag(app, f.threads)->group("Machine");
}

void add_synthetic_flags(CLI::App& app, ReproduceFlags& f) {
  const auto in_group = [](CLI::Option* option, const char* type) {
    option->type_name(type)->group(synthetic_group);
  };
  in_group(app.add_option(
               "--kinds", f.kinds,
               "data: halfnormal-fullrank (the author's program), lowrank-scaled and lowrank-clipped (the "
               "text, in two readings) [all three]"),
           "KIND,...");
  in_group(app.add_option("--features", f.features, "rows of V [300]"), "INTEGER");
  in_group(app.add_option("--samples", f.samples, "columns of V [1000]"), "INTEGER");
  in_group(app.add_option("--reference", f.reference,
                          "how many times the budget the reference run for f_opt has; 0: no reference [4]"),
           "NUMBER");
  add_axis_flag(app, f.axis)->group(synthetic_group);
  add_csv_flag(app, f.csv)->group(synthetic_group);
}

void add_faces_flags(CLI::App& app, ReproduceFlags& f) {
  const auto in_group = [](CLI::Option* option, const char* type) {
    option->type_name(type)->group(faces_group);
  };
  in_group(
      app.add_option("--data", f.data, "CBCL_Face.mat, or other pictures [swimmer, whose parts are known]"),
      "FILE");
  in_group(app.add_option("--images", f.images, "the first of them [1000; all with --outliers exact]"),
           "INTEGER");
  in_group(
      app.add_option("--outliers", f.outliers,
                     "author: as the author's program draws them, places with replacement and whole numbers; "
                     "exact: as the text has it [author]"),
      "author|exact");
  in_group(app.add_option("--density", f.density,
                          "places drawn in each picture, over its pixels [faces 0.9, swimmer 0.3]"),
           "NUMBER");
  in_group(app.add_option("--outlier-least", f.outlier_least, "smallest outlier; pictures reach 50 [30]"),
           "NUMBER");
  in_group(app.add_option("--outlier-most", f.outlier_most, "largest outlier [50]"), "NUMBER");
  in_group(app.add_option("--outlier-penalty", f.outlier_penalty,
                          "lambda of the robust methods [faces 1, swimmer 5]"),
           "NUMBER");
  in_group(app.add_option("--order", f.order,
                          "order in which batches take the pictures [faces cyclic, as the author's program; "
                          "swimmer permute-once]"),
           "cyclic|permute-once|reshuffle|with-replacement");
  in_group(app.add_option("--picture", f.picture,
                          "the paper's Figure 2, four panels of 14 bases: .svg with their names, else PNG"),
           "FILE");
}

void refuse_group(const CLI::App& app, const char* group, const std::string& experiment) {
  for (const CLI::Option* option : app.get_options())
    if (option->get_group() == group && option->count() > 0)
      throw UsageError(option->get_name() + " does not apply to reproduce " + experiment);
}

}  // namespace

bool ReproduceFlags::streams() const {
  return json || output == standard_stream || csv == standard_stream || report.html == standard_stream;
}

std::vector<std::uint64_t> ReproduceFlags::all_seeds(Index unless_given) const {
  std::vector<std::uint64_t> list;
  for (Index i = 0; i < seeds.value_or(unless_given); ++i)
    list.push_back(seed + static_cast<std::uint64_t>(i));
  return list;
}

Run add_reproduce(CLI::App& program, const std::string& command) {
  CLI::App& app = *program.add_subcommand("reproduce", "The experiments of the paper");
  const auto flags = std::make_shared<ReproduceFlags>();
  flags->command = command;
  app.description(
      "Repeat the experiments of the paper and say, from the numbers, where its claims hold.\n\n"
      "  synthetic  convergence of the paper's seven methods and of others here, on the author's data and "
      "on\n"
      "             those that the text describes\n"
      "  faces      bases of pictures with outliers: R-NMF, ONMF, R-ONMF and R-SVRMU\n\n"
      "Examples:\n"
      "  svrmu reproduce synthetic\n"
      "  svrmu reproduce synthetic --kinds lowrank-scaled --seeds 3 --report synthetic.html\n"
      "  svrmu reproduce faces --data CBCL_Face.mat --report faces.html --picture bases.png\n"
      "  svrmu reproduce faces --picture swimmer.png\n");
  add_common_flags(app, *flags);
  add_synthetic_flags(app, *flags);
  add_faces_flags(app, *flags);
  return [flags, &app] {
    const bool synthetic = flags->experiment == "synthetic";
    refuse_group(app, synthetic ? faces_group : synthetic_group, flags->experiment);
    if (flags->counts && !(*flags->counts > 0 && std::isfinite(*flags->counts)))
      throw UsageError("--counts is " + short_number(*flags->counts) + "; it must be above 0");
    for (const std::string* path : {&flags->output, &flags->csv, &flags->picture})
      if (!path->empty()) check_target(*path, flags->force);
    if (flags->picture == standard_stream) throw UsageError("--picture needs the name of a file");
    check_report_targets(flags->report, flags->force);
    int streams = flags->json ? 1 : 0;
    for (const std::string* path : {&flags->output, &flags->csv, &flags->report.html})
      if (*path == standard_stream) ++streams;
    if (streams > 1) throw UsageError("only one output can go to standard output");
    check_distinct({flags->data},
                   {flags->output, flags->csv, flags->picture, flags->report.html, flags->report.figures});
    return synthetic ? reproduce_synthetic(*flags) : reproduce_faces(*flags);
  };
}

}  // namespace svrmu::cli
