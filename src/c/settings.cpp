#include "c/settings.hpp"

#include <algorithm>

#include "c/dense.hpp"
#include "c/errors.hpp"
#include "c/lists.hpp"
#include "text/text.hpp"

namespace svrmu::c {

Settings::Settings(const svrmu_options* options, std::string_view work, std::string_view kind)
    : work_(work), kind_(kind), options_(options) {
  if (options == nullptr) return;
  for (const auto& [name, value] : options->texts) said_.push_back({name, underscored(name), value});
}

std::optional<std::string> Settings::take_text(std::string_view name) {
  known_.emplace_back(name);
  std::optional<std::string> found;
  for (Said& said : said_)
    if (!said.taken && said.plain == name) {
      said.taken = true;
      found = said.value;
    }
  return found;
}

const Matrix<double>* Settings::take_matrix(std::string_view name) {
  known_.emplace_back(name);
  if (options_ == nullptr) return nullptr;
  const auto found = options_->matrices.find(name);
  if (found == options_->matrices.end()) return nullptr;
  taken_matrices_.emplace_back(name);
  return &found->second;
}

void Settings::refuse(std::string_view name, std::string_view flag, std::string_view why) const {
  const auto refused = [&](const std::string& said, std::string_view plain) {
    if (plain == name || plain == flag)
      throw InvalidInput(said + " does not go with " + std::string(work_) + ": " + std::string(why));
  };
  for (const Said& said : said_) refused(said.name, said.plain);
  if (options_ == nullptr) return;
  for (const auto& [said, matrix] : options_->matrices) refused(said, said);
}

std::vector<std::pair<std::string, std::string>> Settings::take_rest() {
  std::vector<std::pair<std::string, std::string>> rest;
  for (Said& said : said_)
    if (!std::exchange(said.taken, true)) rest.emplace_back(said.name, said.value);
  return rest;
}

void Settings::refuse_unknown(const std::string& name) const {
  const std::string owner = owner_of_option(name);
  if (!owner.empty())
    throw InvalidInput(name + " does not go with " + std::string(work_) + ": it is an option of " + owner);
  throw InvalidInput("there is no option " + name + "; " +
                     nearest_text(underscored(name), {known_.begin(), known_.end()}, list_place(kind_)));
}

void Settings::finish() const {
  for (const Said& said : said_)
    if (!said.taken) refuse_unknown(said.name);
  if (options_ == nullptr) return;
  for (const auto& [name, matrix] : options_->matrices)
    if (std::find(taken_matrices_.begin(), taken_matrices_.end(), name) == taken_matrices_.end())
      throw InvalidInput(name + " does not go with " + std::string(work_));
}

}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_options_new(svrmu_options** options) {
  return guarded([&] {
    svrmu_options*& place = empty_place(options, "options");
    place = new svrmu_options;
  });
}

svrmu_code svrmu_options_set(svrmu_options* options, const char* name, const char* value) {
  return guarded([&] {
    auto& texts = required(options, "options").texts;
    const std::string wanted = required_text(name, "name");
    std::string text = required_text(value, "value");
    if (wanted.empty())
      throw svrmu::InvalidInput("name is empty; svrmu_list_options() tells which there are");
    // What is set again is set last: "epochs" and "max_epochs" are one option.
    std::erase_if(texts, [&](const auto& set) { return set.first == wanted; });
    texts.emplace_back(wanted, std::move(text));
  });
}

svrmu_code svrmu_options_set_dense(svrmu_options* options, const char* name, const svrmu_dense* value) {
  return guarded([&] {
    auto& matrices = required(options, "options").matrices;
    const std::string wanted = required_text(name, "name");
    const std::vector<std::string> names = {"init_w", "init_h", "init_r"};
    if (std::find(names.begin(), names.end(), wanted) == names.end())
      throw svrmu::InvalidInput("there are no factors " + wanted + "; " + svrmu::nearest_text(wanted, names));
    matrices.insert_or_assign(wanted, copy_of(required(value, "value"), wanted));
  });
}

void svrmu_options_free(svrmu_options* options) { delete options; }

}  // extern "C"
