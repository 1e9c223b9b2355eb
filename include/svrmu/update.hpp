/// \file
/// fit_stream() and update(): learning W from columns that are seen once. H is not kept, and the memory does
/// not depend on the number of columns.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svrmu/export.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/stream.hpp"

namespace svrmu {

/// What a fit of a stream begins with.
template <class Scalar>
struct StreamStart {
  Index rank = 0;                        ///< K, from 1 to the number of features
  bool force_rank = false;               ///< allow a rank above the number of features
  Loss loss{};                           ///< how far WH is from V
  Penalties penalties{};                 ///< what is added to the loss of the columns so far
  std::uint64_t seed = 0;                ///< same seed, same bits
  Start start = Start::automatic;        ///< made from the first window; frobenius is refused
  std::optional<RowMatrix<Scalar>> W{};  ///< features x rank, in the units of V: where W begins
};

/// What is known while a stream is learned from.
struct StreamProgress {
  Index columns = 0;          ///< learned from in this call
  double relative_error = 0;  ///< of the last window: ||V - WH|| / ||V||
};

/// How a stream is learned from.
template <class Scalar>
struct StreamOptions {
  /// The algorithm to go on with. Unset: that of the model, or where it has to see columns again inc-hals
  /// (Frobenius) or smu-acc. Only for update().
  std::optional<SolverOptions> solver{};
  /// What a batch leaves of the weight of everything before it: 1 forgets nothing. For algorithms with
  /// statistics: onmf, inc-mu, inc-hals.
  double forget_factor = 1;
  Index window = 0;  ///< columns that svrmu holds at a time; 0: 16 batches
  double time_limit_seconds = svrmu::fields::unlimited;  ///< in the solver; looked at between windows
  int threads = 0;         ///< 0: what this process may use; the answer has the same bits for any number
  std::stop_token stop{};  ///< looked at between windows
  /// Called with H of each window (rank x columns, in the units of V) and the number of its first column,
  /// counted from 0 in this call. It belongs to W as it was then.
  std::function<void(Index, const Matrix<Scalar>&)> keep_h{};
  std::function<void(const StreamProgress&)> progress{};  ///< called after each window
  Observer observer{};                                    ///< called for each record; it can end the call

  /// The list of its options.
  static constexpr auto fields() {
    using O = StreamOptions;
    return std::tuple{
        Field<O, double>{"forget_factor", &O::forget_factor, 0, 1,
                         "what a batch leaves of the weight of everything before it; 1 forgets nothing"},
        Field<O, Index>{"window", &O::window, 0, svrmu::fields::huge,
                        "columns that svrmu holds at a time; 0: 16 batches"},
        Field<O, double>{"time_limit_seconds", &O::time_limit_seconds, 0, svrmu::fields::unlimited,
                         "most time in the solver", Meaning::own, "time_limit"},
        Field<O, int>{"threads", &O::threads, 0, 1e6, "most threads; 0: all that this process may use"}};
  }
};

/// Learns W from a stream, each column once. The first window makes the start: scale and mean of V are
/// estimated from it. In the result H has no columns, and objective, cost and relative error are estimates:
/// the sums of each window's residual when it was seen. Throws InvalidInput, or InvalidData for a column that
/// cannot be used, naming its place.
template <class Scalar>
SVRMU_API FitResult<Scalar> fit_stream(ColumnStream<Scalar>& V, const SolverOptions& solver,
                                       const StreamStart<Scalar>& start,
                                       const StreamOptions<Scalar>& options = {});

/// Goes on learning W of a model from new samples, each seen once. Many calls with pieces of a stream give
/// the same bits as one call with all of it, where the batches end at the same columns. A model of fit()
/// brings the statistics of its own samples with it: exactly where its algorithm keeps them, else as those of
/// WH in place of V. H of the samples before is dropped, since W moves away from it.
template <class Scalar>
SVRMU_API FitResult<Scalar> update(const FitResult<Scalar>& model, ColumnStream<Scalar>& V,
                                   const StreamOptions<Scalar>& options = {});

/// The same with samples that can be read as often as wanted: they are read once, in their order.
template <class Scalar>
SVRMU_API FitResult<Scalar> update(const FitResult<Scalar>& model, const MatrixSource<Scalar>& V,
                                   const StreamOptions<Scalar>& options = {});

/// Learns from a matrix as if it came by as a stream.
template <class Scalar>
SVRMU_API FitResult<Scalar> fit_stream(const MatrixSource<Scalar>& V, const SolverOptions& solver,
                                       const StreamStart<Scalar>& start,
                                       const StreamOptions<Scalar>& options = {});

/// The algorithms that learn from a stream, as solver_named() takes them.
SVRMU_API std::vector<std::string> streaming_solvers();

/// Columns that are asked of a stream at a time: a batch, or a window of several.
SVRMU_API Index window_of(const SolverOptions& resolved, Index window);

}  // namespace svrmu
