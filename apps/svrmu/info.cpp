// svrmu info: what is in a file.
#include <iostream>

#include "child_reader.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "fit_flags.hpp"
#include "fit_outcome.hpp"
#include "input_flags.hpp"
#include "json.hpp"
#include "model_input.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/svrmu.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
namespace {

constexpr Index usual_rank = 10;

struct InfoFlags {
  InputFlags input;
  Index rank = 0;  // 0: the usual one, or the smaller side of V
  bool json = false;
};

Json occurrence_json(const Occurrence& found) {
  Json json = {{"count", found.count}};
  if (found.count > 0) {
    json["first_feature"] = found.feature + first_index;
    json["first_sample"] = found.sample + first_index;
  }
  return json;
}

std::string place_text(const Occurrence& found, const io::MatrixFile& file) {
  const auto place = [](const char* what, Index at, const std::vector<std::string>& names) {
    std::string text = std::string(what) + " " + std::to_string(at + 1);
    if (!names.empty()) text += " ('" + printable(names[static_cast<std::size_t>(at)]) + "')";
    return text;
  };
  return number_text(found.count) + ", the first at " +
         place("feature", found.feature, file.feature_names()) + ", " +
         place("sample", found.sample, file.sample_names()) + " (counted from 1)";
}

void line(const std::string& what, const std::string& text) {
  std::cout << what << std::string(what.size() < 16 ? 16 - what.size() : 1, ' ') << text << "\n";
}

double bytes_of(const io::MatrixFile& file) {
  const double scalar = file.is_double() ? 8 : 4;
  const double stored = static_cast<double>(file.stored());
  return file.is_sparse() ? stored * (scalar + 8) + 8 * static_cast<double>(file.sample_count() + 1)
                          : stored * scalar;
}

template <class Scalar>
void print(const io::MatrixFile& file, const InfoFlags& flags) {
  const auto V = io::open_source<Scalar>(file);
  const DataSummary s = describe(*V, flags.input.threads);
  const double entries = static_cast<double>(s.features) * static_cast<double>(s.samples);
  if (entries == 0)
    throw InvalidData(spoken_input(file.path) + ": is " + shape_text(file.rows, file.columns) +
                      ": there is nothing in it");
  const bool usable = s.nan.count == 0 && s.infinite.count == 0 && s.negative.count == 0 && s.most > 0;
  if (flags.rank > 0) check_rank_flag(flags.rank, false, file.path, file.features(), file.sample_count());
  const Index rank = flags.rank > 0 ? flags.rank : std::min({usual_rank, s.features, s.samples});
  double fit_bytes = 0;
  std::string algorithm;
  if (usable) {
    try {
      const FitPlan plan = plan_fit(*V, Auto{}, FitOptions<Scalar>{.rank = rank});
      algorithm = plan.choice.name;
      fit_bytes = plan.bytes;
    } catch (const InvalidData& error) {
      throw InvalidData(spoken_input(file.path) + ": " + error.what());
    }
  }
  if (flags.json) {
    const Json json = {
        {"path", file.path},
        {"format", file.format},
        {"elements", file.elements},
        {"rows", file.rows},
        {"columns", file.columns},
        {"samples_in", file.samples == io::SamplesIn::rows ? "rows" : "columns"},
        {"samples", s.samples},
        {"features", s.features},
        {"sparse", file.is_sparse()},
        {"stored", s.stored},
        {"nonzeros", s.nonzeros},
        {"density", s.nonzeros / entries},
        {"least", number_or_null(s.least)},
        {"most", number_or_null(s.most)},
        {"mean", number_or_null(s.mean)},
        {"empty_features", s.empty_features},
        {"empty_samples", s.empty_samples},
        {counted_from, first_index},
        {"nan", occurrence_json(s.nan)},
        {"infinite", occurrence_json(s.infinite)},
        {"negative", occurrence_json(s.negative)},
        {"feature_names", !file.feature_names().empty()},
        {"sample_names", !file.sample_names().empty()},
        {"bytes_in_memory", bytes_of(file)},
        {"fit", usable ? Json{{"rank", rank}, {"algorithm", algorithm}, {"bytes_beyond_V", fit_bytes}}
                       : Json(nullptr)}};
    std::cout << dump(json);
    return;
  }
  std::cout << s.samples << " samples x " << s.features << " features\n";
  line("file", spoken_input(file.path) + " (" + file.format + ", " + file.elements + ")");
  line("stored", std::to_string(file.rows) + " rows x " + std::to_string(file.columns) + " columns, " +
                     (file.is_sparse() ? "sparse, " : "dense, ") + "samples in " +
                     (file.samples == io::SamplesIn::rows ? "rows" : "columns"));
  line("nonzeros", number_text(s.nonzeros) + " of " + number_text(entries) + " (" +
                       short_number(100 * s.nonzeros / entries) + " %)");
  line("values", short_number(s.least) + " to " + short_number(s.most) + ", mean " + short_number(s.mean));
  line("empty", counted(double(s.empty_features), "feature", "features") + ", " +
                    counted(double(s.empty_samples), "sample", "samples"));
  const auto names = [](const std::vector<std::string>& all) {
    if (all.empty()) return std::string("none");
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i)
      text += (i == 0 ? "" : ", ") + printable(all[i].substr(0, 40));
    return text + (all.size() > 4 ? ", ..." : "");
  };
  line("feature names", names(file.feature_names()));
  line("sample names", names(file.sample_names()));
  if (s.nan.count > 0) line("NaN", place_text(s.nan, file));
  if (s.infinite.count > 0) line("infinite", place_text(s.infinite, file));
  if (s.negative.count > 0) line("negative", place_text(s.negative, file));
  line("memory", byte_size(bytes_of(file)) + " for V" +
                     (usable ? ", " + byte_size(fit_bytes) + " more for a fit by " + algorithm +
                                   " with K = " + std::to_string(rank)
                             : "; it cannot be factorized as it is"));
  if (flags.input.samples == "auto" && file.natural == io::SamplesIn::automatic)
    line("note", "if the samples are the rows, say --samples rows");
}

