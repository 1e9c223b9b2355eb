#include "c/model.hpp"

#include <algorithm>
#include <type_traits>

#include "c/dense.hpp"
#include "c/errors.hpp"
#include "c/structs.hpp"
#include "text/text.hpp"

namespace svrmu::c {

svrmu_record record_of(const EpochRecord& record) {
  return {.epoch = record.epoch,
          .run = record.run,
          .objective = record.objective,
          .cost = record.cost,
          .relative_error = record.relative_error,
          .relative_change = record.relative_change,
          .kkt = record.kkt,
          .gradient_count = record.gradient_count,
          .columns_read = record.columns_read,
          .solver_seconds = record.solver_seconds,
          .evaluate_seconds = record.evaluate_seconds,
          .step = record.step,
          .rollbacks = record.rollbacks,
          .rolled_back = record.rolled_back ? 1 : 0,
          .estimated = record.estimated ? 1 : 0,
          .partial = record.partial ? 1 : 0,
          .unused = 0,
          .violation = record.violation};
}

namespace {

template <class Scalar>
Index run_of(const FitResult<Scalar>& fit) {
  const RestartState& runs = fit.checkpoint.runs;
  return runs.restarts > 1 ? static_cast<Index>(fit.seed - runs.first_seed) : 0;
}

template <class Scalar>
svrmu_model_facts model_facts(const FitResult<Scalar>& fit) {
  const Checkpoint<Scalar>& at = fit.checkpoint;
  return {.features = fit.W.rows(),
          .rank = fit.rank,
          .samples = fit.H.cols(),
          .type = type_of<Scalar>,
          .has_outliers = fit.R.size() > 0 || fit.R_sparse.size() > 0 ? 1 : 0,
          .can_resume = at.current.W.size() > 0 && at.stream.columns == 0 ? 1 : 0,
          .unused = 0,
          .seed = fit.seed,
          .returned = static_cast<Index>(fit.returned),
          .records = static_cast<Index>(fit.history.size()),
          .columns_seen = at.stream.columns,
          .null_cost = fit.null_cost,
          .explained = quality(fit).explained};
}

template <class Scalar>
svrmu_dense dense_of(const FitResult<Scalar>& fit, std::string_view which) {
  if (which == "W") return shown(fit.W);
  if (which == "H") return shown(fit.H);
  if (which == "R") return shown(fit.R);
  if (which == "column_norms") {
    using Norms = Eigen::Map<const RowMatrix<double>>;
    return shown(Norms(fit.column_norms.data(), 1, static_cast<Index>(fit.column_norms.size())));
  }
  throw InvalidInput("a model has no matrix '" + std::string(which) + "'; " +
                     nearest_text(which, {"W", "H", "R", "column_norms"}));
}

}  // namespace
}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_model_get_facts(const svrmu_model* model, svrmu_model_facts* facts, size_t facts_size) {
  return guarded([&] {
    const svrmu_model& of = required(model, "model");
    check_size(facts_size, "facts_size");
    put_struct(std::visit([](const auto& held) { return model_facts(held.fit); }, *of.held),
               &required(facts, "facts"), facts_size);
  });
}

svrmu_code svrmu_model_get_dense(const svrmu_model* model, const char* which, svrmu_dense* to) {
  return guarded([&] {
    const svrmu_model& of = required(model, "model");
    const std::string_view name = required_text(which, "which");
    required(to, "to") = std::visit([&](const auto& held) { return dense_of(held.fit, name); }, *of.held);
  });
}

svrmu_code svrmu_model_get_sparse(const svrmu_model* model, const char* which, svrmu_sparse* to) {
  return guarded([&] {
    const svrmu_model& of = required(model, "model");
    const std::string name = required_text(which, "which");
    if (name != "R") throw svrmu::InvalidInput("a model has no sparse matrix '" + name + "'; there is R");
    required(to, "to") = std::visit([](const auto& held) { return shown(held.fit.R_sparse); }, *of.held);
  });
}

svrmu_code svrmu_model_get_history(const svrmu_model* model, int64_t first, svrmu_record* to,
                                   size_t record_size, int64_t capacity, int64_t* count) {
  return guarded([&] {
    const svrmu_model& of = required(model, "model");
    const Room room{to, record_size, capacity, "record_size"};
    room.check();
    if (first < 0) throw svrmu::InvalidInput("first is " + std::to_string(first) + "; records begin with 0");
    std::visit(
        [&](const auto& held) {
          const auto& history = held.fit.history;
          const auto left = std::max<int64_t>(static_cast<int64_t>(history.size()) - first, 0);
          required(count, "count") = std::min(left, capacity);
          for (int64_t i = 0; i < *count; ++i) {
            svrmu_record record = record_of(history[static_cast<size_t>(first + i)]);
            record.run = run_of(held.fit);  // a file does not have it
            room.put(i, record);
          }
        },
        *of.held);
  });
}

void svrmu_model_free(svrmu_model* model) { delete model; }

}  // extern "C"
