#include "svrmu/io/preprocess.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "io/input.hpp"
#include "linalg/parallel.hpp"
#include "linalg/validity.hpp"
#include "text/text.hpp"

namespace svrmu::io {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The stored entries of a file by sample and feature, whichever of them the storage goes along.
template <class Scalar>
struct Entries {
  Index majors = 0;
  Index minors = 0;
  const Index* offsets = nullptr;  // null: dense
  const Index* indices = nullptr;
  Scalar* values = nullptr;
  bool by_samples = true;

  // body(sample, feature, value), one after the other: in each sample features increase, in each feature
  // samples do. Sums therefore have the same bits for every kind of storage.
  template <class Body>
  void visit(const Body& body) const {
    visit(0, majors, body);
  }

  // The same on several threads: body may change nothing but its value.
  template <class Body>
  void visit_in_parallel(const Body& body) const {
    parallel_tiles(majors, 16, [&](Index begin, Index end) { visit(begin, end, body); });
  }

  // The same where body may also change what it keeps for its sample.
  template <class Body>
  void visit_samples(const Body& body) const {
    by_samples ? visit_in_parallel(body) : visit(body);
  }

  Index count() const { return offsets ? offsets[majors] : majors * minors; }

 private:
  template <class Body>
  void visit(Index begin, Index end, const Body& body) const {
    for (Index major = begin; major < end; ++major) {
      const Index first = offsets ? offsets[major] : major * minors;
      const Index last = offsets ? offsets[major + 1] : first + minors;
      for (Index p = first; p < last; ++p) {
        const Index minor = indices ? indices[p] : p - first;
        if (by_samples)
          body(major, minor, values[p]);
        else
          body(minor, major, values[p]);
      }
    }
  }
};

template <class Stored>
constexpr bool is_sparse_storage = requires(const Stored& m) {
  m.offsets;
};

template <class Stored>
auto entries_of(const MatrixFile& file, const Stored& m) {
  using Scalar = typename Stored::Value;
  const bool by_columns = m.layout == Layout::columns_contiguous;
  Entries<const Scalar> entries;
  entries.majors = by_columns ? file.columns : file.rows;
  entries.minors = by_columns ? file.rows : file.columns;
  entries.by_samples = by_columns == (file.samples != SamplesIn::rows);
  if constexpr (is_sparse_storage<Stored>) {
    entries.offsets = m.offsets;
    entries.indices = m.indices;
    entries.values = m.values;
  } else {
    entries.values = m.data;
  }
  return entries;
}

// The values of the file, to be changed: its own if no other MatrixFile shares them, else a copy that becomes
// its own.
template <class Scalar>
Scalar* own_values(MatrixFile& file, const Entries<const Scalar>& entries) {
  // Storage of our own making is never const, only seen as such; a mapped file is read-only.
  if (file.storage.use_count() == 1 && !file.mapped) return const_cast<Scalar*>(entries.values);
  std::shared_ptr<Scalar[]> values(new Scalar[at(entries.count())]);
  std::copy_n(entries.values, entries.count(), values.get());
  file.mapped = false;
  if (entries.offsets)  // the positions stay where they are
    file.storage = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
        values, file.storage);
  else
    file.storage = values;
  return values.get();
}

template <class Scalar>
void check_values(const MatrixFile& file, const Entries<const Scalar>& entries) {
  InvalidValues invalid;
  entries.visit([&](Index sample, Index feature, Scalar value) {
    if (is_valid(value)) return;
    const bool in_rows = file.samples == SamplesIn::rows;
    invalid.note(in_rows ? sample : feature, in_rows ? feature : sample, static_cast<double>(value));
  });
  const auto refuse = [&](const Finding& finding, const std::string& what, const std::string& remedy) {
    if (finding.count > 0) throw InvalidData(file.path + ": " + holds_text(finding, what) + "; " + remedy);
  };
  refuse(
      invalid.nan, "NaN",
      "missing values are not supported yet, and 0 would mean that nothing was there: leave out the rows or "
      "columns that have gaps, or fill them in (impute)");
  refuse(invalid.infinite, "infinite", "replace them by finite values");
  refuse(invalid.negative, "negative",
         "preprocessing needs nonnegative data: shift, clip or take absolute values");
}

template <class Scalar>
std::vector<double> learn(PreprocessStep step, const Entries<Scalar>& entries, Index features,
                          Index samples) {
  std::vector<double> numbers(numbers_learned(step, features), 0.0);
  if (step == PreprocessStep::tfidf) {
    entries.visit([&](Index, Index feature, Scalar value) { numbers[at(feature)] += value > 0 ? 1 : 0; });
    for (double& number : numbers) number = 1 + std::log((1 + static_cast<double>(samples)) / (1 + number));
  } else if (!numbers.empty()) {
    const bool by_feature = step == PreprocessStep::feature_max;
    entries.visit([&](Index, Index feature, Scalar value) {
      double& largest = numbers[by_feature ? at(feature) : 0];
      largest = std::max(largest, static_cast<double>(value));
    });
  }
  return numbers;
}

