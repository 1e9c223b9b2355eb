// Reports of experiments (target svrmu::report): curves on every axis, tables, verdicts, pictures.
#pragma once

#include "svrmu/experiment/recovery.hpp"
#include "svrmu/report/model_page.hpp"

namespace svrmu::report {

// `command` as it was typed, for people; empty: not told.
Page comparison_page(const experiment::Comparison& comparison, const std::string& command);

// Experiment 1: one section for each kind of data.
Page synthetic_page(const std::vector<experiment::Comparison>& comparisons, const std::string& command);

struct FacesReportOptions {
  std::string data{};                 // what the pictures are
  std::string command{};              // as it was typed
  Facts facts{};                      // how they were spoiled and factorized
  std::optional<ImageShape> image{};  // none: bases are not shown
};

// Experiment 2.
Page faces_page(const experiment::Recovery& recovery, const FacesReportOptions& options);

// The heaviest 14 bases of each of the paper's methods, one line for each, as its Figure 2.
Pictures basis_pictures(const experiment::Recovery& recovery, const ImageShape& image);

}  // namespace svrmu::report
