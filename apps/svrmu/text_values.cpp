#include "text_values.hpp"

#include <algorithm>

#include "errors.hpp"
#include "svrmu/experiment/recovery.hpp"
#include "text/text.hpp"

namespace svrmu::cli {
template <class Enum>
Enum parse_choice(std::string_view flag, std::string_view text) {
  const auto names = choices(Enum{});
  std::string wanted(text);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::vector<std::string> shown(names.begin(), names.end());
  for (std::string& name : shown) std::replace(name.begin(), name.end(), '_', '-');
  throw UsageError(std::string(flag) + " is '" + std::string(text) + "'; " + nearest_text(text, shown));
}

template Start parse_choice<Start>(std::string_view, std::string_view);
template DataKind parse_choice<DataKind>(std::string_view, std::string_view);
template Order parse_choice<Order>(std::string_view, std::string_view);
template experiment::Axis parse_choice<experiment::Axis>(std::string_view, std::string_view);
template experiment::OutlierDraw parse_choice<experiment::OutlierDraw>(std::string_view, std::string_view);

}  // namespace svrmu::cli
