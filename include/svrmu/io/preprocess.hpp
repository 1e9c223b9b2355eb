// What is done to V before it is factorized (target svrmu::io). What was learnt from the data (document
// frequencies, largest values) is kept, so that transform() does to new samples just what fit() did.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/io/files.hpp"

namespace svrmu::io {

enum class PreprocessStep {
  tfidf,  // v (1 + ln((1 + N) / (1 + df))), then every sample to Euclidean norm 1 (as scikit-learn does)
  log1p,  // ln(1 + v)
  sqrt,   // square root
  l1,     // every sample to sum 1
  l2,     // every sample to Euclidean norm 1
  cp10k,  // every sample to sum 10000 (counts per ten thousand)
  max1,   // the largest value to 1
  feature_max,  // the largest value of every feature to 1
};

constexpr auto choices(PreprocessStep) {
  return std::array<std::string_view, 8>{"tfidf", "log1p", "sqrt", "l1",
                                         "l2",    "cp10k", "max1", "feature_max"};
}

// Steps from left to right, and what each learnt: one number per feature (tfidf, feature_max), one (max1), or
// none.
struct Preprocessing {
  struct Learnt {
    PreprocessStep step;
    std::vector<double> numbers;
  };
  std::vector<Learnt> steps;
};

// How many numbers a step learns.
SVRMU_API std::size_t numbers_learnt(PreprocessStep step, Index features);

// "tfidf,l2" and back; dashes count as underscores. An unknown name is InvalidInput, with the nearest one.
SVRMU_API std::vector<PreprocessStep> parse_steps(std::string_view text);
SVRMU_API std::string to_string(const Preprocessing& preprocessing);

// Does the steps to a file in memory, where possible in its own storage, and says what they learnt. Negative
// values and values that are not finite are refused with their place.
SVRMU_API Preprocessing preprocess(MatrixFile& file, const std::vector<PreprocessStep>& steps);

// Does to new samples what was done before; InvalidInput if they have other features. A feature that had no
// value then is left as it is by feature_max.
SVRMU_API void preprocess(MatrixFile& file, const Preprocessing& learnt);

}  // namespace svrmu::io
