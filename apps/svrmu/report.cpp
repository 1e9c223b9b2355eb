// svrmu report: a page that shows a model.
#include "report.hpp"

#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "input_flags.hpp"
#include "model_input.hpp"

namespace svrmu::cli {

namespace fs = std::filesystem;

void add_figures_flag(CLI::App& app, ReportFlags& flags, const char* group) {
  app.add_option("--figures", flags.figures, "folder for charts (SVG), pictures (PNG) and tables (CSV)")
      ->type_name("FOLDER")
      ->group(group);
}

void add_report_flags(CLI::App& app, ReportFlags& flags, const char* group) {
  app.add_option("--report", flags.html, "a page that shows the result: one HTML file")
      ->type_name("FILE")
      ->group(group);
  add_figures_flag(app, flags, group);
}

void add_image_flag(CLI::App& app, ReportFlags& flags, const char* group) {
  app.add_option("--image", flags.image,
                 "features are pixels of pictures of this size, column by column: 19x19")
      ->type_name("ROWSxCOLUMNS")
      ->group(group);
}

void check_report_targets(const ReportFlags& flags, bool force) {
  if (!flags.html.empty()) check_target(flags.html, force);
  if (flags.figures.empty()) return;
  std::error_code error;
  const fs::file_status status = fs::status(flags.figures, error);
  if (flags.figures == standard_stream) throw UsageError("--figures needs a folder");
  if (fs::exists(status) && !fs::is_directory(status))
    throw io::IoError(printable(flags.figures) + ": is not a folder");
  if (fs::is_directory(status) && !fs::is_empty(flags.figures, error) && !force)
    throw io::IoError(printable(flags.figures) + ": is not empty; --force replaces files in it");
}

std::optional<report::ImageShape> image_shape(const ReportFlags& flags, const io::MatrixFile* file,
                                              Index features) {
  if (!flags.image.empty()) {
    const report::ImageShape shape = report::parse_image_shape(flags.image);
    if (shape.rows * shape.columns != features)
      throw UsageError("--image " + flags.image + " has " + std::to_string(shape.rows * shape.columns) +
                       " pixels, but there are " + std::to_string(features) + " features");
    return shape;
  }
  if (file != nullptr && file->image_rows > 0 && file->image_rows * file->image_columns == features)
    return report::ImageShape{file->image_rows, file->image_columns};
  return std::nullopt;
}

void write_report(const ReportFlags& flags, const report::Page& page, bool force) {
  if (!flags.html.empty()) write_text(flags.html, report::html(page), force);
  if (flags.figures.empty()) return;
  fs::create_directories(flags.figures);
  for (const report::FigureFile& file : report::figures(page))
    write_text((fs::path(flags.figures) / file.name).string(), file.bytes, force);
}

void tell_report(const ReportFlags& flags) {
  if (!flags.html.empty() && flags.html != standard_stream) say("report " + printable(flags.html));
  if (!flags.figures.empty()) say("figures " + printable(flags.figures));
}

namespace {

struct ReportCommandFlags {
  std::string model;
  InputFlags input;
  NameFlags names;
  ReportFlags report;
  bool force = false;
};

// "data/news.svrmu.h5" -> "news.html"
std::string default_target(const std::string& model) {
  std::string name = fs::path(model).filename().string();
  for (const char* ending : {".h5", ".svrmu"})
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  return name + ".html";
}

// The matrix that the model was made from, as it was factorized.
template <class Scalar>
io::MatrixFile read_data(InputFlags input, const io::Model<Scalar>& model) {
  input.precision = precision_name<Scalar>;
  if (input.samples == "auto")
    input.samples = model.data.samples_in == io::SamplesIn::rows ? "rows" : "columns";
  io::MatrixFile file = read_input(input);
  reading(file.path, [&] { return preprocess(file, model.preprocessing), 0; });
  if (!describes(model.data, file))
    throw InvalidData(spoken_input(file.path) + ": is not the matrix that the model was made from (" +
                      printable(model.data.path) + "), so it has no residuals under it");
  return file;
}

template <class Scalar>
void run_in(const ReportCommandFlags& flags, const io::Model<Scalar>& model) {
  std::optional<io::MatrixFile> file;
  if (!flags.input.path.empty()) file = read_data(flags.input, model);
  const auto shape = image_shape(flags.report, file ? &*file : nullptr, model.fit.W.rows());
  const auto V = file ? io::open_source<Scalar>(*file) : nullptr;
  write_report(flags.report, report::model_page<Scalar>(model, {.image = shape, .V = V.get()}), flags.force);
  tell_report(flags.report);
}

}  // namespace

Run add_report(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("report", "A page that shows a model");
  const auto flags = std::make_shared<ReportCommandFlags>();
  app.description(
      "A page that shows a model: convergence, components, activations, residuals.\n\n"
      "One HTML file that needs nothing else. Residuals of single samples need INPUT, the matrix that was "
      "factorized.\n\n"
      "Examples:\n"
      "  svrmu report news.svrmu.h5\n"
      "  svrmu report faces.svrmu.h5 faces.npy --image 19x19 -o faces.html\n"
      "  svrmu report faces.svrmu.h5 --image 19x19 --figures figures\n");
  app.add_option("MODEL", flags->model, "model file of svrmu fit")->required();
  app.add_option("INPUT", flags->input.path, "the matrix that it was made from; - reads a stream");
  app.add_option("-o,--output", flags->report.html,
                 "HTML file; - writes to standard output [<name of MODEL>.html]")
      ->type_name("FILE");
  add_figures_flag(app, flags->report, "Options");
  add_image_flag(app, flags->report, "Options");
  add_samples_flag(app, flags->input.samples);
  add_trusted_flag(app, flags->input.trusted);
  add_reading_flags(app, flags->input, "Input");
  add_feature_names_flag(app, flags->names, "Input");
  add_sample_names_flag(app, flags->names, "Input");
  add_threads_flag(app, flags->input.threads);
  add_force_flag(app, flags->force);
  return [flags] {
    if (!flags->report.image.empty()) report::parse_image_shape(flags->report.image);
    if (flags->report.html.empty()) flags->report.html = default_target(flags->model);
    check_report_targets(flags->report, flags->force);
    check_distinct({flags->model, flags->input.path, flags->names.features, flags->names.samples},
                   {flags->report.html, flags->report.figures});
    if (const std::string flag = first_reading_flag(flags->input); flags->input.path.empty() && !flag.empty())
      throw UsageError(flag + " says how INPUT is read, and there is none");
    io::AnyModel any = read_model(flags->model);
    std::visit(
        [&](auto& model) {
          if (!flags->names.features.empty())
            model.feature_names = read_feature_names(flags->names, model.fit.W.rows());
          if (!flags->names.samples.empty())
            model.sample_names = read_sample_names(flags->names, model.fit.H.cols());
          run_in(*flags, model);
        },
        any);
    return int{done};
  };
}

}  // namespace svrmu::cli
