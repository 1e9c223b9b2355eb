/// @file
/// Parts under outliers (target svrmu::experiment): clean data are spoiled, factorized, and what was found is
/// compared with what was there. Experiment 2 of the paper.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svrmu/experiment/compare.hpp"
#include "svrmu/export.hpp"

namespace svrmu::experiment {

/// How the places and the sizes of outliers are drawn.
enum class OutlierDraw {
  author,  ///< as the author's program: places drawn with replacement, so fewer than asked for; whole numbers
  exact,  ///< as the paper's text: exactly density x features places in every sample, any number of the range
};

/// The names of the draws, in their order.
constexpr auto choices(OutlierDraw) { return std::array<std::string_view, 2>{"author", "exact"}; }

/// How clean data are spoiled.
struct SpoilOptions {
  OutlierDraw draw = OutlierDraw::author;  ///< places and sizes
  double density = 0.9;                    ///< places drawn in each sample, over the features
  double least = 30;                       ///< the smallest outlier; a place drawn twice is raised once
  double most = 50;                        ///< the largest outlier
  double ceiling = 50;                     ///< what then lies above it is cut off
  std::uint64_t seed = 0;                  ///< of the draw
};

/// The clean data with outliers added.
SVRMU_API Matrix<double> spoil(const Matrix<double>& clean, const SpoilOptions& options);

/// V times the number that brings its largest entry to `most`.
SVRMU_API Matrix<double> scaled_to(const Matrix<double>& V, double most);

/// How near an approximation is to the clean data.
struct Likeness {
  double relative_error = 0;  ///< ||clean - WH|| / ||clean||
  double psnr = 0;            ///< 10 log10(max(clean)^2 / mean squared error), in dB
};
/// Compares an approximation with the clean data.
SVRMU_API Likeness likeness(const Matrix<double>& clean, const Matrix<double>& found);

/// How many of the true parts have a component of their own whose cosine with them is at least `cosine`.
/// Pairs are taken greedily, the most similar first.
SVRMU_API Index parts_found(const RowMatrix<double>& truth, const RowMatrix<double>& found,
                            double cosine = 0.9);

/// The cosines of every column of A with every column of B, each less its own mean: alike is what is bright
/// and dark at the same places. 0 for a constant column.
SVRMU_API Matrix<double> centered_cosines(const RowMatrix<double>& A, const RowMatrix<double>& B);

/// For each row the column that it gets, no column twice, so that the sum of the entries there is largest.
SVRMU_API std::vector<Index> best_assignment(const Matrix<double>& gain);

/// How alike two bases are, whatever the order and the size of their components: the mean of the
/// centered_cosines() of pairs, made by best_assignment(). 1: the same; NaN: there is no component.
SVRMU_API double matched_cosine(const RowMatrix<double>& A, const RowMatrix<double>& B);

/// The components in order of weight, by ||W_k|| ||H_k||, largest first.
SVRMU_API std::vector<Index> heaviest(const RowMatrix<double>& W, const Matrix<double>& H);

/// R-NMF, ONMF, R-ONMF and R-SVRMU (accelerated, five inner passes) of the paper, then R-ONMF with as many h
/// steps and R-SVRMU without either. As the author has it, R starts uniform in (0, 1) and moves
/// multiplicatively, and batches are taken in the order in which they are stored.
SVRMU_API std::vector<Contestant> faces_contestants(Index batch_size, double outlier_penalty,
                                                    Order order = Order::cyclic);
/// How many of faces_contestants(), from the first on, are the paper's.
constexpr std::size_t faces_of_the_paper = 4;

/// How recovery is measured.
struct RecoveryOptions {
  SpoilOptions spoil{};          ///< its seed is that of each trial
  Index rank = 49;               ///< K
  double gradient_counts = 500;  ///< the budget of each run
  std::optional<Start> start{};  ///< none: W and H uniform in (0, 1), the author's random start
  std::vector<std::uint64_t> seeds{0, 1, 2, 3, 4};        ///< one trial for each
  const RowMatrix<double>* truth = nullptr;               ///< the parts, where they are known
  int threads = 0;                                        ///< 0: what this process may use
  std::stop_token stop{};                                 ///< ends with Cancelled
  std::function<void(const ComparisonStep&)> observer{};  ///< called after every evaluation
};

/// One contestant from one seed.
struct RecoveryRun {
  std::size_t contestant = 0;                   ///< its place in Recovery::contestants
  std::uint64_t seed = 0;                       ///< of the outliers and of the start
  StopReason reason = StopReason::epoch_limit;  ///< why it ended
  std::vector<EpochRecord> history{};           ///< its evaluations
  Likeness likeness{};                          ///< of WH to the clean data
  Index parts = 0;                              ///< found, where the truth is known
  RowMatrix<double> bases{};                    ///< W, heaviest component first
};

/// What was measured.
struct Recovery {
  Index features = 0;                     ///< rows of V
  Index samples = 0;                      ///< columns of V
  Index true_parts = 0;                   ///< 0: not known
  std::vector<Contestant> contestants{};  ///< options as used
  double mean_sample = 0;                 ///< relative error of the mean clean sample in the place of each
  double changed = 0;             ///< share of the entries that are not the clean ones, over all seeds
  std::vector<double> spoiled{};  ///< relative error of V itself, for each seed
  std::vector<RowMatrix<double>> start_bases{};  ///< W at the start, for each seed; none unless it is uniform
  std::vector<RowMatrix<double>> clean_bases{};  ///< W of mu on the clean data, for each seed
  std::vector<RecoveryRun> runs{};               ///< one for each contestant and seed
};

/// Spoils the data with each seed and runs every contestant on them. mu, which is R-NMF without outliers, has
/// the clean data, the same start and the same budget.
SVRMU_API Recovery recover(const Matrix<double>& clean, const std::vector<Contestant>& contestants,
                           const RecoveryOptions& options);

/// The relative error of a contestant over the seeds.
SVRMU_API Spread error_spread(const Recovery& recovery, std::size_t contestant);
/// The PSNR of a contestant over the seeds.
SVRMU_API Spread psnr_spread(const Recovery& recovery, std::size_t contestant);
/// The parts that a contestant found, over the seeds.
SVRMU_API Spread parts_spread(const Recovery& recovery, std::size_t contestant);

/// The bases of a contestant with the first seed.
SVRMU_API const RowMatrix<double>& first_bases(const Recovery& recovery, std::size_t contestant);
/// The matched_cosine() of the bases of two contestants over the seeds.
SVRMU_API Spread alike_spread(const Recovery& recovery, std::size_t contestant, std::size_t other);
/// The matched_cosine() of the bases of a contestant with those of the clean data, over the seeds.
SVRMU_API Spread clean_spread(const Recovery& recovery, std::size_t contestant);
/// The matched_cosine() of the bases of a contestant with its start, over the seeds: near 1 they are still
/// noise. NaN unless the start is uniform.
SVRMU_API Spread start_spread(const Recovery& recovery, std::size_t contestant);

/// Bases count as similar from this matched_cosine() on.
constexpr double similar_bases = 0.8;

/// The paper's claims (better bases than R-ONMF, similar ones as batch R-NMF), judged by the bases and by the
/// error on clean data: sentences made from the numbers of contestants as faces_contestants() has them. They
/// say where nobody is nearer to the clean data than their mean sample, and whose bases are still the start.
SVRMU_API std::vector<std::string> faces_verdict(const Recovery& recovery);

}  // namespace svrmu::experiment
