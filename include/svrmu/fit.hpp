/// \file
/// fit(): V ~ WH (+ R) from a source, a solver and a few options. transform(): H for new columns.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/history.hpp"
#include "svrmu/loss.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/options.hpp"
#include "svrmu/penalties.hpp"
#include "svrmu/solvers.hpp"
#include "svrmu/source.hpp"
#include "svrmu/stopping.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

/// Where the iteration begins.
enum class Start {
  automatic,  ///< random
  random,     ///< uniform(0,1), scaled so that WH has the mean of V
  svd_abs,    ///< |U|, |S V'| of the truncated SVD (Qiao 2015)
  nndsvd,     ///< Boutsidis & Gallopoulos 2008; zeros stay zero: refused for multiplicative solvers
  nndsvda,    ///< zeros become the mean of V
  nndsvdar,   ///< zeros become small random values
  frobenius,  ///< a short fit of the frobenius loss by `fast` from a random start, its zeros lifted: for kl
};

/// The names of the enumerators.
constexpr auto choices(Start) {
  return std::array<std::string_view, 7>{"automatic", "random",   "svd_abs",  "nndsvd",
                                         "nndsvda",   "nndsvdar", "frobenius"};
}

/// Factors to begin with, in the units of V. What is not given comes from Start.
template <class Scalar>
struct GivenStart {
  std::optional<RowMatrix<Scalar>> W{};            ///< features x rank
  std::optional<Matrix<Scalar>> H{};               ///< rank x samples (this member's samples)
  std::optional<Matrix<Scalar>> R{};               ///< features x samples, dense V
  std::optional<SparseMatrix<Scalar>> R_sparse{};  ///< sparse V: positive only where V has entries
};

/// What is asked of a fit, whatever the algorithm.
template <class Scalar>
struct FitOptions {
  Index rank = 0;                  ///< K, from 1 to the smaller side of V
  bool force_rank = false;         ///< allow a rank above the smaller side of V
  Loss loss{};                     ///< how far WH is from V
  Penalties penalties{};           ///< what is added to the loss
  Stopping stopping{};             ///< what ends the fit
  std::uint64_t seed = 0;          ///< same seed, same bits
  Start start = Start::automatic;  ///< where the iteration begins
  GivenStart<Scalar> given{};      ///< factors to begin with
  int restarts = 1;                ///< runs from seeds seed, seed + 1, ...; the lowest objective is kept
  bool normalize = false;    ///< columns of W to norm 1, their weight moved to H, heaviest component first;
                             ///< see FitResult::column_norms
  Index evaluate_every = 1;  ///< epochs between evaluations; the safeguard of svrmu and sag-mu needs 1
  int threads = 0;           ///< 0: what this process may use; the answer has the same bits for any number
  std::stop_token stop{};    ///< looked at between batches, also while V is looked over and the start is made
  Observer observer{};       ///< called after every evaluation, the start included

  /// The list of its options; penalties and stopping have lists of their own.
  static constexpr auto fields() {
    using O = FitOptions;
    return std::tuple{
        Field<O, Index>{"rank", &O::rank, 1, 46340, "number of components K"},
        Field<O, bool>{"force_rank", &O::force_rank, 0, 0,
                       "allow more components than the smaller side of V"},
        Field<O, Loss>{"loss", &O::loss, 0, 0, "frobenius, kl, is or beta:X"},
        Field<O, std::uint64_t>{"seed", &O::seed, 0, 0x1p64,
                                "same seed, same bits, for any number of threads"},
        Field<O, Start>{"start", &O::start, 0, 0, "where the iteration begins", Meaning::own, "init"},
        Field<O, int>{"restarts", &O::restarts, 1, 1e6, "runs from seed, seed + 1, ...; the best is kept"},
        Field<O, bool>{"normalize", &O::normalize, 0, 0, "columns of W to norm 1, heaviest component first"},
        Field<O, Index>{"evaluate_every", &O::evaluate_every, 1, svrmu::fields::huge,
                        "epochs between evaluations of the objective"},
        Field<O, int>{"threads", &O::threads, 0, 1e6, "most threads; 0: all that this process may use"}};
  }
};

/// The runs of `restarts`, of which a result is one: all that resume() needs to go on with them. Runs follow
/// from their seeds, so what was lost is run again.
struct RestartState {
  int restarts = 1;                             ///< runs asked for
  std::uint64_t first_seed = 0;                 ///< of the first; one more for each later run
  int ended = 0;                                ///< how many, from the first, ended by the stopping rules
  Start start = Start::automatic;               ///< where each began
  bool given = false;                           ///< or they began with given factors, which are not kept
  Stopping stopping{};                          ///< what was to end them
  StopReason reason = StopReason::epoch_limit;  ///< why the result's own run ended
  double other_objective = std::numeric_limits<double>::infinity();  ///< lowest of the others that ended
  std::uint64_t other_seed = 0;                                      ///< of the run with that objective
  double other_seconds = 0;  ///< in the solver, of the others that ended
};

