// The command line. Data go to standard output, messages to standard error; exit codes are in errors.hpp.
#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <sstream>
#include <system_error>

#include "commands.hpp"
#include "console.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "io/process.hpp"
#include "text/text.hpp"
#include "version.hpp"
#include "written_files.hpp"

namespace svrmu::cli {

CLI::Option* add_json_flag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "the result as JSON on standard output");
}
CLI::Option* add_force_flag(CLI::App& command, bool& force) {
  return command.add_flag("--force", force, "replace files that already exist");
}
CLI::Option* add_samples_flag(CLI::App& command, std::string& samples) {
  return command
      .add_option("--samples", samples,
                  "where the samples lie: rows or columns [as the format says, else columns]")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"rows", "columns"}));
}
CLI::Option* add_precision_flag(CLI::App& command, std::string& precision) {
  return command.add_option("--precision", precision, "float32 or float64 [the file's own, else float64]")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float32", "float64"}));
}
CLI::Option* add_trusted_flag(CLI::App& command, bool& trusted) {
  return command.add_flag("--trusted", trusted,
                          "read HDF5 files in this process, without limits on memory and time");
}
CLI::Option* add_threads_flag(CLI::App& command, int& threads) {
  return command.add_option("--threads", threads, "most threads; 0: all that this process may use [0]")
      ->type_name("INTEGER")
      ->check(CLI::Range(0, 4096));
}

CLI::Option* add_preprocess_flag(CLI::App& command, std::string& steps) {
  return command
      .add_option("--preprocess", steps,
                  "steps from left to right: tfidf, log1p, sqrt, l1, l2, cp10k, max1, feature-max")
      ->type_name("STEP,...");
}
CLI::Option* add_axis_flag(CLI::App& command, std::string& axis) {
  return command.add_option("--axis", axis, "x axis of the printed table [gradient-counts]")
      ->type_name("gradient-counts|columns-read|solver-seconds");
}
CLI::Option* add_csv_flag(CLI::App& command, std::string& csv) {
  return command.add_option("--csv", csv, "every evaluation as a line, for spreadsheets")->type_name("FILE");
}

namespace {

// CLI11's help with one line per command, and without what its validators add to names and types.
class Help : public CLI::Formatter {
 public:
  Help() { column_width(34); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return CLI::Formatter::make_usage(app, app->get_name() == "svrmu" ? name : "svrmu " + app->get_name());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string text = command->get_description();
    std::ostringstream out;
    out.exceptions(std::ios::badbit);  // else a lack of memory would cut it off
    CLI::detail::format_help(out, command->get_name(), text.substr(0, text.find('\n')), get_column_width());
    return out.str();
  }
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    if (const std::size_t at = name.find("{false}"); at != std::string::npos) name.erase(at, 7);
    return name;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    if (option->get_positional() || type.empty() || option->get_items_expected_max() == 0) return "";
    return " " + type.substr(0, type.find(':'));
  }
};

// CLI11's words for a value of the wrong type say little.
std::string parse_message(const CLI::ParseError& error) {
  std::string message = error.what();
  const std::string vague = "Could not convert: ";
  const std::size_t sign = message.find(" = ");
  if (!message.starts_with(vague) || sign == std::string::npos) return message;
  return message.substr(vague.size(), sign - vague.size()) + " is '" + printable(message.substr(sign + 3)) +
         "', which is not a number that it takes";
}

struct Command {
  CLI::App* app;
  Run run;
};

// CLI11 reads 010 as eight, 0x10 as sixteen and -1 as a very large seed.
template <class Integer>
std::string whole_number_or_reason(const std::string& text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  const bool plain = error == std::errc() && end == text.data() + text.size() &&
                     (digits.size() == 1 || !digits.starts_with('0'));
  return plain ? "" : "'" + printable(text) + "' is not a whole number that it takes";
}

class Program {
 public:
  explicit Program(const std::string& command);
  int main(std::vector<std::string> words);

 private:
  void add(const Run& run) { commands_.push_back({app_.get_subcommands({}).back(), run}); }
  Command named(const std::string& word) const;
  static void parse(CLI::App& app, std::vector<std::string> words);
  static void refuse_extras(const CLI::App& command);

  CLI::App app_;
  std::vector<Command> commands_;
  bool quiet_ = false;
  bool verbose_ = false;
  bool no_color_ = false;
};

Program::Program(const std::string& command) {
  app_.name("svrmu");
  app_.description(
      "Nonnegative matrix factorization, V ~ WH.\n\n"
      "Examples:\n"
      "  svrmu generate swimmer -o swimmer.npy      # 256 pictures whose parts are known\n"
      "  svrmu fit swimmer.npy -k 17                # factorize them\n"
      "  svrmu top swimmer.svrmu.h5                 # the strongest features of each part\n"
      "  svrmu report swimmer.svrmu.h5 --image 32x32   # a page that shows it\n"
      "  svrmu transform swimmer.svrmu.h5 new.npy -o H.npy\n");
  app_.footer(
      "svrmu COMMAND --help tells more. Exit codes: 0 done, 2 usage, 3 bad input, 4 cannot read or write,\n"
      "5 numerical failure, 6 out of memory, 130 interrupted (saved), 1 internal error.");
  app_.set_version_flag("--version", "svrmu " SVRMU_VERSION, "Print the version and exit");
  app_.formatter(std::make_shared<Help>());
  add(add_fit(app_, command));
  commands_.back()
      .app->add_flag("-v,--verbose", verbose_, "one line for every evaluation")
      ->group("Messages");
  add(add_transform(app_));
  add(add_update(app_, command));
  add(add_top(app_));
  add(add_report(app_));
  add(add_info(app_));
  add(add_convert(app_));
  add(add_generate(app_));
  add(add_compare(app_, command));
  add(add_reproduce(app_, command));
  add(add_algorithms(app_));
  add(add_completion(app_));
  add(add_manual(app_));
  for (const Command& c : commands_) {
    c.app->allow_extras();  // they are checked here, so that a typo gets a suggestion
    c.app->add_flag("-q,--quiet", quiet_, "say nothing but errors")->group("Messages");
    c.app->add_flag("--no-color", no_color_, "no color (as NO_COLOR in the environment)")->group("Messages");
    for (CLI::Option* option : c.app->get_options()) {
      if (option->get_items_expected_max() == 0) continue;
      const std::string type = option->get_type_name();
      option->check([](const std::string& text) {
        return std::string(text.empty() ? "is given without a value" : "");
      });
      if (option->get_single_name() == "seed")
        option->check(whole_number_or_reason<std::uint64_t>);
      else if (type == "INTEGER" || type == "K")
        option->check(whole_number_or_reason<std::int64_t>);
    }
  }
}

