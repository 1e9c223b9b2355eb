// Parts under outliers (target svrmu::experiment): clean data are spoiled, factorized, and what was found is
// compared with what was there. Experiment 2 of the paper.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "svrmu/experiment/compare.hpp"
#include "svrmu/export.hpp"

namespace svrmu::experiment {

enum class OutlierDraw {
  author,  // as the author's program: places drawn with replacement, so fewer than asked for; whole numbers
  exact,   // as the paper's text: exactly density x features places in every sample, any number of the range
};

constexpr auto choices(OutlierDraw) { return std::array<std::string_view, 2>{"author", "exact"}; }

struct SpoilOptions {
  OutlierDraw draw = OutlierDraw::author;
  double density = 0.9;  // places drawn in each sample, over the features
  double least = 30;     // an outlier lies between these and is added; a place drawn twice is raised once
  double most = 50;
  double ceiling = 50;  // what then lies above it is cut off
  std::uint64_t seed = 0;
};

SVRMU_API Matrix<double> spoil(const Matrix<double>& clean, const SpoilOptions& options);

// Times what brings the largest entry to `most`.
SVRMU_API Matrix<double> scaled_to(const Matrix<double>& V, double most);

// How near an approximation is to the clean data.
struct Likeness {
  double relative_error = 0;  // ||clean - WH|| / ||clean||
  double psnr = 0;            // 10 log10(max(clean)^2 / mean squared error), in dB
};
SVRMU_API Likeness likeness(const Matrix<double>& clean, const Matrix<double>& found);

// How many of the true parts have a component of their own whose cosine with them is at least `cosine`. Pairs
// are taken greedily, the most similar first.
SVRMU_API Index parts_found(const RowMatrix<double>& truth, const RowMatrix<double>& found,
                            double cosine = 0.9);

// The components that matter most, by ||W_k|| ||H_k||, largest first.
SVRMU_API std::vector<Index> heaviest(const RowMatrix<double>& W, const Matrix<double>& H);

// R-NMF, ONMF, R-ONMF and R-SVRMU (accelerated, five inner passes) of the paper, then R-ONMF with as many h
// steps and R-SVRMU without either. As the author has it, R starts uniform in (0, 1) and moves
// multiplicatively, and batches are visited as they are stored.
SVRMU_API std::vector<Contestant> faces_contestants(Index batch_size, double outlier_penalty,
                                                    Order order = Order::cyclic);
constexpr std::size_t faces_of_the_paper = 4;  // the first of them

struct RecoveryOptions {
  SpoilOptions spoil{};  // its seed is that of each trial
  Index rank = 49;
  double gradient_counts = 120;
  std::optional<Start> start{};  // none: W and H uniform in (0, 1), the author's random start
  std::vector<std::uint64_t> seeds{0, 1, 2};
  const RowMatrix<double>* truth = nullptr;  // the parts, where they are known
  int threads = 0;
  std::stop_token stop{};  // ends with Cancelled
  std::function<void(const ComparisonStep&)> observer{};
};

struct RecoveryRun {
  std::size_t contestant = 0;
  std::uint64_t seed = 0;
  StopReason reason = StopReason::epoch_limit;
  std::vector<EpochRecord> history{};
  Likeness likeness{};
  Index parts = 0;  // found, where the truth is known
};

struct Recovery {
  Index features = 0;
  Index samples = 0;
  Index true_parts = 0;  // 0: not known
  std::vector<Contestant> contestants{};
  std::vector<double> spoiled{};  // relative error of V itself, for each seed
  double changed = 0;             // share of the entries that are not the clean ones, over all seeds
  std::vector<RecoveryRun> runs{};
  std::vector<RowMatrix<double>> bases{};  // of each contestant with the first seed, heaviest component first
};

SVRMU_API Recovery recover(const Matrix<double>& clean, const std::vector<Contestant>& contestants,
                           const RecoveryOptions& options);

// Over the seeds.
SVRMU_API Spread error_spread(const Recovery& recovery, std::size_t contestant);
SVRMU_API Spread psnr_spread(const Recovery& recovery, std::size_t contestant);
SVRMU_API Spread parts_spread(const Recovery& recovery, std::size_t contestant);

// The paper's claim (better than R-ONMF, like batch R-NMF), judged by the clean-data error: sentences made
// from the numbers of contestants as faces_contestants() has them.
SVRMU_API std::vector<std::string> faces_verdict(const Recovery& recovery);

}  // namespace svrmu::experiment
