// Experiment 2: bases of pictures with outliers.
#include <cmath>
#include <iostream>

#include "comparison_output.hpp"
#include "comparison_progress.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "reproduce.hpp"
#include "svrmu/report/experiment_pages.hpp"
#include "text/text.hpp"
#include "text_values.hpp"

namespace svrmu::cli {
namespace {

constexpr double white = 50;  // the largest value of a clean picture, as in the paper
constexpr Index author_images = 1000;

struct Pictures {
  std::string name{};
  Matrix<double> clean{};
  std::optional<report::ImageShape> shape{};  // none: not known
  RowMatrix<double> truth{};                  // the parts, where they are known
};

std::optional<report::ImageShape> shape_of(const io::MatrixFile& file) {
  if (file.image_rows > 0) return report::ImageShape{file.image_rows, file.image_columns};
  const auto side = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(file.features()))));
  if (side * side != file.features()) return std::nullopt;
  return report::ImageShape{side, side};
}

Pictures read_pictures(const ReproduceFlags& flags, experiment::OutlierDraw draw) {
  const io::MatrixFile file =
      read_input({.path = flags.data, .precision = "float64", .threads = flags.threads});
  introduce(file);
  Matrix<double> all = dense_values<double>(file);
  if (file.samples == io::SamplesIn::rows) all = Matrix<double>(all.transpose());
  if (!all.allFinite() || (all.size() > 0 && all.minCoeff() < 0))
    throw InvalidData(spoken_input(file.path) +
                      ": pictures must be finite and not negative; svrmu info tells where they are not");
  const Index there = all.cols();
  const Index images =
      flags.images.value_or(draw == experiment::OutlierDraw::author ? std::min(author_images, there) : there);
  if (images < 1 || images > there)
    throw UsageError("--images is " + std::to_string(images) + "; " + spoken_input(file.path) + " has " +
                     std::to_string(there));
  Pictures pictures{.name = file.path == standard_stream ? "standard input" : file.path};
  try {
    pictures.clean = experiment::scaled_to(all.leftCols(images), white);
  } catch (const InvalidData& error) {
    throw InvalidData(spoken_input(file.path) + ": " + error.what());
  }
  pictures.shape = shape_of(file);
  return pictures;
}

// Of the two files that a figure can be.
std::string picture_ending(const std::string& path) { return path.ends_with(".svg") ? ".svg" : ".png"; }

Pictures make_swimmer(const ReproduceFlags& flags) {
  if (flags.images) throw UsageError("--images needs --data: swimmer has 256 pictures");
  const Generated<double> made = generate<double>(DataKind::swimmer);
  return {.name = "swimmer",
          .clean = experiment::scaled_to(made.V, white),
          .shape = report::ImageShape{swimmer::side, swimmer::side},
          .truth = made.W};
}

experiment::Spread seconds_spread(const experiment::Recovery& recovery, std::size_t contestant) {
  std::vector<double> values;
  for (const experiment::RecoveryRun& run : recovery.runs)
    if (run.contestant == contestant) values.push_back(run.history.back().solver_seconds);
  return experiment::spread_of(std::move(values));
}

std::string cosine_text(const experiment::Spread& spread) {
  return std::isnan(spread.median) ? "-" : decimal_text(spread.median, 3);
}

std::string table_text(const experiment::Recovery& recovery) {
  TextTable table;
  table.head = {"algorithm", "error", "least", "most", "PSNR (dB)", "with r-nmf", "with clean", "with start"};
  if (recovery.true_parts > 0) table.head.push_back("parts of " + std::to_string(recovery.true_parts));
  table.head.push_back("seconds");
  for (std::size_t c = 0; c < recovery.contestants.size(); ++c) {
    const experiment::Spread error = error_spread(recovery, c);
    table.rows.push_back({printable(recovery.contestants[c].label), decimal_text(error.median, 4),
                          decimal_text(error.least, 4), decimal_text(error.most, 4),
                          decimal_text(psnr_spread(recovery, c).median, 2),
                          cosine_text(alike_spread(recovery, c, 0)), cosine_text(clean_spread(recovery, c)),
                          cosine_text(start_spread(recovery, c))});
    if (recovery.true_parts > 0) table.rows.back().push_back(short_number(parts_spread(recovery, c).median));
    table.rows.back().push_back(short_number(seconds_spread(recovery, c).median));
  }
  return "error ||Vo - WH|| / ||Vo|| on the clean data Vo; matched centered cosine of the bases with those "
         "of "
         "r-nmf, of clean data, of the start; medians of " +
         counted(static_cast<double>(recovery.spoiled.size()), "seed", "seeds") + "\n" + to_text(table);
}