/// What a model that learns from a stream has seen of it. Sums are in the units of V, and forgotten as the
/// statistics are.
struct StreamState {
  Index columns = 0;      ///< learned from; 0: this is no model of a stream
  Index windows = 0;      ///< in which they came
  double weight = 0;      ///< of these columns
  double cost = 0;        ///< loss of each window when it was seen
  double on_h = 0;        ///< penalties on its H
  double residual = 0;    ///< ||V - WH||^2 of it
  double squared = 0;     ///< ||V||^2 of it
  Index last_record = 0;  ///< columns at the last record that stays when more columns come
};

/// Everything needed to go on: the iterate itself in working units, the best one, and the solver's own state.
template <class Scalar>
struct Checkpoint {
  /// Factors in working units.
  struct Iterate {
    RowMatrix<Scalar> W;           ///< features x rank
    Matrix<Scalar> H;              ///< rank x samples
    Matrix<Scalar> R;              ///< multiplicative outliers of dense V
    std::vector<Scalar> R_values;  ///< and of sparse V, in the order of V's entries
  };
  Iterate current;              ///< where the next epoch begins
  std::optional<Iterate> best;  ///< when it is not the current one
  double best_objective = 0;    ///< the lowest so far
  std::size_t best_entry = 0;   ///< its entry in the history
  Index best_epoch = 0;         ///< the epoch that it belongs to
  Index epoch = 0;              ///< epochs done
  double step_factor = 1;       ///< what the safeguard has left of the step
  Index rollbacks = 0;          ///< epochs undone
  double gradient_count = 0;    ///< as in EpochRecord
  Index columns_read = 0;       ///< as in EpochRecord
  Index w_steps = 0;            ///< steps of W done, where the step ratio falls with them
  Index columns_evaluated = 0;  ///< as in EpochRecord
  double solver_seconds = 0;    ///< as in EpochRecord
  double evaluate_seconds = 0;  ///< as in EpochRecord
  double w_scale = 1;           ///< working W = w_scale * W, working H = h_scale * H: powers of two
  double h_scale = 1;           ///< see w_scale
  double kkt_start = 0;         ///< projected gradient of the start
  double violation_start = 0;   ///< of the first epoch, in the units of V; 0: it was not measured
  bool in_start = false;        ///< interrupted while the start was being made: going on makes it anew
  std::map<std::string, Matrix<Scalar>> matrices;  ///< the solver's state, by name
  std::map<std::string, double> numbers;           ///< the rest of that state
  RestartState runs;                               ///< the runs before and after this one
  StreamState stream;                              ///< for update()
};

/// What fit() returns.
template <class Scalar>
struct FitResult {
  RowMatrix<Scalar> W;            ///< features x rank
  Matrix<Scalar> H;               ///< rank x samples
  Matrix<Scalar> R;               ///< outliers of dense V by the multiplicative rule, else empty
  SparseMatrix<Scalar> R_sparse;  ///< outliers of sparse V, or in closed form, else empty
  StopReason reason = StopReason::epoch_limit;  ///< why it ended
  std::vector<EpochRecord> history;             ///< the first entry is the start, or a stream's first window
  std::uint64_t seed = 0;                       ///< of the run that was kept
  Index rank = 0;                               ///< K
  Loss loss{};                                  ///< as asked for
  Penalties penalties{};                        ///< as asked for
  SolverOptions solver;                         ///< as used: automatic choices filled in
  std::string algorithm;              ///< its name in the catalog where Auto chose it, else its base name
  std::string choice;                 ///< why Auto chose it, a clause for people; empty: it was named
  std::vector<std::string> warnings;  ///< what the caller should know
  Checkpoint<Scalar> checkpoint;      ///< for resume()
  /// The loss of the null model: V ~ 0 for frobenius, else row sums x column sums / total of V. 0 where that
  /// is V itself up to rounding, NaN where it is not known.
  double null_cost = std::numeric_limits<double>::quiet_NaN();

  /// Norms of the columns of W before they were normalized, component by component as in W; empty: they were
  /// not. Penalties, and so the objective, are those of W * diag(norms) and diag(1 / norms) * H.
  std::vector<double> column_norms;

  std::size_t returned = 0;  ///< the entry of the history that belongs to W and H
  /// The numbers that belong to W and H.
  const EpochRecord& record() const { return history.at(returned); }
};

/// Factorizes V by an algorithm. Throws InvalidInput or ResourceLimit before any work; never for a numerical
/// reason. After a stop it returns the best factors that it has evaluated, soon: of an epoch that was not
/// whole it keeps the factors only if they can be evaluated in a fraction of a second. Cancelled where the
/// stop comes before the start has been evaluated, since there is nothing to return.
template <class Scalar>
SVRMU_API FitResult<Scalar> fit(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                                const FitOptions<Scalar>& options, const Team& team = Team());

