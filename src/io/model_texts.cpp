#include "io/model_texts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <tuple>
#include <utility>

#include "io/input.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

constexpr std::string_view format = "svrmu model";
constexpr Index newest_version = 3;
constexpr Index version_with_h = 2;  // models that keep H are written so that older readers take them

// No value but a command, a path or steps is longer; comparing long names with known ones would take long.
constexpr std::size_t longest = 100;

constexpr std::array<std::string_view, 3> orientations = {"automatic", "rows", "columns"};
constexpr std::array<StopReason, 10> reasons = {StopReason::relative_change,   StopReason::kkt,
                                                StopReason::violation,         StopReason::error_fall,
                                                StopReason::epoch_limit,       StopReason::gradient_budget,
                                                StopReason::time_limit,        StopReason::cancelled,
                                                StopReason::numerical_failure, StopReason::end_of_stream};

std::string text_of(const std::string& text) { return text; }
std::string text_of(const Loss& loss) { return to_string(loss); }
std::string text_of(StopReason reason) { return std::string(to_string(reason)); }
std::string text_of(Start start) { return std::string(choices(start)[static_cast<std::size_t>(start)]); }
std::string text_of(SamplesIn samples) {
  return std::string(orientations[static_cast<std::size_t>(samples)]);
}
std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(double value) { return number_text(value); }
template <std::integral Number>
std::string text_of(Number value) {
  return std::to_string(value);
}

template <class Value>
std::optional<std::string> text_if_any(const Value& value) {
  return text_of(value);
}
template <class Value>
std::optional<std::string> text_if_any(const std::optional<Value>& value) {
  return value ? std::optional(text_of(*value)) : std::nullopt;
}

// Each throws InvalidInput with what is wrong.
void parse(const std::string& text, std::string& value) { value = text; }
void parse(const std::string& text, Loss& loss) { loss = parse_loss(text); }
void parse(const std::string& text, StopReason& reason) {
  const auto found = std::find_if(reasons.begin(), reasons.end(),
                                  [&](StopReason known) { return to_string(known) == text; });
  if (found == reasons.end()) throw InvalidInput(in_quotes(text) + " is no reason to stop");
  reason = *found;
}
template <class Enumeration, class Names>
void parse_choice(const std::string& text, const Names& names, Enumeration& value) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw InvalidInput(in_quotes(text) + " is not one of " + list_text(names));
  value = static_cast<Enumeration>(found - names.begin());
}
void parse(const std::string& text, SamplesIn& samples) { parse_choice(text, orientations, samples); }
void parse(const std::string& text, Start& start) { parse_choice(text, choices(start), start); }
void parse(const std::string& text, bool& value) {
  if (text != "true" && text != "false") throw InvalidInput(in_quotes(text) + " is neither true nor false");
  value = text == "true";
}
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void parse(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return;
  throw InvalidInput(in_quotes(text) + " is not a " +
                     (std::integral<Number> ? "whole number in range" : "number"));
}

// A file has one of the two numbers that V is known by; none if V was not described.
template <class Value>
void parse(const std::string& text, std::optional<Value>& value) {
  parse(text, value.emplace());
}
template <class Value>
constexpr bool may_be_missing(const std::optional<Value>&) {
  return true;
}
template <class Value>
constexpr bool may_be_missing(const Value&) {
  return false;
}

// What older files lack: they were not interrupted in their start, know nothing of restarts and of
// scikit-learn's rules, counted no steps of W, and do not know the loss of the null model and how much was
// read to evaluate. Only a model of a stream knows of one.
bool is_newer(const std::string& attribute) {
  return attribute == "in_start" || attribute == "null_cost" || attribute == "w_steps" ||
         attribute == "violation" || attribute == "error_fall" || attribute == "violation_start" ||
         attribute == "columns_evaluated" || attribute.starts_with("runs_") ||
         attribute.starts_with("stream_");
}

// The fields of a struct of options are attributes of their names.
template <class Options, class Visit>
void visit_list(Options& options, const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(std::string(field.name), options.*(field.member)), ...); },
             Options::fields());
}

// The attributes of each group, once for both directions. The format and its version are apart.
template <class AnyModel, class Visit>
void visit_root(AnyModel& model, const Visit& visit) {
  auto& fit = model.fit;
  visit("version", model.version);
  visit("created", model.created);
  visit("command", model.command);
  visit("algorithm", model.algorithm);
  visit("rank", fit.rank);
  visit("loss", fit.loss);
  visit("seed", fit.seed);
  visit("stop_reason", fit.reason);
  visit("returned", fit.returned);
  visit("null_cost", fit.null_cost);
  visit_list(fit.penalties, visit);
  visit_list(model.stopping, visit);
  visit("normalize", model.normalize);
  visit("evaluate_every", model.evaluate_every);
  // transform() needs these two of the checkpoint as well.
  visit("w_scale", fit.checkpoint.w_scale);
  visit("h_scale", fit.checkpoint.h_scale);
}

