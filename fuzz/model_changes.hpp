// Model files made of fuzz bytes: a good model, with parts of it changed, replaced or taken away as the bytes
// say. Random bytes would hardly ever get past HDF5 itself.
#pragma once

#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz_bytes.hpp"
#include "io/input.hpp"
#include "io/model_check.hpp"
#include "io/model_file.hpp"
#include "io/model_seal.hpp"
#include "io/model_texts.hpp"

namespace svrmu::io {

constexpr Index fuzzed_features = 4;
constexpr Index fuzzed_samples = 6;
constexpr Index fuzzed_rank = 2;

// A model that no fit has made, but that one could have: with all that this solver keeps.
template <class Scalar>
Model<Scalar> made_up_model(SolverOptions solver, const std::string& name) {
  for (const OptionInfo& option : options_of(solver)) {
    if (option.name == "batch_size") set_option(solver, "batch_size", "2");
    if (option.name == "outlier_penalty") set_option(solver, "outlier_penalty", "0.5");
    if (option.name == "outlier_update") set_option(solver, "outlier_update", "multiplicative");
  }
  Model<Scalar> model;
  model.algorithm = name;
  model.data = {"V.npy", fuzzed_features, fuzzed_samples, 24, false, SamplesIn::columns, 7};
  model.preprocessing.steps = {{PreprocessStep::max1, {0.5}},
                               {PreprocessStep::tfidf, std::vector<double>(fuzzed_features, 1.5)}};
  model.feature_names = {"a", "b", "", "d"};
  FitResult<Scalar>& fit = model.fit;
  fit.solver = solver;
  fit.rank = fuzzed_rank;
  fit.W.setConstant(fuzzed_features, fuzzed_rank, Scalar(0.5));
  fit.H.setConstant(fuzzed_rank, fuzzed_samples, Scalar(0.5));
  fit.R_sparse = Matrix<Scalar>::Ones(fuzzed_features, fuzzed_samples).sparseView();
  fit.R_sparse.makeCompressed();
  fit.history.resize(3);
  fit.returned = 1;
  fit.warnings = {"a warning"};
  Checkpoint<Scalar>& at = fit.checkpoint;
  at.current = {fit.W, fit.H, {}, {}};
  if (name.starts_with("r-")) at.current.R.setConstant(fuzzed_features, fuzzed_samples, Scalar(0.5));
  at.best = at.current;
  at.epoch = 2;
  // Which parts may be empty, and how large others are then, depends on those before: numbers first.
  for (const StatePart& part : state_parts(fit))
    if (part.kind != StatePart::Kind::matrix)
      at.numbers[part.name] = part.most < 10 ? part.most : std::max(part.least, 1.0);
  for (std::size_t i = 0; i < state_parts(fit).size(); ++i)
    if (const StatePart part = state_parts(fit)[i]; part.kind == StatePart::Kind::matrix)
      at.matrices[part.name] = Matrix<Scalar>::Constant(part.rows, part.columns, Scalar(0.5));
  return model;
}

inline std::vector<SolverInfo> fuzzed_solvers() {
  std::vector<SolverInfo> solvers = catalog();
  for (const char* statistics : {"accumulate", "replace"}) {
    SolverInfo info{"onmf", "", solver_named("onmf")};
    set_option(info.options, "statistics", statistics);
    solvers.push_back(info);
  }
  return solvers;
}

class ModelChanges : private FuzzBytes {
 public:
  explicit ModelChanges(Bytes bytes) : FuzzBytes(bytes) {}

