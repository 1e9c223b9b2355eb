// A comparison as a table, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "json.hpp"
#include "svrmu/experiment/compare.hpp"

namespace svrmu::cli {

// A column of text and columns of numbers, as wide as they need to be.
struct TextTable {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
std::string to_text(const TextTable& table);

// The medians of the gaps, the lowest at the end first.
std::string table_text(const experiment::Comparison& comparison, experiment::Axis axis);

// Who took part, f_opt, and the gaps at some places of every axis.
Json json_of(const experiment::Comparison& comparison);
// The same with every evaluation of every run.
Json json_with_runs(const experiment::Comparison& comparison);

Json json_of(const experiment::Spread& spread);
Json json_of(const std::vector<experiment::Contestant>& contestants);

// Runs whose objective became infinite or worse, as warnings.
void warn_of_failures(const experiment::Comparison& comparison);

}  // namespace svrmu::cli
