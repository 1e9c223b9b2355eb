// Reports and their figures as files, for every command that makes them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "svrmu/report/model_page.hpp"

namespace svrmu::cli {

struct ReportFlags {
  std::string html;     // empty: none
  std::string figures;  // folder, empty: none
  std::string image;

  bool any() const { return !html.empty() || !figures.empty(); }
};

// --report and --figures of the commands that make a page beside their result.
void add_report_flags(CLI::App& app, ReportFlags& flags, const char* group);
void add_figures_flag(CLI::App& app, ReportFlags& flags, const char* group);
void add_image_flag(CLI::App& app, ReportFlags& flags, const char* group);

// Refuses targets that cannot be made or exist already, before the work begins.
void check_report_targets(const ReportFlags& flags, bool force);

// The shape that is asked for, else that of the pictures that were read, if they were pictures.
std::optional<report::ImageShape> image_shape(const ReportFlags& flags, const io::MatrixFile* file,
                                              Index features);

void write_report(const ReportFlags& flags, const report::Page& page, bool force);
void tell_report(const ReportFlags& flags);  // where it is

}  // namespace svrmu::cli