  // Nothing if it is refused.
  std::optional<AnyModel> read() {
    const std::string& image = good();
    const H5Silence silence;
    const H5Handle access = h5_memory_access();
    H5Pset_file_image(access.id(), const_cast<char*>(image.data()), image.size());
    const H5Handle file(H5Fopen(h5_unique_name("fuzz", access).c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
    file_ = file.id();
    while (!at_end()) change();
    const std::span<char> changed = h5_image(file, access);
    if (changed.empty()) return std::nullopt;
    seal_model(changed);  // a fuzzer would never guess a checksum
    try {
      return read_model(Input{"fuzz", std::as_bytes(changed), nullptr, false, {}});
    } catch (const InvalidInput&) {
      return std::nullopt;
    } catch (const ResourceLimit&) {  // HDF5 was asked for too much
      return std::nullopt;
    }
  }

 private:
  // The file of a good model, made once for each solver and precision.
  const std::string& good() {
    static std::map<unsigned, std::string> images;
    static const std::vector<SolverInfo> solvers = fuzzed_solvers();
    const unsigned which = byte() % static_cast<unsigned>(2 * solvers.size());
    std::string& image = images[which];
    if (!image.empty()) return image;
    const SolverInfo& solver = solvers[which / 2];
    const auto keep = [&](std::string_view built) { image = built; };
    if (which % 2 == 0)
      build_model("fuzz", made_up_model<float>(solver.options, solver.name), keep);
    else
      build_model("fuzz", made_up_model<double>(solver.options, solver.name), keep);
    return image;
  }

  void change() {
    switch (byte() % 8) {
      case 0:
      case 1:
        return put_text(pick(attributes), below(3) ? pick(values) : text());
      case 2: {
        const auto [group, name] = split(pick(attributes));
        H5Adelete_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT);
        return;
      }
      case 3:
        H5Ldelete(file_, pick(parts).c_str(), H5P_DEFAULT);
        return;
      case 4:
      case 5:
        return put_dataset(pick(parts));
      case 6:
        return put_link(pick(parts));
      default:
        return scribble(pick(parts));
    }
  }

  static std::pair<std::string, std::string> split(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return {path.substr(0, slash + 1), path.substr(slash + 1)};
  }

  void put_text(const std::string& path, const std::string& content) {
    const auto [group, name] = split(path);
    H5Adelete_by_name(file_, group.c_str(), name.c_str(), H5P_DEFAULT);
    const H5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    const unsigned kind = below(16);
    H5Tset_size(type.id(), kind == 0 ? content.size() + 1 : H5T_VARIABLE);
    const H5Handle space(H5Screate(kind == 1 ? H5S_NULL : H5S_SCALAR), H5Sclose);
    const H5Handle attribute(H5Acreate_by_name(file_, group.c_str(), name.c_str(), type.id(), space.id(),
                                               H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
    const char* pointer = content.c_str();
    if (attribute)
      H5Awrite(attribute.id(), type.id(), kind == 0 ? static_cast<const void*>(pointer) : &pointer);
  }

  void put_dataset(const std::string& path) {
    H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE,  H5T_STD_U8LE,
                           H5T_IEEE_F64BE, H5T_STD_I32LE,  H5T_IEEE_F64LE, H5T_IEEE_F32LE};
    const hid_t type = types[below(8)];
    const hsize_t sides[] = {
        0, 1, 2, 3, 4, 6, 7, 24, 25, hsize_t{1} << 20, hsize_t{1} << 40, hsize_t{1} << 62};
    std::vector<hsize_t> size(below(8) ? 1 + below(2) : 3);
    std::uint64_t count = 1;
    bool fits = true;
    for (hsize_t& side : size) {
      side = sides[below(12)];
      fits = fits && multiply(count, side, count);
    }
    const H5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const std::vector<hsize_t> chunk(size.size(), 2);
    const unsigned layout = below(16);
    if (layout == 0) H5Pset_chunk(properties.id(), static_cast<int>(size.size()), chunk.data());
    if (layout == 1) H5Pset_layout(properties.id(), H5D_COMPACT);
    if (layout == 2) H5Pset_external(properties.id(), "/etc/passwd", 0, H5F_UNLIMITED);
    const H5Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
    const H5Handle dataset(
        H5Dcreate2(file_, path.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
        H5Dclose);
    if (dataset && fits && count < 1000 && layout != 2) fill(dataset.id(), count);
  }

  void put_link(const std::string& path) {
    H5Ldelete(file_, path.c_str(), H5P_DEFAULT);
    const std::string& target = pick(parts);
    const unsigned kind = below(4);
    if (kind == 0) H5Lcreate_soft(target.c_str(), file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (kind == 1) H5Lcreate_external("/etc/passwd", "/W", file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (kind > 1) H5Lcreate_hard(file_, target.c_str(), file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }

  void scribble(const std::string& path) {
    const H5Handle dataset(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) return;
    const H5Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (count > 0 && count < 1000) fill(dataset.id(), static_cast<std::uint64_t>(count));
  }

  void fill(hid_t dataset, std::uint64_t count) {
    const double numbers[] = {0,
                              1,
                              2,
                              3,
                              4,
                              6,
                              0.5,
                              -1,
                              1e300,
                              1e-320,
                              std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()};
    std::vector<double> content(count, numbers[below(12)]);
    for (unsigned left = below(8); left > 0 && count > 0; --left)
      content[below(static_cast<unsigned>(count))] = numbers[below(12)];
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.data());
  }

  static inline const std::vector<std::string> attributes = {
      "/format",
      "/format_version",
      "/rank",
      "/loss",
      "/stop_reason",
      "/seed",
      "/returned",
      "/l1_w",
      "/max_epochs",
      "/time_limit_seconds",
      "/w_scale",
      "/h_scale",
      "/options/solver",
      "/options/batch_size",
      "/options/order",
      "/options/safeguard",
      "/options/step",
      "/options/step_decay_clock",
      "/options/inner_steps",
      "/options/correction",
      "/options/h_rule",
      "/options/h_rule_limit",
      "/options/statistics",
      "/options/outlier_penalty",
      "/options/outlier_update",
      "/data/features",
      "/data/samples",
      "/data/stored",
      "/data/samples_in",
      "/preprocessing/steps",
      "/resume/best_entry",
      "/resume/best_epoch",
      "/resume/epoch",
      "/resume/step_factor",
      "/resume/rollbacks",
      "/resume/columns_read",
      "/resume/w_steps",
      "/resume/gradient_count",
      "/resume/numbers/batches",
      "/resume/numbers/passes",
      "/resume/numbers/columns",
      "/resume/numbers/mode",
      "/resume/numbers/visited",
      "/feature_names/escaped",
  };
  static inline const std::vector<std::string> values = {"0",
                                                         "1",
                                                         "2",
                                                         "3",
                                                         "4",
                                                         "6",
                                                         "-1",
                                                         "0.5",
                                                         "1e300",
                                                         "nan",
                                                         "inf",
                                                         "1e15",
                                                         "1e18",
                                                         "frobenius",
                                                         "kl",
                                                         "is",
                                                         "beta:0.5",
                                                         "automatic",
                                                         "cyclic",
                                                         "reshuffle",
                                                         "fixed",
                                                         "paper",
                                                         "gillis",
                                                         "true",
                                                         "false",
                                                         "accumulate",
                                                         "replace",
                                                         "reset",
                                                         "columns",
                                                         "svrmu",
                                                         "sag-mu",
                                                         "r-svrmu",
                                                         "onmf",
                                                         "fast",
                                                         "inc-mu",
                                                         "multiplicative",
                                                         "max1",
                                                         "tfidf",
                                                         "closed_form",
                                                         "l1,max1,tfidf",
                                                         "with_replacement",
                                                         "feature_max,l2",
                                                         "cancelled"};
  static inline const std::vector<std::string> parts = {
      "/W",
      "/H",
      "/R",
      "/R/data",
      "/R/indices",
      "/R/indptr",
      "/R/shape",
      "/feature_names",
      "/sample_names",
      "/warnings",
      "/history",
      "/history/epoch",
      "/history/objective",
      "/history/partial",
      "/options",
      "/data",
      "/preprocessing",
      "/preprocessing/numbers_0",
      "/preprocessing/numbers_1",
      "/resume",
      "/resume/current",
      "/resume/current/W",
      "/resume/current/H",
      "/resume/current/R",
      "/resume/current/R_values",
      "/resume/best",
      "/resume/best/W",
      "/resume/best/H",
      "/resume/best/R",
      "/resume/best/R_values",
      "/resume/numbers",
      "/resume/matrices",
      "/resume/matrices/A",
      "/resume/matrices/B",
      "/resume/matrices/C",
      "/resume/matrices/seen",
      "/resume/matrices/snapshot_up",
      "/resume/matrices/snapshot_HHt",
      "/resume/matrices/snapshot_h_sum",
      "/resume/matrices/snapshot_rest",
      "/resume/matrices/minus",
      "/resume/matrices/plus_0",
      "/resume/matrices/minus_2",
      "/resume/matrices/sum_plus",
      "/resume/matrices/VHt",
      "/resume/matrices/HHt",
      "/resume/matrices/R",
      "/resume/matrices/H",
      "/resume/matrices/Wy",
  };

  hid_t file_ = H5I_INVALID_HID;
};

// What was accepted must come out again as it went in.
inline void check_texts(const AnyModel& read) {
  std::visit(
      [](const auto& model) {
        const ModelTexts once = to_texts(model);
        auto again = model;
        parse_texts("fuzz", once, again);
        const ModelTexts twice = to_texts(again);
        if (once.root != twice.root || once.options != twice.options || once.data != twice.data ||
            once.preprocessing != twice.preprocessing || once.resume != twice.resume ||
            once.numbers != twice.numbers)
          std::abort();
      },
      read);
}

// The texts of a model, without HDF5 and so a hundred times faster: each line is a section's letter and
// "name=value".
inline void read_model_texts(std::string_view lines) {
  static const std::vector<SolverInfo> solvers = fuzzed_solvers();
  if (lines.empty()) return;
  Model<float> model;
  model.fit.solver = solvers[static_cast<unsigned char>(lines.front()) % solvers.size()].options;
  lines.remove_prefix(1);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    const std::size_t sign = line.find('=');
    if (sign == 0 || sign == std::string_view::npos) continue;
    constexpr std::string_view letters = "rodpsn";
    const std::size_t section = letters.find(line[0]);
    if (section != std::string_view::npos)
      set_text(model, static_cast<Section>(section), std::string(line.substr(1, sign - 1)),
               std::string(line.substr(sign + 1)));
  }
}

}  // namespace svrmu::io