Command Program::named(const std::string& word) const {
  std::vector<std::string> names;
  for (const Command& command : commands_) {
    if (command.app->get_name() == word) return command;
    names.push_back(command.app->get_name());
  }
  if (word.starts_with('-'))
    throw UsageError("the first word is the command, flags follow; see svrmu --help");
  throw UsageError("there is no command '" + word + "'; " + nearest_text(word, names));
}

void Program::parse(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw UsageError(parse_message(error));
  }
}

void Program::refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const auto flag = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    return word.starts_with('-') && word.size() > 1;
  });
  const std::string& name = command.get_name();
  if (flag == extras.end())
    throw UsageError(name + " does not know what to do with '" + extras.front() + "'; see svrmu " + name +
                     " --help");
  const std::string wanted = flag->substr(0, flag->find('='));
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& known : option->get_lnames()) flags.push_back("--" + known);
  const auto nearest = std::min_element(flags.begin(), flags.end(), [&](const auto& a, const auto& b) {
    return edit_distance(wanted, a) < edit_distance(wanted, b);
  });
  std::string hint = "see svrmu " + name + " --help";
  if (nearest != flags.end() && edit_distance(wanted, *nearest) <= 3) hint = "did you mean " + *nearest + "?";
  throw UsageError(name + " has no flag " + wanted + "; " + hint);
}

int Program::main(std::vector<std::string> words) {
  if (words.empty()) {
    std::cerr << app_.help();
    return usage;
  }
  if (words.front() == "help") words.front() = "--help";
  CLI::App* parsed = &app_;
  try {
    const bool about_all = words.front() == "--help" || words.front() == "-h" || words.front() == "--version";
    if (about_all) {
      parse(app_, words);
      return done;
    }
    const Command command = named(words.front());
    parsed = command.app;
    parse(*command.app, {words.begin() + 1, words.end()});
    Console::get().settle(quiet_     ? Verbosity::quiet
                          : verbose_ ? Verbosity::verbose
                                     : Verbosity::normal,
                          no_color_);
    if (quiet_ && verbose_) throw UsageError("--quiet and --verbose contradict each other");
    refuse_extras(*command.app);
    const int code = command.run();
    finish_standard_output();
    return code;
  } catch (const CLI::Success& success) {  // --help, --version
    parsed->exit(success);
    finish_standard_output();
    return done;
  }
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text = "svrmu";
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

int guarded_main(const std::vector<std::string>& words) {
  try {
    return Program(command_text(words)).main(words);
  } catch (const UsageError& error) {
    complain(error.what());
    return usage;
  } catch (const InvalidData& error) {
    complain(error.what());
    return bad_input;
  } catch (const InvalidInput& error) {
    complain(error.what());
    return usage;
  } catch (const NobodyReads&) {
    return cannot_read_write;
  } catch (const std::filesystem::filesystem_error& error) {
    complain(error.what());
    return cannot_read_write;
  } catch (const io::IoError& error) {
    complain(error.what());
    return cannot_read_write;
  } catch (const ResourceLimit& error) {
    complain(error.what());
    return out_of_resources;
  } catch (const std::bad_alloc&) {
    complain_of_memory();
    return out_of_resources;
  } catch (const Cancelled&) {
    complain(WrittenFiles::get().last_words());
    return interrupted;
  } catch (const std::exception& error) {
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
      complain("a thread could not be started: there is not enough memory, or there are too many of them");
      return out_of_resources;
    }
    complain(std::string("internal error: ") + error.what() + "; please report it");
    return internal_error;
  }
}

std::terminate_handler terminate_before = nullptr;

// Libraries have functions that must not throw and ask for memory nevertheless.
void end_without_memory() {
  if (!is_ending_without_memory()) terminate_before();
  WrittenFiles::get().give_up();
  complain_of_memory();
  ::_exit(out_of_resources);
}

void watch_for_lack_of_memory() { terminate_before = std::set_terminate(end_without_memory); }

}  // namespace
}  // namespace svrmu::cli

int main(int argc, char** argv) {
  // A stream that is closed would be the next file that is opened.
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  // These are errors of the call that writes, which can tell what happened.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  svrmu::io::leave_hdf5_at_exit();
  try {
    auto& files = svrmu::cli::WrittenFiles::get();
    svrmu::io::use_file_system(files);
    svrmu::cli::watch_for_lack_of_memory();
    files.watch_standard_output();
    svrmu::cli::watch_for_interrupts();
    return svrmu::cli::guarded_main({argv + std::min(argc, 1), argv + argc});
  } catch (const std::bad_alloc&) {  // also where a message was being made
    svrmu::cli::complain_of_memory();
    return svrmu::cli::out_of_resources;
  }
}