// Each sample to sum (power 1) or Euclidean norm (power 2) `size`. It is brought to largest value 1 first, so
// that neither sums nor squares leave the range of numbers.
template <class Scalar>
void normalize(const Entries<Scalar>& entries, Index samples, int power, double size) {
  std::vector<double> largest(at(samples), 0.0);
  entries.visit_samples([&](Index sample, Index, Scalar value) {
    largest[at(sample)] = std::max(largest[at(sample)], static_cast<double>(value));
  });
  std::vector<double> norm(at(samples), 0.0);
  entries.visit_samples([&](Index sample, Index, Scalar value) {
    if (value == 0) return;
    const double x = static_cast<double>(value) / largest[at(sample)];
    norm[at(sample)] += power == 1 ? x : x * x;
  });
  if (power == 2)
    for (double& x : norm) x = std::sqrt(x);
  entries.visit_in_parallel([&](Index sample, Index, Scalar& value) {
    if (value == 0) return;
    value = static_cast<Scalar>(static_cast<double>(value) / largest[at(sample)] / norm[at(sample)] * size);
  });
}

template <class Scalar>
void apply(const Preprocessing::Learned& learned, const Entries<Scalar>& entries, Index samples) {
  const std::vector<double>& numbers = learned.numbers;
  const auto change = [&](const auto& rule) {
    entries.visit_in_parallel([&](Index, Index feature, Scalar& value) {
      if (value != 0) value = static_cast<Scalar>(rule(static_cast<double>(value), at(feature)));
    });
  };
  switch (learned.step) {
    case PreprocessStep::tfidf:
      change([&](double x, std::size_t feature) { return x * numbers[feature]; });
      return normalize(entries, samples, 2, 1);
    case PreprocessStep::log1p:
      return change([](double x, std::size_t) { return std::log1p(x); });
    case PreprocessStep::sqrt:
      return change([](double x, std::size_t) { return std::sqrt(x); });
    case PreprocessStep::l1:
      return normalize(entries, samples, 1, 1);
    case PreprocessStep::l2:
      return normalize(entries, samples, 2, 1);
    case PreprocessStep::cp10k:
      return normalize(entries, samples, 1, 10000);
    case PreprocessStep::max1:
      return change([&](double x, std::size_t) { return numbers[0] > 0 ? x / numbers[0] : x; });
    case PreprocessStep::feature_max:
      return change(
          [&](double x, std::size_t feature) { return numbers[feature] > 0 ? x / numbers[feature] : x; });
  }
}

std::string_view name_of(PreprocessStep step) { return choices(step)[static_cast<std::size_t>(step)]; }

// Checks the values and calls body(entries) with entries of the file's own.
template <class Body>
void change(MatrixFile& file, const Body& body) {
  std::visit(
      [&](auto& m) {
        using Scalar = typename std::decay_t<decltype(m)>::Value;
        const Entries<const Scalar> seen = entries_of(file, m);
        check_values<Scalar>(file, seen);
        Scalar* values = own_values<Scalar>(file, seen);
        if constexpr (is_sparse_storage<std::decay_t<decltype(m)>>)
          m.values = values;
        else
          m.data = values;
        const ThreadScope threads(0);
        body(Entries<Scalar>{seen.majors, seen.minors, seen.offsets, seen.indices, values, seen.by_samples});
      },
      file.matrix);
}

}  // namespace

std::vector<PreprocessStep> parse_steps(std::string_view text) {
  std::vector<PreprocessStep> steps;
  const auto names = choices(PreprocessStep{});
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string name(text.substr(0, comma));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string shown(text.substr(0, std::min<std::size_t>(comma, 40)));
      throw InvalidInput("there is no preprocessing step " + in_quotes(shown) + "; " +
                         nearest_text(shown, {names.begin(), names.end()}));
    }
    steps.push_back(static_cast<PreprocessStep>(found - names.begin()));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) throw InvalidInput("a preprocessing step is missing after the last comma");
  }
  return steps;
}

std::string to_string(const Preprocessing& preprocessing) {
  std::string text;
  for (const auto& [step, numbers] : preprocessing.steps) {
    if (!text.empty()) text += ',';
    text += name_of(step);
  }
  return text;
}

std::size_t numbers_learned(PreprocessStep step, Index features) {
  if (step == PreprocessStep::max1) return 1;
  return step == PreprocessStep::tfidf || step == PreprocessStep::feature_max ? at(features) : 0;
}

Preprocessing preprocess(MatrixFile& file, const std::vector<PreprocessStep>& steps) {
  Preprocessing done;
  if (steps.empty()) return done;
  change(file, [&](const auto& entries) {
    for (const PreprocessStep step : steps) {
      done.steps.push_back({step, learn(step, entries, file.features(), file.sample_count())});
      apply(done.steps.back(), entries, file.sample_count());
    }
  });
  return done;
}

void preprocess(MatrixFile& file, const Preprocessing& learned) {
  if (learned.steps.empty()) return;
  for (const auto& [step, numbers] : learned.steps) {
    if (numbers.size() == numbers_learned(step, file.features())) continue;
    throw InvalidInput(file.path + ": has " + std::to_string(file.features()) + " features; " +
                       std::string(name_of(step)) + " then needs " +
                       std::to_string(numbers_learned(step, file.features())) + " numbers, but has learned " +
                       std::to_string(numbers.size()) + ": the data it was learned from had other features");
  }
  change(file, [&](const auto& entries) {
    for (const Preprocessing::Learned& one : learned.steps) apply(one, entries, file.sample_count());
  });
}

}  // namespace svrmu::io
