// svrmu generate: data whose parts are known.
#include <filesystem>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "svrmu/generate.hpp"
#include "text_values.hpp"

namespace svrmu::cli {
namespace {

struct GenerateFlags {
  std::string kind;
  std::string output;
  GenerateOptions options;
  std::string precision = "float64";
  bool force = false;
};

// "data/V.npy" -> "data/V.truth-w.npy"
std::string beside(const std::string& path, const char* what, const char* ending) {
  const std::filesystem::path at(path);
  return (at.parent_path() / (at.stem().string() + what + ending)).string();
}

template <class Scalar>
void make(const GenerateFlags& flags, DataKind kind) {
  const std::string w = beside(flags.output, ".truth-w", ".npy");
  const std::string h = beside(flags.output, ".truth-h", ".npy");
  const std::string r = beside(flags.output, ".truth-r", ".mtx");
  const bool has_parts = kind != DataKind::halfnormal_fullrank;
  check_matrix_target(flags.output, flags.force);
  if (has_parts) check_target(w, flags.force);
  if (has_parts) check_target(h, flags.force);
  if (flags.options.outliers > 0) check_target(r, flags.force);
  check_distinct({}, {flags.output, w, h, r});
  const Generated<Scalar> made = generate<Scalar>(kind, flags.options);
  write_dense(flags.output, io::dense_view(made.V), {}, flags.force);
  say(std::to_string(made.V.cols()) + " samples x " + std::to_string(made.V.rows()) + " features  " +
      printable(flags.output));
  if (has_parts) {
    write_dense(w, io::dense_view(made.W), {}, flags.force);
    write_dense(h, io::dense_view(made.H), {}, flags.force);
    say("its parts  " + printable(w) + "  " + printable(h));
  }
  if (made.R.size() > 0) {
    write_sparse(r, made.R, {}, flags.force);
    say("its outliers  " + printable(r));
  }
  say("next  svrmu fit " + shell_word(flags.output) + " -k " +
      std::to_string(has_parts ? made.W.cols() : flags.options.rank));
}

}  // namespace

Run add_generate(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("generate", "Data whose parts are known");
  const auto flags = std::make_shared<GenerateFlags>();
  GenerateOptions& o = flags->options;
  app.description(
      "Make data whose parts are known.\n\n"
      "The parts are saved beside them: NAME.truth-w.npy, NAME.truth-h.npy and, with outliers, "
      "NAME.truth-r.mtx.\n\n"
      "Kinds:\n"
      "  lowrank-scaled       WH of half-normal factors, divided by its largest value\n"
      "  lowrank-clipped      the same, cut off at 1 (as the text of the paper has it)\n"
      "  halfnormal-fullrank  half-normal entries cut off at 1, no parts (as the author's program has it)\n"
      "  swimmer              256 pictures of stick figures, 32 x 32 pixels, columns of pixels one after the "
      "other\n\n"
      "Examples:\n"
      "  svrmu generate swimmer -o swimmer.npy\n"
      "  svrmu generate lowrank-scaled -o V.npy --features 300 --samples 1000 -k 10 --noise 0.05\n");
  app.add_option("KIND", flags->kind, "one of the kinds above")->required();
  app.add_option("-o,--output", flags->output, "file to write: .npy, .csv, .tsv or .mtx")
      ->type_name("FILE")
      ->required();
  CLI::Option* sizes[] = {
      app.add_option("--features", o.features, "rows of V [300]")->type_name("INTEGER"),
      app.add_option("--samples", o.samples, "columns of V [1000]")->type_name("INTEGER"),
      app.add_option("-k,--rank", o.rank, "parts [10]")->type_name("K"),
  };
  app.add_option("--noise", o.noise, "norm of added Gaussian noise over that of V [0]")->type_name("NUMBER");
  app.add_option("--outliers", o.outliers, "entries raised per sample, as a share of the features [0]")
      ->type_name("NUMBER");
  CLI::Option* ranges[] = {
      app.add_option("--outlier-least", o.outlier_least, "smallest outlier, over the largest value [1]")
          ->type_name("NUMBER"),
      app.add_option("--outlier-most", o.outlier_most, "largest outlier, likewise [3]")->type_name("NUMBER"),
  };
  CLI::Option* seed = app.add_option("--seed", o.seed, "same seed, same data [0]")->type_name("INTEGER");
  app.add_option("--precision", flags->precision, "float32 or float64 [float64]")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float32", "float64"}));
  add_force_flag(app, flags->force);
  const std::vector<CLI::Option*> size_flags(std::begin(sizes), std::end(sizes));
  const std::vector<CLI::Option*> range_flags(std::begin(ranges), std::end(ranges));
  return [flags, size_flags, range_flags, seed] {
    const auto kind = parse_choice<DataKind>("KIND", flags->kind);
    const auto refuse = [](const CLI::Option* option, const std::string& why) {
      if (option->count() > 0) throw UsageError(option->get_name() + " " + why);
    };
    if (kind == DataKind::swimmer) {
      for (const CLI::Option* option : size_flags)
        refuse(option, "does not apply to swimmer, whose size is fixed");
      if (flags->options.noise == 0 && flags->options.outliers == 0)
        refuse(seed, "does not apply to swimmer without noise or outliers: nothing is random");
    }
    if (flags->options.outliers == 0)
      for (const CLI::Option* option : range_flags) refuse(option, "needs --outliers");
    if (flags->output == standard_stream) throw UsageError("generate writes several files; name one with -o");
    flags->precision == "float32" ? make<float>(*flags, kind) : make<double>(*flags, kind);
    return int{done};
  };
}

}  // namespace svrmu::cli