report::Facts facts_of(const experiment::Recovery& recovery, const ReproduceFlags& flags,
                       const experiment::RecoveryOptions& options, double penalty) {
  std::vector<std::string> seeds;
  for (const std::uint64_t seed : options.seeds) seeds.push_back(std::to_string(seed));
  const std::string author =
      options.spoil.draw == experiment::OutlierDraw::author ? "with replacement, whole numbers " : "";
  return {{
      {"data",
       std::to_string(recovery.samples) + " pictures of " + std::to_string(recovery.features) + " pixels"},
      {"outliers", short_number(options.spoil.density) + " of the pixels drawn " + author + "from " +
                       short_number(options.spoil.least) + " to " + short_number(options.spoil.most) + ": " +
                       short_number(100 * recovery.changed) + " % of the entries are changed"},
      {"components", std::to_string(options.rank)},
      {"outlier penalty", short_number(penalty)},
      {"batch size", std::to_string(flags.batch_size)},
      {"gradient counts", short_number(options.gradient_counts)},
      {"start", flags.init.value_or("uniform in (0, 1)")},
      {"seeds", list_text(seeds)},
  }};
}

Json whole_json(const experiment::Recovery& recovery, const Pictures& pictures, const ReproduceFlags& flags,
                const experiment::RecoveryOptions& options, double penalty, bool with_histories) {
  Json results = Json::array();
  for (std::size_t c = 0; c < recovery.contestants.size(); ++c) {
    results.push_back({{"label", recovery.contestants[c].label},
                       {"relative_error", json_of(error_spread(recovery, c))},
                       {"psnr", json_of(psnr_spread(recovery, c))},
                       {"cosine_with_r_nmf", json_of(alike_spread(recovery, c, 0))},
                       {"cosine_with_clean_bases", json_of(clean_spread(recovery, c))},
                       {"cosine_with_start", json_of(start_spread(recovery, c))},
                       {"solver_seconds", json_of(seconds_spread(recovery, c))}});
    if (recovery.true_parts > 0) results.back()["parts"] = json_of(parts_spread(recovery, c));
  }
  Json runs = Json::array();
  for (const experiment::RecoveryRun& run : recovery.runs) {
    runs.push_back({{"algorithm", recovery.contestants[run.contestant].label},
                    {"seed", run.seed},
                    {"stop_reason", to_string(run.reason)},
                    {"relative_error", number_or_null(run.likeness.relative_error)},
                    {"psnr", number_or_null(run.likeness.psnr)}});
    if (recovery.true_parts > 0) runs.back()["parts"] = run.parts;
    if (!with_histories) continue;
    Json history = Json::array();
    for (const EpochRecord& record : run.history) history.push_back(json_of(record));
    runs.back()["history"] = history;
  }
  return {{"experiment", "faces"},
          {"data", pictures.name},
          {"features", recovery.features},
          {"samples", recovery.samples},
          {"rank", options.rank},
          {"gradient_counts", options.gradient_counts},
          {"outliers",
           {{"draw", flags.outliers},
            {"density", options.spoil.density},
            {"least", options.spoil.least},
            {"most", options.spoil.most},
            {"entries_changed", recovery.changed}}},
          {"outlier_penalty", penalty},
          {"true_parts", recovery.true_parts},
          {"error_of_V", recovery.spoiled},
          {"error_of_mean_picture", recovery.mean_sample},
          {"algorithms", json_of(recovery.contestants)},
          {"results", results},
          {"runs", runs},
          {"verdict", faces_verdict(recovery)}};
}

}  // namespace

