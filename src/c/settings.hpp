// Options by name and text: each kind of work takes from them what it knows, and the rest is refused.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/parse.hpp"
#include "svrmu/c.h"
#include "svrmu/error.hpp"
#include "svrmu/matrix.hpp"
#include "svrmu/options.hpp"

struct svrmu_options {
  // In the order in which they were set.
  std::vector<std::pair<std::string, std::string>> texts;
  // Factors to begin with; a double holds every float.
  std::map<std::string, svrmu::Matrix<double>, std::less<>> matrices;
};

namespace svrmu::c {

// The name of an option on the command line, as it is taken here: "max_epochs" is "epochs" there.
inline std::string flag_name(const OptionInfo& info) { return underscored(info.flag); }

// True for "h_repeats", "h-repeats" and, where it has one, the name of its flag.
inline bool is_named(const OptionInfo& info, std::string_view name) {
  const std::string wanted = underscored(name);
  return wanted == info.name || wanted == flag_name(info);
}

// The options of one piece of work while it takes what it knows of them.
class Settings {
 public:
  // `work` names it in messages: "a fit". NULL: nothing was set.
  Settings(const svrmu_options* options, std::string work);

  // Sets those options of a struct that were set; it is then known which it has.
  template <class Options>
  void take(Options& options) {
    for (const OptionInfo& info : options_of(options)) take(options, info);
  }
  // One of a struct's options, by name.
  template <class Options>
  void take(Options& options, std::string_view name) {
    for (const OptionInfo& info : options_of(options))
      if (info.name == name) take(options, info);
  }
  // The value of an option that belongs to no struct; nothing if it was not set.
  std::optional<std::string> take_text(std::string_view name);
  // Factors to begin with, or null.
  const Matrix<double>* take_matrix(std::string_view name);

  // Refuses an option that others have, with the reason why this work has it not.
  void refuse(std::string_view name, std::string_view flag, std::string_view why) const;
  // What was set and not taken so far; it counts as taken.
  std::vector<std::pair<std::string, std::string>> take_rest();
  void add_known(std::string name) { known_.push_back(std::move(name)); }
  // Refuses an option that there is not, or that other work has, with the nearest one.
  [[noreturn]] void refuse_unknown(const std::string& name) const;
  // Refuses what nobody took.
  void finish() const;

 private:
  struct Said {
    std::string name;
    std::string value;
    bool taken = false;
  };

  template <class Options>
  void take(Options& options, const OptionInfo& info) {
    known_.push_back(info.name);
    for (Said& said : said_)
      if (!said.taken && is_named(info, said.name)) {
        said.taken = true;
        set_option(options, info.name, said.value);
      }
  }

  std::string work_;
  std::vector<Said> said_;
  const svrmu_options* options_;
  std::vector<std::string> taken_matrices_;
  std::vector<std::string> known_;  // all that this work has
};

}  // namespace svrmu::c