template <class Scalar>
void print(const io::Model<Scalar>& model, const InfoFlags& flags) {
  const FitResult<Scalar>& fit = model.fit;
  const EpochRecord& at = fit.record();
  const Quality found = quality(fit);
  const std::vector<std::string> notes = report::cautions(model);
  const StreamState& seen = fit.checkpoint.stream;
  const bool stream = fit.H.cols() == 0;
  const bool goes_on = fit.checkpoint.current.W.size() > 0;
  if (flags.json) {
    Json json = {{"path", flags.input.path},     {"format", "svrmu model"},  {"version", model.version},
                 {"created", model.created},     {"command", model.command}, {"input", model.data.path},
                 {"samples", model.data.samples}};
    json.update(model_json(model));
    json.update(Json{
        {"stream", stream
                       ? Json{{"columns", seen.columns}, {"windows", seen.windows}, {"weight", seen.weight}}
                       : Json(nullptr)},
        {"estimated", at.estimated},
        {"epochs", fit.history.back().epoch},
        {"warnings", notes},
        {"feature_names", !model.feature_names.empty()},
        {"sample_names", !model.sample_names.empty()},
        {"can_be_resumed", goes_on && !stream},
        {"can_be_updated", goes_on && !has_outliers(fit.solver)}});
    std::cout << dump(json);
    return;
  }
  std::cout << "model of " << (stream ? "a stream of " : "") << model.data.samples << " samples x "
            << model.data.features << " features, K = " << fit.rank << "\n";
  for (const std::string& note : notes) line("note", note);
  line("file", spoken_input(flags.input.path));
  line("made", printable(model.created) + " by svrmu " + printable(model.version));
  line("command", printable(model.command));
  line("data",
       printable(model.data.path) +
           (model.preprocessing.steps.empty() ? "" : ", preprocessed by " + to_string(model.preprocessing)));
  line("algorithm",
       printable(model.algorithm) + ", loss " + to_string(fit.loss) + ", seed " + std::to_string(fit.seed));
  const std::string about = at.estimated ? "about " : "";
  line("found", found.measure + " " + about + short_number(found.value) + ": " + found.meaning +
                    "; objective " + about + short_number(at.objective) +
                    (stream ? " (estimates, from each sample when it was seen)" : ""));
  if (stream)
    line("learned", "from " + counted(double(model.data.samples), "sample", "samples") +
                        ", each seen once; H is not kept: svrmu transform gives it");
  line("ended",
       (stream ? "" : "after " + counted(double(fit.history.back().epoch), "epoch", "epochs") + ": ") +
           report::stop_text(fit, model.stopping));
  if (goes_on && stream) line("goes on", "svrmu update " + shell_word(flags.input.path) + " NEW -o FILE");
  line("names", std::string(model.feature_names.empty() ? "no" : "named") + " features, " +
                    (model.sample_names.empty() ? "no" : "named") + " samples");
}

}  // namespace

Run add_info(CLI::App& program) {
  CLI::App& app = *program.add_subcommand("info", "What is in a file");
  const auto flags = std::make_shared<InfoFlags>();
  app.description(
      "What is in a matrix or model file: shape, type, values, names, and what a fit would need.\n\n"
      "Examples:\n"
      "  svrmu info counts.mtx\n"
      "  svrmu info cells.h5ad:layers/counts --json\n"
      "  svrmu info counts.svrmu.h5\n");
  app.add_option("FILE", flags->input.path, "matrix or model; - reads a stream")->required();
  app.add_option("-k,--rank", flags->rank,
                 "components of the fit whose memory is estimated [10, or the smaller side of V]")
      ->type_name("K")
      ->check(CLI::Range(Index{1}, Index{46340}));
  add_samples_flag(app, flags->input.samples);
  add_reading_flags(app, flags->input, "Input");
  add_trusted_flag(app, flags->input.trusted);
  add_threads_flag(app, flags->input.threads);
  add_json_flag(app, flags->json);
  return [flags, &app] {
    if (is_model(flags->input.path, flags->input.trusted)) {
      for (const char* flag : {"--rank", "--samples", "--threads", "--format", "--delimiter", "--decimal",
                               "--row-names", "--column-names"})
        if (app.get_option(flag)->count() > 0)
          throw UsageError(std::string(flag) + " does not apply to a model");
      const io::AnyModel any = read_model(flags->input.path);
      std::visit([&](const auto& model) { print(model, *flags); }, any);
    } else {
      const io::MatrixFile file = read_input(flags->input);
      note_names_nearby(file, flags->input);
      file.is_double() ? print<double>(file, *flags) : print<float>(file, *flags);
    }
    return int{done};
  };
}

}  // namespace svrmu::cli