template <class Data, class Visit>
void visit_data(Data& data, const Visit& visit) {
  visit("path", data.path);
  visit("features", data.features);
  visit("samples", data.samples);
  visit("stored", data.stored);
  visit("sparse", data.sparse);
  visit("samples_in", data.samples_in);
  visit("fingerprint", data.fingerprint);
  visit("checksum", data.checksum);
}

template <class AnyCheckpoint, class Visit>
void visit_resume(AnyCheckpoint& checkpoint, const Visit& visit) {
  visit("best_objective", checkpoint.best_objective);
  visit("best_entry", checkpoint.best_entry);
  visit("best_epoch", checkpoint.best_epoch);
  visit("epoch", checkpoint.epoch);
  visit("step_factor", checkpoint.step_factor);
  visit("rollbacks", checkpoint.rollbacks);
  visit("gradient_count", checkpoint.gradient_count);
  visit("columns_read", checkpoint.columns_read);
  visit("w_steps", checkpoint.w_steps);
  visit("columns_evaluated", checkpoint.columns_evaluated);
  visit("solver_seconds", checkpoint.solver_seconds);
  visit("evaluate_seconds", checkpoint.evaluate_seconds);
  visit("kkt_start", checkpoint.kkt_start);
  visit("violation_start", checkpoint.violation_start);
  visit("in_start", checkpoint.in_start);
  auto& runs = checkpoint.runs;
  visit("runs_restarts", runs.restarts);
  visit("runs_first_seed", runs.first_seed);
  visit("runs_ended", runs.ended);
  visit("runs_start", runs.start);
  visit("runs_given", runs.given);
  visit("runs_reason", runs.reason);
  visit("runs_other_objective", runs.other_objective);
  visit("runs_other_seed", runs.other_seed);
  visit("runs_other_seconds", runs.other_seconds);
}

template <class State, class Visit>
void visit_stream(State& stream, const Visit& visit) {
  visit("stream_columns", stream.columns);
  visit("stream_windows", stream.windows);
  visit("stream_weight", stream.weight);
  visit("stream_cost", stream.cost);
  visit("stream_on_h", stream.on_h);
  visit("stream_residual", stream.residual);
  visit("stream_squared", stream.squared);
  visit("stream_last_record", stream.last_record);
}

template <class AnyModel, class Visit>
void visit_section(AnyModel& model, Section section, const Visit& visit) {
  if (section == Section::root) visit_root(model, visit);
  if (section == Section::data) visit_data(model.data, visit);
  if (section != Section::resume) return;
  visit_resume(model.fit.checkpoint, visit);
  visit_stream(model.fit.checkpoint.stream, visit);
}

void check_length(const std::string& text) {
  if (text.size() > longest) throw InvalidInput(in_quotes(text) + " is far too long");
}

// Both may have parts of an untrusted file in them.
[[noreturn]] void fail(const std::string& name, const std::string& attribute, const std::string& what) {
  throw InvalidData(name + ", " +
                    printable("attribute " + attribute.substr(0, 80) + ": " + what.substr(0, 400)));
}

// Reads the attributes of one section.
template <class Scalar>
class SectionParser {
 public:
  SectionParser(const std::string& name, const Texts& texts, Section section, std::string prefix,
                Model<Scalar>& model)
      : name_(name), texts_(texts), section_(section), prefix_(std::move(prefix)), model_(model) {}

  void need_all_fields() const {
    visit_section(model_, section_, [&](const std::string& attribute, const auto& field) {
      if (!may_be_missing(field)) need(attribute);
    });
  }
  void need(const std::string& attribute) const {
    if (!texts_.contains(attribute) && !is_newer(attribute))
      fail(name_, prefix_ + attribute, "it is missing, or not a text");
  }
  void set(const std::string& attribute) const {
    try {
      set_text(model_, section_, attribute, texts_.at(attribute));
    } catch (const InvalidInput& error) {
      fail(name_, prefix_ + attribute, error.what());
    }
  }
  void set_all() const {
    for (const auto& [attribute, text] : texts_) set(attribute);
  }