int reproduce_faces(const ReproduceFlags& flags) {
  const bool swimming = flags.data.empty();
  experiment::RecoveryOptions options;
  options.spoil = {.draw = parse_choice<experiment::OutlierDraw>("--outliers", flags.outliers),
                   .density = flags.density.value_or(swimming ? 0.3 : 0.9),
                   .least = flags.outlier_least,
                   .most = flags.outlier_most,
                   .ceiling = white};
  if (flags.init) options.start = parse_choice<Start>("--init", *flags.init);
  options.seeds = flags.all_seeds(5);
  options.gradient_counts = flags.counts.value_or(swimming ? 200 : options.gradient_counts);
  options.threads = flags.threads;
  options.rank = flags.rank.value_or(swimming ? swimmer::rank : options.rank);
  // The limbs of a swimmer stand out from the mean picture: a small lambda takes them for outliers. Its
  // pictures are sorted, and a block of them lacks some positions.
  const double penalty = flags.outlier_penalty.value_or(swimming ? 5 : 1);
  const Order order = flags.order ? parse_choice<Order>("--order", *flags.order)
                                  : (swimming ? Order::permute_once : Order::cyclic);
  const std::vector<experiment::Contestant> contestants =
      experiment::faces_contestants(flags.batch_size, penalty, order);

  const Pictures pictures = swimming ? make_swimmer(flags) : read_pictures(flags, options.spoil.draw);
  if (!flags.picture.empty() && !pictures.shape)
    throw UsageError("--picture: " + std::to_string(pictures.clean.rows()) +
                     " pixels make no square picture");
  if (swimming) options.truth = &pictures.truth;
  ComparisonProgress progress;
  options.observer = [&](const experiment::ComparisonStep& step) { progress.show(step); };
  const experiment::Recovery recovery = recover(pictures.clean, contestants, options);
  progress.clear();

  for (const experiment::RecoveryRun& run : recovery.runs)
    if (run.reason == StopReason::numerical_failure)
      warn(recovery.contestants[run.contestant].label + " with seed " + std::to_string(run.seed) +
           ": the objective was no longer finite; the last good factors are judged");
  if (!flags.picture.empty()) {
    const report::Page page{
        .title = "", .subtitle = "", .sections = {{"", {report::basis_panels(recovery, *pictures.shape)}}}};
    for (const report::FigureFile& file : report::figures(page))
      if (file.name.ends_with(picture_ending(flags.picture)))
        write_text(flags.picture, file.bytes, flags.force);
  }
  if (flags.report.any())
    write_report(flags.report,
                 report::faces_page(recovery, {.data = pictures.name,
                                               .command = flags.command,
                                               .facts = facts_of(recovery, flags, options, penalty),
                                               .image = pictures.shape}),
                 flags.force);
  const auto json = [&](bool with_histories) {
    return whole_json(recovery, pictures, flags, options, penalty, with_histories);
  };
  if (!flags.output.empty()) write_text(flags.output, dump(json(true), -1), flags.force);
  if (flags.json) {
    write_text("-", dump(json(false)), false);
  } else if (!flags.streams()) {
    std::cout << recovery.samples << " pictures of " << printable(pictures.name) << ", outliers in "
              << short_number(100 * recovery.changed) << " % of the entries: V itself has an error of "
              << decimal_text(experiment::spread_of(recovery.spoiled).median, 4) << "\n"
              << table_text(recovery);
    for (const std::string& sentence : faces_verdict(recovery)) std::cout << "- " << sentence << "\n";
  }
  if (!flags.picture.empty())
    say("picture " + printable(flags.picture) + ": R-NMF, ONMF; below them R-ONMF, R-SVRMU");
  if (!flags.output.empty() && flags.output != standard_stream) say("saved " + printable(flags.output));
  tell_report(flags.report);
  return done;
}

}  // namespace svrmu::cli
