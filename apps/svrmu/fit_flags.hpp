// What svrmu fit is asked to do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "files.hpp"
#include "input_flags.hpp"
#include "report.hpp"
#include "solver_flags.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/update.hpp"

namespace svrmu::cli {

struct FitFlags {
  InputFlags input;
  NameFlags names;
  FitOptions<double> fit;          // what does not depend on the precision
  std::string stream;              // samples as they come; empty: INPUT has them
  StreamOptions<double> learning;  // from them
  std::string output;
  std::string save_w, save_h, save_r, trace;
  ReportFlags report;
  bool force = false, json = false, dry_run = false;
  std::string algorithm = "auto";
  std::string preset;
  std::string init_w, init_h, init_r;
  std::string resume;
  std::string preprocess;

  CLI::App* app = nullptr;

  bool given(const std::string& flag) const { return app->get_option(flag)->count() > 0; }
  std::string output_path() const;
  bool leaves_folder() const;  // the model goes beside the folder that is read, because we are in it
  std::vector<std::string> outputs() const;                            // all that is written, the model first
  bool same_run() const { return !resume.empty() && output.empty(); }  // its model is replaced
};

void add_fit_flags(CLI::App& app, FitFlags& flags);

// Refuse what does not go together, and outputs that cannot be made, before the work begins.
void check_fit_flags(const FitFlags& flags, const SolverFlags& solver);
void check_fit_targets(const FitFlags& flags);
// More components than the smaller side of the matrix.
void check_rank_flag(Index rank, bool force, const std::string& path, Index features, Index samples);

}  // namespace svrmu::cli
