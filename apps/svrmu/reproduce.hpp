// The flags of svrmu reproduce and its two experiments.
#pragma once

#include <optional>
#include <string>

#include "report.hpp"
#include "svrmu/experiment/recovery.hpp"

namespace svrmu::cli {

struct ReproduceFlags {
  std::string command;  // as it was typed
  std::string experiment;
  std::string output;
  ReportFlags report;
  bool force = false, json = false;
  int threads = 0;
  std::optional<Index> rank;
  Index batch_size = 100;
  std::optional<double> counts;
  std::optional<Index> seeds;
  std::uint64_t seed = 0;
  std::optional<std::string> init;
  // synthetic
  std::string kinds = "halfnormal-fullrank,lowrank-scaled,lowrank-clipped";
  Index features = 300;
  Index samples = 1000;
  double reference = 4;
  std::string axis = "gradient-counts";
  std::string csv;
  // faces
  std::string data;
  std::optional<Index> images;
  std::string outliers = "author";
  std::optional<double> density;
  double outlier_least = 30;
  double outlier_most = 50;
  std::optional<double> outlier_penalty;
  std::optional<std::string> order;
  std::string picture;

  // Whether one of the outputs is standard output, so that nothing else may go there.
  bool streams() const;
  // seed, seed + 1, ...
  std::vector<std::uint64_t> all_seeds(Index unless_given) const;
};

int reproduce_synthetic(const ReproduceFlags& flags);
int reproduce_faces(const ReproduceFlags& flags);

}  // namespace svrmu::cli
