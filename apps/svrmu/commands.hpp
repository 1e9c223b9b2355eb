// The commands: each adds itself to the program and gives back what runs it and returns an exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "svrmu/loss.hpp"

namespace svrmu::cli {

using Run = std::function<int()>;

// `command` as it was typed; models and reports show it.
Run add_fit(CLI::App& program, const std::string& command);
Run add_transform(CLI::App& program);
Run add_update(CLI::App& program, const std::string& command);
Run add_top(CLI::App& program);
Run add_report(CLI::App& program);
Run add_info(CLI::App& program);
Run add_convert(CLI::App& program);
Run add_generate(CLI::App& program);
Run add_compare(CLI::App& program, const std::string& command);
Run add_reproduce(CLI::App& program, const std::string& command);
Run add_algorithms(CLI::App& program);
Run add_completion(CLI::App& program);
Run add_manual(CLI::App& program);

// Flags that are the same in every command that has them.
CLI::Option* add_json_flag(CLI::App& command, bool& json);
CLI::Option* add_force_flag(CLI::App& command, bool& force);
CLI::Option* add_samples_flag(CLI::App& command, std::string& samples);
CLI::Option* add_precision_flag(CLI::App& command, std::string& precision);
CLI::Option* add_trusted_flag(CLI::App& command, bool& trusted);
CLI::Option* add_threads_flag(CLI::App& command, int& threads);
CLI::Option* add_preprocess_flag(CLI::App& command, std::string& steps);
CLI::Option* add_axis_flag(CLI::App& command, std::string& axis);
CLI::Option* add_csv_flag(CLI::App& command, std::string& csv);

}  // namespace svrmu::cli