/// Factorizes V by the algorithm that suits it, from the start that goes with that algorithm.
template <class Scalar>
FitResult<Scalar> fit(const MatrixSource<Scalar>& V, const FitOptions<Scalar>& options,
                      const Team& team = Team()) {
  return fit(V, SolverOptions(), options, team);
}

/// All runs of `restarts`, in the order of their seeds; fit() returns the best of them. A time limit is for
/// all together, so there may be fewer.
template <class Scalar>
SVRMU_API std::vector<FitResult<Scalar>> fit_all(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                                                 const FitOptions<Scalar>& options,
                                                 const Team& team = Team());

/// Goes on from a result as if it had never stopped: the same bits. Of the options only stopping (limits
/// count from the very start), normalize, evaluate_every, threads, stop and observer are used. After restarts
/// it goes on with all of them. InvalidInput if they began with given factors and are not all done. Cancelled
/// if a stop comes while V is looked over: `previous` is what there is.
template <class Scalar>
SVRMU_API FitResult<Scalar> resume(const MatrixSource<Scalar>& V, const FitResult<Scalar>& previous,
                                   const FitOptions<Scalar>& options, const Team& team = Team());

/// False where these limits end the run, or all of its restarts, before another epoch begins.
template <class Scalar>
SVRMU_API bool can_go_on(const FitResult<Scalar>& previous, const Stopping& stopping);

/// How H is found for new columns.
template <class Scalar>
struct TransformOptions {
  int max_sweeps = 5000;    ///< most sweeps over a column; Newton steps for losses other than Frobenius
  double tolerance = 1e-6;  ///< projected gradient of a column relative to its start
  int threads = 0;          ///< 0: what this process may use
  std::stop_token stop{};   ///< ends with Cancelled

  /// The list of its options.
  static constexpr auto fields() {
    using O = TransformOptions;
    return std::tuple{
        Field<O, int>{"max_sweeps", &O::max_sweeps, 1, 1e9, "most sweeps over a column"},
        Field<O, double>{"tolerance", &O::tolerance, 0, 1,
                         "projected gradient of a column, relative to its start, that ends its sweeps"},
        Field<O, int>{"threads", &O::threads, 0, 1e6, "most threads; 0: all that this process may use"}};
  }
};

/// What transform() returns.
template <class Scalar>
struct TransformResult {
  Matrix<Scalar> H;               ///< rank x samples
  SparseMatrix<Scalar> R_sparse;  ///< outliers max(V - WH - lambda, 0) when the model is robust
  Index unfinished = 0;           ///< columns that max_sweeps ended before their tolerance did
};

/// H for new columns under the model's W, loss and penalties. Each column's answer depends on that column
/// alone. H belongs to W as it is returned; where W was normalized, the objective is that of column_norms.
template <class Scalar>
SVRMU_API TransformResult<Scalar> transform(const MatrixSource<Scalar>& V, const FitResult<Scalar>& model,
                                            const TransformOptions<Scalar>& options = {});

/// H for columns of V under a fixed W (features x components): the minimum of the loss and the penalties on
/// H. Each column's answer depends on that column alone. A column of W that is zero is allowed: its row of H
/// is 0. Penalties on W are a constant here.
template <class Scalar>
SVRMU_API TransformResult<Scalar> transform(const MatrixSource<Scalar>& V, const RowMatrix<Scalar>& W,
                                            const Loss& loss, const Penalties& penalties = {},
                                            const TransformOptions<Scalar>& options = {});

/// How well WH + R fits V, in terms of the fitted loss.
struct Quality {
  std::string measure;    ///< "relative error", or the divergence that was fitted: "kl divergence"
  double value = 0;       ///< of that measure
  double explained = 0;   ///< share of the null model's loss that is gone; NaN where there is no such share
  std::string baseline;   ///< what it is a share of: "V's sum of squares"
  std::string meaning;    ///< all of that for people: "WH explains 93 % of V's sum of squares"
  bool diverged = false;  ///< worse than the null model, and than the start
};

/// The quality of a result.
template <class Scalar>
SVRMU_API Quality quality(const FitResult<Scalar>& result);

/// The loss of each sample without outliers: of its column of V from that of WH. V must be what the result
/// was made from.
template <class Scalar>
SVRMU_API std::vector<double> sample_costs(const MatrixSource<Scalar>& V, const FitResult<Scalar>& result);

/// True where WH + R equals V up to rounding.
template <class Scalar>
bool is_exact(const EpochRecord& record) {
  return record.relative_error < 20 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

/// A paragraph for people: what was found, why it ended, where the time went.
template <class Scalar>
SVRMU_API std::string summary(const FitResult<Scalar>& result);

}  // namespace svrmu