 private:
  const std::string& name_;
  const Texts& texts_;
  Section section_;
  std::string prefix_;
  Model<Scalar>& model_;
};

}  // namespace

void check_format(const std::string& name, const Texts& root) {
  const auto found = root.find("format");
  if (found == root.end() || found->second != format)
    throw InvalidData(name + ": is not a model of svrmu (its attribute format is not '" +
                      std::string(format) + "')");
  const auto given = root.find("format_version");
  Index version = 0;
  try {
    parse(given == root.end() ? "" : given->second, version);
  } catch (const InvalidInput& error) {
    fail(name, "format_version", error.what());
  }
  if (version > newest_version)
    throw InvalidData(name + ": has version " + std::to_string(version) +
                      " of the model format, and this svrmu reads up to " + std::to_string(newest_version) +
                      ": a newer svrmu wrote it and can read it");
  if (version < 1) throw InvalidData(name + ", attribute format_version: it is " + std::to_string(version));
}

template <class Scalar>
ModelTexts to_texts(const Model<Scalar>& model) {
  ModelTexts texts;
  const auto into = [](Texts& to) {
    return [&to](const std::string& attribute, const auto& field) {
      if (const std::optional<std::string> text = text_if_any(field)) to[attribute] = *text;
    };
  };
  texts.root["format"] = format;
  const bool keeps_h = model.fit.H.cols() > 0;
  texts.root["format_version"] = text_of(keeps_h ? version_with_h : newest_version);
  visit_root(model, into(texts.root));
  visit_data(model.data, into(texts.data));
  texts.options["solver"] = name_of(model.fit.solver);
  for (const OptionInfo& option : options_of(model.fit.solver)) texts.options[option.name] = option.value;
  texts.preprocessing["steps"] = to_string(model.preprocessing);
  const Checkpoint<Scalar>& checkpoint = model.fit.checkpoint;
  texts.can_resume = checkpoint.current.W.size() > 0;
  visit_resume(checkpoint, into(texts.resume));
  if (!keeps_h) visit_stream(checkpoint.stream, into(texts.resume));
  for (const auto& [name, number] : checkpoint.numbers) texts.numbers[name] = text_of(number);
  return texts;
}

template <class Scalar>
void set_text(Model<Scalar>& model, Section section, const std::string& attribute, const std::string& text) {
  if (section == Section::options) {
    check_length(attribute);
    check_length(text);
    if (attribute == "solver")
      model.fit.solver = solver_named(text);
    else
      set_option(model.fit.solver, attribute, text);
  } else if (section == Section::preprocessing) {
    if (attribute != "steps") return;
    model.preprocessing.steps.clear();
    for (const PreprocessStep step : parse_steps(text)) model.preprocessing.steps.push_back({step, {}});
  } else if (section == Section::numbers) {
    parse(text, model.fit.checkpoint.numbers[attribute]);
  } else {
    visit_section(model, section, [&](std::string_view field_name, auto& field) {
      if (field_name != attribute) return;
      if (!std::same_as<decltype(field), std::string&>) check_length(text);
      parse(text, field);
    });
  }
}

template <class Scalar>
void parse_texts(const std::string& name, const ModelTexts& texts, Model<Scalar>& model) {
  check_format(name, texts.root);
  for (const auto& [section, prefix, given] :
       {std::tuple{Section::root, "", &texts.root}, std::tuple{Section::data, "data/", &texts.data},
        std::tuple{Section::resume, "resume/", &texts.resume}}) {
    if (section == Section::resume && !texts.can_resume) continue;
    const SectionParser<Scalar> parser(name, *given, section, prefix, model);
    parser.need_all_fields();
    parser.set_all();
  }
  // The solver first: it decides which options there are. One that the file lacks is newer than the file
  // and keeps its default.
  Texts options = texts.options;
  const SectionParser<Scalar> parser(name, options, Section::options, "options/", model);
  parser.need("solver");
  parser.set("solver");
  options.erase("solver");
  parser.set_all();

  const SectionParser<Scalar> steps(name, texts.preprocessing, Section::preprocessing, "preprocessing/",
                                    model);
  steps.need("steps");
  steps.set_all();
  if (texts.can_resume)
    SectionParser<Scalar>(name, texts.numbers, Section::numbers, "resume/numbers/", model).set_all();
}

#define SVRMU_INSTANTIATE(S)                                                          \
  template ModelTexts to_texts(const Model<S>&);                                      \
  template void set_text(Model<S>&, Section, const std::string&, const std::string&); \
  template void parse_texts(const std::string&, const ModelTexts&, Model<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::io
