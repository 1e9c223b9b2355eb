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

// What an option is called here, and on the command line: "max_epochs" is "epochs" there.
struct OptionName {
  explicit OptionName(const OptionInfo& info) : name(info.name), flag(underscored(info.flag)) {}

  // `wanted` has no dashes.
  bool is(std::string_view wanted) const { return wanted == name || wanted == flag; }

  std::string name;
  std::string flag;
};
using OptionNames = std::vector<OptionName>;

// The names of a struct's options, listed once: a small fit would take less time than that.
template <class Options>
const OptionNames& names_of() {
  static const OptionNames& names = *[] {
    const std::vector<OptionInfo> list = options_of(Options{});
    return new OptionNames(list.begin(), list.end());
  }();
  return names;
}

// Where all options of a kind of work or an algorithm are listed, for people.
inline std::string list_place(std::string_view kind) {
  return "svrmu_list_options(\"" + std::string(kind) + "\") lists all";
}

// The options of one piece of work while it takes what it knows of them. Texts that it is given live for
// good.
class Settings {
 public:
  // `work` names it in messages: "a fit"; svrmu_list_options(kind) lists what it has. NULL: nothing was set.
  Settings(const svrmu_options* options, std::string_view work, std::string_view kind);

  // Sets those options of a struct that were set; it is then known which it has.
  template <class Options>
  void take(Options& options) {
    for (const OptionName& option : names_of<Options>()) take(options, option);
  }
  // One of a struct's options, by name.
  template <class Options>
  void take(Options& options, std::string_view name) {
    for (const OptionName& option : names_of<Options>())
      if (option.name == name) take(options, option);
  }
  // The value of an option that belongs to no struct; nothing if it was not set.
  std::optional<std::string> take_text(std::string_view name);
  // Factors to begin with, or null.
  const Matrix<double>* take_matrix(std::string_view name);

  // Refuses an option that others have, with the reason why this work has it not.
  void refuse(std::string_view name, std::string_view flag, std::string_view why) const;
  // What was set and not taken so far; it counts as taken.
  std::vector<std::pair<std::string, std::string>> take_rest();
  void add_known(std::string_view name) { known_.push_back(name); }
  // Refuses an option that there is not, or that other work has, with the nearest ones.
  [[noreturn]] void refuse_unknown(const std::string& name) const;
  // Refuses what nobody took.
  void finish() const;

 private:
  struct Said {
    std::string name;   // as it was set
    std::string plain;  // without dashes
    std::string value;
    bool taken = false;
  };

  template <class Options>
  void take(Options& options, const OptionName& option) {
    known_.push_back(option.name);
    for (Said& said : said_)
      if (!said.taken && option.is(said.plain)) {
        said.taken = true;
        set_option(options, option.name, said.value);
      }
  }

  std::string_view work_;
  std::string_view kind_;
  std::vector<Said> said_;
  const svrmu_options* options_;
  std::vector<std::string_view> taken_matrices_;
  std::vector<std::string_view> known_;  // all that this work has
};

}  // namespace svrmu::c
