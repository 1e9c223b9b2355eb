// What a model says in words: names, options, and what it is worth.
#include <functional>
#include <map>

#include "c/errors.hpp"
#include "c/model.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

using Lines = std::vector<std::string>;

template <class Options>
void add_lines(const Options& options, Lines& lines) {
  for (const OptionInfo& info : options_of(options)) lines.push_back(info.name + "=" + info.value);
}

// What was asked for, without what does not change the answer.
template <class Scalar>
Lines fit_option_lines(const io::Model<Scalar>& model) {
  FitOptions<Scalar> options;
  options.rank = model.fit.rank;
  options.loss = model.fit.loss;
  options.seed =
      model.fit.checkpoint.runs.restarts > 1 ? model.fit.checkpoint.runs.first_seed : model.fit.seed;
  options.start = model.fit.checkpoint.runs.start;
  options.restarts = model.fit.checkpoint.runs.restarts;
  options.normalize = model.normalize;
  options.evaluate_every = model.evaluate_every;
  Lines lines;
  add_lines(options, lines);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("threads=") || line.starts_with("force_rank=");
  });
  add_lines(model.stopping, lines);
  add_lines(model.fit.penalties, lines);
  return lines;
}

template <class Scalar>
Lines solver_option_lines(const io::Model<Scalar>& model) {
  Lines lines;
  add_lines(model.fit.solver, lines);
  return lines;
}

template <class Scalar>
Lines model_lines(const io::Model<Scalar>& model, std::string_view which) {
  using Make = std::function<Lines()>;
  const std::map<std::string, Make, std::less<>> makers{
      {"algorithm", [&] { return Lines{model.algorithm}; }},
      {"choice", [&] { return Lines{model.fit.choice}; }},
      {"stop_reason", [&] { return Lines{std::string(to_string(model.fit.reason))}; }},
      {"loss", [&] { return Lines{to_string(model.fit.loss)}; }},
      {"quality", [&] { return Lines{quality(model.fit).meaning}; }},
      {"summary", [&] { return Lines{summary(model.fit)}; }},
      {"version", [&] { return Lines{model.version}; }},
      {"created", [&] { return Lines{model.created}; }},
      {"command", [&] { return Lines{model.command}; }},
      {"preprocessing", [&] { return Lines{to_string(model.preprocessing)}; }},
      {"warnings", [&] { return model.fit.warnings; }},
      {"feature_names", [&] { return model.feature_names; }},
      {"sample_names", [&] { return model.sample_names; }},
      {"options", [&] { return solver_option_lines(model); }},
      {"fit_options", [&] { return fit_option_lines(model); }}};
  const auto found = makers.find(which);
  if (found != makers.end()) return found->second();
  std::vector<std::string> names;
  names.reserve(makers.size());
  for (const auto& [name, maker] : makers) names.push_back(name);
  throw InvalidInput("a model has no texts '" + std::string(which) + "'; " + nearest_text(which, names));
}

Lines unpacked(const svrmu_texts& texts) {
  if (texts.count < 0)
    throw InvalidInput("texts: count is " + std::to_string(texts.count) + "; it must not be negative");
  if (texts.count > 0 && texts.ends == nullptr) throw InvalidInput("texts: ends is NULL");
  Lines lines;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < texts.count; ++i) {
    const std::int64_t end = texts.ends[i];
    if (end < begin)
      throw InvalidInput("texts: text " + std::to_string(i) + " ends at " + std::to_string(end) +
                         ", before it begins, at " + std::to_string(begin));
    if (end > begin && texts.bytes == nullptr) throw InvalidInput("texts: bytes is NULL");
    lines.emplace_back(end > begin ? texts.bytes + begin : "", static_cast<std::size_t>(end - begin));
    begin = end;
  }
  return lines;
}

template <class Scalar>
void set_names(io::Model<Scalar>& model, const std::string& which, const Lines& names) {
  const bool features = which == "feature_names";
  if (!features && which != "sample_names")
    throw InvalidInput("texts '" + which + "' of a model cannot be set; feature_names and sample_names can");
  const Index wanted = features ? model.fit.W.rows() : model.fit.H.cols();
  if (!names.empty() && static_cast<Index>(names.size()) != wanted)
    throw InvalidInput("there are " + std::to_string(names.size()) + " " + which + ", but the model has " +
                       std::to_string(wanted) + (features ? " features" : " samples"));
  (features ? model.feature_names : model.sample_names) = names;
}

}  // namespace
}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_model_get_texts(const svrmu_model* model, const char* which, svrmu_texts* texts) {
  return guarded([&] {
    const svrmu_model& of = required(model, "model");
    const std::string_view name = required_text(which, "which");
    required(texts, "texts") = of.texts.get(name, [&] {
      return std::visit([&](const auto& held) { return model_lines(held, name); }, *of.held);
    });
  });
}

svrmu_code svrmu_model_set_texts(svrmu_model* model, const char* which, const svrmu_texts* texts) {
  return guarded([&] {
    svrmu_model& of = required(model, "model");
    const std::string name = required_text(which, "which");
    const Lines names = unpacked(required(texts, "texts"));
    std::visit([&](auto& held) { set_names(held, name, names); }, *of.held);
    of.texts.forget(name);
  });
}

}  // extern "C"
