// The same V in each precision and storage.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "svrmu/svrmu.hpp"

namespace svrmu {

template <class Scalar>
const char* precision_name() {
  return std::is_same_v<Scalar, float> ? "float" : "double";
}

// body(source, V) with a dense source, then with a sparse one.
template <class Scalar, class Body>
void in_both_storages(const Matrix<double>& values, const Body& body) {
  const Matrix<Scalar> V = values.cast<Scalar>();
  const SparseMatrix<Scalar> sparse = V.sparseView();
  {
    SCOPED_TRACE(std::string(precision_name<Scalar>()) + " dense");
    body(*view(V), V);
  }
  {
    SCOPED_TRACE(std::string(precision_name<Scalar>()) + " sparse");
    body(*view(sparse), V);
  }
}

// body(source, V) in float and double, dense and sparse.
template <class Body>
void in_every_form(const Matrix<double>& values, const Body& body) {
  in_both_storages<float>(values, body);
  in_both_storages<double>(values, body);
}

// So many epochs and nothing else that stops; one thread.
template <class Scalar>
FitOptions<Scalar> epochs(Index count, Index rank, std::uint64_t seed = 1) {
  FitOptions<Scalar> options{.rank = rank, .seed = seed};
  options.stopping.max_epochs = count;
  options.stopping.relative_change = 0;
  options.threads = 1;
  return options;
}

// Nothing where the stop came before the start was evaluated.
template <class Scalar>
std::optional<FitResult<Scalar>> fit_unless_cancelled(const MatrixSource<Scalar>& V,
                                                      const SolverOptions& solver,
                                                      const FitOptions<Scalar>& options,
                                                      const Team& team = Team()) {
  try {
    return fit(V, solver, options, team);
  } catch (const Cancelled&) {
    return std::nullopt;
  }
}

inline bool has_option(const SolverOptions& solver, const std::string& name) {
  for (const OptionInfo& option : options_of(solver))
    if (option.name == name) return true;
  return false;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// The solver with those of the settings that it has.
inline SolverOptions configured(SolverOptions solver, const Settings& settings) {
  for (const auto& [name, value] : settings)
    if (has_option(solver, name)) set_option(solver, name, value);
  return solver;
}
inline SolverOptions configured(const std::string& name, const Settings& settings) {
  return configured(solver_named(name), settings);
}

inline std::vector<std::string> all_solvers() {
  std::vector<std::string> names;
  for (const SolverInfo& info : catalog()) names.push_back(info.name);
  return names;
}
inline std::vector<std::string> solvers_with(const std::string& option) {
  std::vector<std::string> names;
  for (const SolverInfo& info : catalog())
    if (has_option(info.options, option)) names.push_back(info.name);
  return names;
}
inline bool is_robust_name(const std::string& name) { return name.starts_with("r-"); }

// Parametrises a suite over names of solvers.
class OverSolvers : public testing::TestWithParam<std::string> {};

inline std::string test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  for (char& c : name)
    if (c == '-' || c == ':' || c == '.') c = '_';
  return name;
}

}  // namespace svrmu
