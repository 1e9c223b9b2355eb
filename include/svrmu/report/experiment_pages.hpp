// Reports of experiments (target svrmu::report): curves on every axis, tables, verdicts, pictures.
#pragma once

#include "svrmu/experiment/recovery.hpp"
#include "svrmu/export.hpp"
#include "svrmu/report/model_page.hpp"

namespace svrmu::report {

// `command` as it was typed, for people; empty: not told.
SVRMU_API Page comparison_page(const experiment::Comparison& comparison, const std::string& command);

// Experiment 1: one section for each kind of data.
SVRMU_API Page synthetic_page(const std::vector<experiment::Comparison>& comparisons,
                              const std::string& command);

struct FacesReportOptions {
  std::string data{};                 // what the pictures are
  std::string command{};              // as it was typed
  Facts facts{};                      // how they were spoiled and factorized
  std::optional<ImageShape> image{};  // none: bases are not shown
};

// Experiment 2.
SVRMU_API Page faces_page(const experiment::Recovery& recovery, const FacesReportOptions& options);

// The heaviest 14 bases of each of the paper's methods, one line for each, as its Figure 2.
SVRMU_API Pictures basis_pictures(const experiment::Recovery& recovery, const ImageShape& image);

}  // namespace svrmu::report
