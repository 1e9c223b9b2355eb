#include "c/lists.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "c/errors.hpp"
#include "c/settings.hpp"
#include "c/structs.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/io/files.hpp"
#include "svrmu/update.hpp"
#include "text/text.hpp"

namespace svrmu::c {
namespace {

constexpr std::array<std::string_view, 4> kinds = {"fit", "transform", "stream", "read"};

template <class Options>
void append(std::vector<OptionInfo>& list, const Options& options) {
  for (OptionInfo& info : options_of(options)) list.push_back(std::move(info));
}

// The algorithm is an option as well; those that belong to it have lists of their own.
std::vector<OptionInfo> options_of_fit() {
  OptionInfo algorithm{.name = "algorithm",
                       .type = "choice",
                       .value = std::string(Auto::name),
                       .choices = {std::string(Auto::name)},
                       .help = "how W and H are found",
                       .flag = "algorithm"};
  for (const SolverInfo& info : catalog()) algorithm.choices.push_back(info.name);
  OptionInfo preset{.name = "preset",
                    .type = "text",
                    .value = "",
                    .choices = {},
                    .help = "options of the algorithm as published: paper",
                    .flag = "preset"};
  std::vector<OptionInfo> list{std::move(algorithm), std::move(preset)};
  append(list, FitOptions<double>{});
  append(list, Stopping{});
  append(list, Penalties{});
  return list;
}

std::vector<OptionInfo> options_by_kind(std::string_view kind) {
  if (kind == "fit") return options_of_fit();
  if (kind == "transform") return options_of(TransformOptions<double>{});
  if (kind == "stream") return options_of(StreamOptions<double>{});
  return options_of(io::ReadOptions{});
}

// Calls use(name, options) for every kind of work, for auto and for every algorithm.
template <class Use>
void for_all_lists(const Use& use) {
  for (const std::string_view kind : kinds) use(std::string(kind), options_by_kind(kind));
  use(std::string(Auto::name), options_of(SolverOptions(Auto{})));
  for (const SolverInfo& info : catalog()) use(info.name, options_of(info.options));
}

bool has_name(const OptionNames& names, std::string_view plain) {
  return std::any_of(names.begin(), names.end(), [&](const OptionName& option) { return option.is(plain); });
}

// Texts for good: what points to them lives as long as the library.
class Listed {
 public:
  explicit Listed(const std::vector<OptionInfo>& list) {
    for (const OptionInfo& info : list)
      options_.push_back({kept(info.name), kept(underscored(info.flag)), kept(info.type), kept(info.value),
                          kept(joined(info.choices, "|")), kept(info.help), info.least, info.most});
  }
  explicit Listed(const std::vector<SolverInfo>& list) {
    const std::vector<std::string> streaming = streaming_solvers();
    for (const SolverInfo& info : list) {
      const bool streams = std::find(streaming.begin(), streaming.end(), info.name) != streaming.end();
      algorithms_.push_back({kept(info.name), kept(info.summary), kept(joined(info.presets, "|")),
                             has_outliers(info.options) ? 1 : 0, streams ? 1 : 0});
    }
  }

  const std::vector<svrmu_option_info>& options() const { return options_; }
  const std::vector<svrmu_algorithm_info>& algorithms() const { return algorithms_; }

 private:
  const char* kept(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::deque<std::string> texts_;
  std::vector<svrmu_option_info> options_;
  std::vector<svrmu_algorithm_info> algorithms_;
};

using ListsByKind = std::map<std::string, Listed, std::less<>>;

const ListsByKind& option_lists() {
  static const ListsByKind& lists = *[] {
    auto made = std::make_unique<ListsByKind>();
    for_all_lists([&](const std::string& name, const auto& options) { made->try_emplace(name, options); });
    return made.release();
  }();
  return lists;
}

using NamesByKind = std::map<std::string, OptionNames, std::less<>>;

const NamesByKind& names_by_kind() {
  static const NamesByKind& names = *[] {
    auto made = std::make_unique<NamesByKind>();
    for_all_lists([&](const std::string& name, const std::vector<OptionInfo>& options) {
      (*made)[name] = OptionNames(options.begin(), options.end());
    });
    OptionNames& any = made->at(std::string(Auto::name));
    for (const SolverInfo& info : catalog())
      for (const OptionName& option : made->at(info.name))
        if (!has_name(any, option.name)) any.push_back(option);
    return made.release();
  }();
  return names;
}

const Listed& algorithm_list() {
  static const Listed& list = *new Listed(catalog());
  return list;
}

template <class Struct>
void hand_out(const std::vector<Struct>& list, const Room& room, std::int64_t& count) {
  count = static_cast<std::int64_t>(list.size());
  for (std::int64_t i = 0; i < std::min(count, room.capacity); ++i)
    room.put(i, list[static_cast<std::size_t>(i)]);
}

}  // namespace

const OptionNames& option_names(std::string_view of) { return names_by_kind().find(of)->second; }

std::string owner_of_option(std::string_view name) {
  const std::string plain = underscored(name);
  std::vector<std::string> owners;
  for (const std::string_view kind : kinds)
    if (has_name(option_names(kind), plain)) owners.emplace_back(kind);
  if (!owners.empty()) return list_text(owners);
  for (const SolverInfo& info : catalog())
    if (has_name(option_names(info.name), plain)) owners.push_back(info.name);
  return list_text(owners);
}

bool some_algorithm_has(std::string_view name) {
  return has_name(option_names(Auto::name), underscored(name));
}

}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

const char* svrmu_version(void) { return SVRMU_VERSION; }

svrmu_code svrmu_list_options(const char* of, svrmu_option_info* to, size_t info_size, int64_t capacity,
                              int64_t* count) {
  return guarded([&] {
    const std::string_view kind = required_text(of, "of");
    const Room room{to, info_size, capacity, "info_size"};
    room.check();
    const auto found = option_lists().find(kind);
    if (found != option_lists().end())
      return hand_out(found->second.options(), room, required(count, "count"));
    std::vector<std::string> names;
    for (const auto& [name, list] : option_lists()) names.push_back(name);
    throw svrmu::InvalidInput("nothing is called '" + std::string(kind) + "'; " +
                              svrmu::nearest_text(kind, names));
  });
}

svrmu_code svrmu_list_algorithms(svrmu_algorithm_info* to, size_t info_size, int64_t capacity,
                                 int64_t* count) {
  return guarded([&] {
    const Room room{to, info_size, capacity, "info_size"};
    room.check();
    hand_out(algorithm_list().algorithms(), room, required(count, "count"));
  });
}

}  // extern "C"
