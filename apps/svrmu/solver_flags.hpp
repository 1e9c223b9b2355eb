// Every option of every algorithm as a flag, made from the option lists.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "list_flags.hpp"
#include "svrmu/solvers.hpp"

namespace svrmu::cli {

class SolverFlags {
 public:
  explicit SolverFlags(CLI::App& command);

  OptionValues given() const;       // option and value of each flag that was given
  std::string first_given() const;  // as a flag; empty: none
  bool about_outliers() const;      // one of the outlier options is given
  // Sets what was given; an option that the solver does not have is refused by name.
  void apply(SolverOptions& solver, const std::string& algorithm) const;

 private:
  struct Value {
    std::string text;
    bool on = false;
    CLI::Option* option = nullptr;
    bool is_boolean = false;
  };
  std::vector<std::pair<std::string, std::unique_ptr<Value>>> values_;  // in the order of the catalog
};

}  // namespace svrmu::cli
