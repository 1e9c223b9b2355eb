// What must hold between the parts of a model before it may be written, or used after it was read.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "svrmu/io/model.hpp"

namespace svrmu::io {

// A number of a solver's state that a size or a place depends on, or its progress.
struct StateNumber {
  std::string name;
  double least;
  double most;
};
std::vector<StateNumber> state_numbers(const SolverOptions& solver, Index samples);

// What each solver shows to a StateVisitor, so that a file can be held against it: resume() trusts the sizes.
// body(name, rows, columns, may_be_empty) for each matrix, those first on which the rule for others depends.
// A solver that is not listed has its state left out of the file when it is read: resume() then refuses.
template <class Scalar, class Body>
void visit_state_matrices(const FitResult<Scalar>& fit, const Body& body) {
  const Index F = fit.W.rows();
  const Index N = fit.H.cols();
  const Index K = fit.rank;
  const Checkpoint<Scalar>& at = fit.checkpoint;
  const auto is_empty = [&](const std::string& name) {
    const auto found = at.matrices.find(name);
    return found == at.matrices.end() || found->second.size() == 0;
  };
  const auto extrapolated = [&](const std::string& prefix) {
    body(prefix + "H", K, N, true);
    body(prefix + "Wy", F, K, is_empty(prefix + "H"));
  };
  std::visit(
      [&]<class O>(const O& o) {
        if constexpr (std::is_same_v<O, SvrmuOptions> || std::is_same_v<O, RSvrmuOptions>) {
          // All of the snapshot, as its loss needs it, or nothing.
          body("snapshot_up", F, K, true);
          const bool ready = !is_empty("snapshot_up");
          const bool frobenius = ready && fit.loss.is_frobenius();
          const bool kl = ready && fit.loss == Loss::kullback_leibler();
          bool rest = ready && !frobenius && !kl;
          if constexpr (std::is_same_v<O, RSvrmuOptions>)
            rest = rest || (ready && o.outlier_update == OutlierUpdate::multiplicative);
          body("snapshot_HHt", frobenius ? K : 0, frobenius ? K : 0, false);
          body("snapshot_h_sum", kl ? K : 0, kl ? 1 : 0, false);
          body("snapshot_rest", rest ? F : 0, rest ? K : 0, false);
        }
        if constexpr (std::is_same_v<O, IncMuOptions> || std::is_same_v<O, IncHalsOptions> ||
                      std::is_same_v<O, InmfOptions>) {
          body("A", F, K, false);
          body("B", K, K, false);
        }
        if constexpr (std::is_same_v<O, OnmfOptions>) {
          if (o.statistics == Statistics::reset) return;
          body("A", F, K, false);
          body("B", K, K, false);
          if (o.statistics == Statistics::accumulate)
            body("C", 0, 0, false);
          else
            body("seen", 1, N, false);
        }
        if constexpr (std::is_same_v<O, AsagMuOptions>) {
          body("minus", F, K, false);
          body("plus", F, K, false);
        }
        if constexpr (std::is_same_v<O, SagMuOptions>) {
          body("sum_minus", F, K, false);
          body("sum_plus", F, K, false);
          for (Index i = 0; i <= (N - 1) / o.batch_size; ++i) {
            body("minus_" + std::to_string(i), F, K, false);
            body("plus_" + std::to_string(i), F, K, false);
          }
        }
        if constexpr (std::is_same_v<O, MuExtOptions>) {
          body("W_before", F, K, true);
          const bool ready = !is_empty("W_before");
          body("H_before", ready ? K : 0, ready ? N : 0, false);
        }
        if constexpr (std::is_same_v<O, HalsExtOptions>) extrapolated("");
        if constexpr (std::is_same_v<O, FastOptions>) {
          const auto visited = at.numbers.find("visited");
          const bool no_model = visited != at.numbers.end() && visited->second == 0;
          body("VHt", F, K, no_model);
          body("HHt", K, K, is_empty("VHt"));
          body("R", F, K, no_model);
          extrapolated("");
          extrapolated("single_");
        }
      },
      fit.solver);
}

// Throws InvalidInput if an automatic choice is still open: a fit fills in all of them.
void check_resolved(const SolverOptions& solver, Index samples);

// Each throws InvalidInput with the part that is wrong: "dataset /H: ...".
template <class Scalar>
void check_factors(const FitResult<Scalar>& fit);
template <class Scalar>
void check_model(const Model<Scalar>& model);

}  // namespace svrmu::io
