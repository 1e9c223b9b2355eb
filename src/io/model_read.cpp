#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "io/mapped_file.hpp"
#include "io/model_check.hpp"
#include "io/model_file.hpp"
#include "io/model_reader.hpp"
#include "io/model_seal.hpp"

namespace svrmu::io {
namespace {

std::vector<EpochRecord> get_history(ModelReader& in, const ModelGroup& root) {
  const ModelGroup group = in.group(root, "history");
  std::vector<EpochRecord> history;
  bool first = true;
  visit_history([&]<class Value>(const char* name, Value EpochRecord::*field) {
    using Stored = std::conditional_t<std::is_same_v<Value, bool>, std::uint8_t, Value>;
    const bool may_lack = name == columns_evaluated || name == estimated || name == violation;
    if (may_lack && !ModelReader::has(group, name)) return;
    const std::vector<Stored> column = in.list<Stored>(group, name);
    const std::string part = "dataset /history/" + std::string(name);
    if (std::exchange(first, false)) {
      in.take(part, column.size(), sizeof(EpochRecord));
      history.resize(column.size());
    }
    if (column.size() != history.size())
      in.fail(part, "it has " + std::to_string(column.size()) + " entries, but epoch has " +
                        std::to_string(history.size()));
    for (std::size_t i = 0; i < column.size(); ++i) history[i].*field = static_cast<Value>(column[i]);
  });
  return history;
}

template <class Scalar>
void get_sparse_outliers(ModelReader& in, const ModelGroup& root, FitResult<Scalar>& fit) {
  const ModelGroup group = in.group(root, "R");
  const Index rows = fit.W.rows();
  const Index columns = fit.H.cols();
  if (in.list<Index>(group, "shape") != std::vector<Index>{rows, columns})
    in.fail("dataset /R/shape", "it must be that of V");
  const auto offsets = in.list<Index>(group, "indptr");
  const auto indices = in.list<Index>(group, "indices");
  const auto values = in.list<Scalar>(group, "data");
  const auto held = static_cast<Index>(values.size());
  if (indices.size() != values.size()) in.fail("dataset /R/indices", "it must be as long as /R/data");
  bool fits = offsets.size() == static_cast<std::size_t>(columns) + 1 && offsets.front() == 0 &&
              offsets.back() == held && std::is_sorted(offsets.begin(), offsets.end());
  if (!fits) in.fail("dataset /R/indptr", "it must lead from 0 to the number of entries, column by column");
  for (Index column = 0; column < columns; ++column)
    for (Index p = offsets[static_cast<std::size_t>(column)];
         p < offsets[static_cast<std::size_t>(column) + 1]; ++p) {
      const Index row = indices[static_cast<std::size_t>(p)];
      const bool is_first = p == offsets[static_cast<std::size_t>(column)];
      const Index least = is_first ? 0 : indices[static_cast<std::size_t>(p) - 1] + 1;
      if (row < least || row >= rows)
        in.fail("dataset /R/indices", "entry " + std::to_string(p + 1) + " (counted from 1) is " +
                                          std::to_string(row) + ", but must lie between " +
                                          std::to_string(least) + " and " + std::to_string(rows - 1));
    }
  in.take("group /R", offsets.size() + indices.size() + values.size(), sizeof(Index));
  fit.R_sparse = Eigen::Map<const SparseMatrix<Scalar>>(rows, columns, held, offsets.data(), indices.data(),
                                                        values.data());
}

// H of a stream has no columns, and what has no numbers is read as 0 x 0.
template <class Scalar>
void keep_rows_of_empty(Matrix<Scalar>& H, Index rank) {
  if (H.size() == 0) H.resize(rank, 0);
}

template <class Scalar>
typename Checkpoint<Scalar>::Iterate get_iterate(ModelReader& in, const ModelGroup& group) {
  typename Checkpoint<Scalar>::Iterate iterate;
  in.matrix(group, "W", iterate.W);
  in.matrix(group, "H", iterate.H);
  keep_rows_of_empty(iterate.H, iterate.W.cols());
  if (ModelReader::has(group, "R")) in.matrix(group, "R", iterate.R);
  if (ModelReader::has(group, "R_values")) iterate.R_values = in.list<Scalar>(group, "R_values");
  return iterate;
}

template <class Scalar>
void get_checkpoint(ModelReader& in, const ModelGroup& group, FitResult<Scalar>& fit) {
  Checkpoint<Scalar>& checkpoint = fit.checkpoint;
  checkpoint.current = get_iterate<Scalar>(in, in.group(group, "current"));
  if (ModelReader::has(group, "best")) checkpoint.best = get_iterate<Scalar>(in, in.group(group, "best"));
  if (checkpoint.in_start) return checkpoint.numbers.clear();  // there is no solver yet
  // Only what the solver knows: nothing else reaches it.
  const ModelGroup matrices = in.group(group, "matrices");
  const std::map<std::string, double> numbers = std::exchange(checkpoint.numbers, {});
  for (const StatePart& part : state_parts(fit)) {
    if (part.kind == StatePart::Kind::matrix)
      in.matrix(matrices, part.name, checkpoint.matrices[part.name]);
    else if (const auto found = numbers.find(part.name); found != numbers.end())
      checkpoint.numbers.insert(*found);
  }
}

// Calls a check, and puts the file's name in front of what it says.
template <class Check>
void checked(const ModelReader& in, const Check& check) {
  try {
    check();
  } catch (const InvalidData&) {
    throw;
  } catch (const InvalidInput& error) {
    throw InvalidData(in.name() + ", " + error.what());
  }
}

template <class Scalar>
Model<Scalar> read_as(ModelReader& in, const ModelGroup& root, const ModelTexts& texts, bool sealed) {
  Model<Scalar> model;
  model.has_checksum = sealed;
  FitResult<Scalar>& fit = model.fit;
  parse_texts(in.name(), texts, model);
  in.matrix(root, "W", fit.W);
  in.matrix(root, "H", fit.H);
  keep_rows_of_empty(fit.H, fit.W.cols());
  if (ModelReader::has(root, "column_norms")) fit.column_norms = in.list<double>(root, "column_norms");
  checked(in, [&] { check_factors(fit); });
  if (in.has_group(root, "R"))
    get_sparse_outliers(in, root, fit);
  else if (ModelReader::has(root, "R"))
    in.matrix(root, "R", fit.R);
  fit.algorithm = model.algorithm;
  fit.checkpoint.runs.stopping = model.stopping;
  fit.history = get_history(in, root);
  fit.warnings = in.names(root, "warnings");
  model.feature_names = in.names(root, "feature_names");
  model.sample_names = in.names(root, "sample_names");
  for (std::size_t i = 0; i < model.preprocessing.steps.size(); ++i) {
    auto& [step, numbers] = model.preprocessing.steps[i];
    if (numbers_learned(step, fit.W.rows()) > 0)
      numbers = in.list<double>(in.group(root, "preprocessing"), "numbers_" + std::to_string(i));
  }
  if (texts.can_resume) {
    checked(in, [&] { check_resolved(fit.solver, fit.H.cols()); });
    get_checkpoint(in, in.group(root, "resume"), fit);
  }
  checked(in, [&] { check_model(model); });
  return model;
}

AnyModel read_by_h5(const Input& input, bool sealed) {
  const H5Handle file = open_h5_image(input.name, input.bytes);
  if (!file) fail(input, "is not a model of svrmu, or damaged; HDF5 says: " + h5_reason());
  ModelReader in(input.name, input.bytes.size());
  const ModelGroup root = in.root(file.id());
  ModelTexts texts;
  texts.root = in.texts(root);
  check_format(input.name, texts.root);
  texts.options = in.texts(root, "options");
  texts.data = in.texts(root, "data");
  texts.preprocessing = in.texts(root, "preprocessing");
  texts.can_resume = ModelReader::has(root, "resume");
  if (texts.can_resume) {
    const ModelGroup resume = in.group(root, "resume");
    texts.resume = in.texts(resume);
    texts.numbers = in.texts(resume, "numbers");
  }
  const ModelDataset W = in.dataset(root, "W", 2);
  if (ModelReader::holds<float>(W)) return read_as<float>(in, root, texts, sealed);
  if (ModelReader::holds<double>(W)) return read_as<double>(in, root, texts, sealed);
  in.fail(W.part, "its numbers must be float32 or float64");
}

}  // namespace

AnyModel read_model(const Input& input) {
  const bool sealed = check_seal(input);
  return with_h5(h5_got_no_memory(input.name), [&] { return read_by_h5(input, sealed); });
}

AnyModel read_model(const std::string& path) { return read_model(map_file(path)); }

AnyModel read_model(std::span<const std::byte> bytes) {
  return read_model(Input{.name = "the model", .bytes = bytes, .owner = nullptr, .release = {}});
}

}  // namespace svrmu::io
