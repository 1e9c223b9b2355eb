/// @file
/// Reports of experiments (target svrmu::report): curves on every axis, tables, verdicts, pictures.
#pragma once

#include "svrmu/experiment/recovery.hpp"
#include "svrmu/export.hpp"
#include "svrmu/report/model_page.hpp"

namespace svrmu::report {

/// The report of one comparison. `command` is the command line that made it; empty: it is not shown.
SVRMU_API Page comparison_page(const experiment::Comparison& comparison, const std::string& command);

/// The report of experiment 1: one section for each kind of data, with the paper's Figure 1.
SVRMU_API Page synthetic_page(const std::vector<experiment::Comparison>& comparisons,
                              const std::string& command);

/// What the report of experiment 2 shows beside the runs.
struct FacesReportOptions {
  std::string data{};                 ///< what the pictures are
  std::string command{};              ///< the command line that made it
  Facts facts{};                      ///< how they were spoiled and factorized
  std::optional<ImageShape> image{};  ///< none: bases are not shown
};

/// The report of experiment 2.
SVRMU_API Page faces_page(const experiment::Recovery& recovery, const FacesReportOptions& options);

/// The paper's Figure 2: the heaviest 14 bases of each of its four methods, with the first seed.
SVRMU_API PicturePanels basis_panels(const experiment::Recovery& recovery, const ImageShape& image);

}  // namespace svrmu::report
