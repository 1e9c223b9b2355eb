// Results for programs.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "svrmu/history.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu::cli {

using Json = nlohmann::ordered_json;

// JSON has no NaN.
inline Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// What every object with indices of rows, columns, features, samples, components or entries says of them.
constexpr const char* counted_from = "counted_from";
constexpr int first_index = 0;

Json json_of(const EpochRecord& report);
Json json_of(const OptionInfo& option);
Json values_of(const SolverOptions& solver);  // option: value

// Names may be any bytes; what is no UTF-8 is replaced.
std::string dump(const Json& json, int indent = 2);

}  // namespace svrmu::cli
