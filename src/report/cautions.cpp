// What makes a result of little use, and what to do about it.
#include <algorithm>
#include <cmath>

#include "report/model_sections.hpp"
#include "text/text.hpp"

namespace svrmu::report {
namespace {

constexpr std::size_t most_named = 10;
constexpr double least_explained = 5e-4;  // a share that is shown as 0.1 % is something

// "lower --l1-w (5)" and the like; nothing where there are no penalties.
std::string lower_penalties(const Penalties& penalties) {
  std::vector<std::string> flags;
  for (const OptionInfo& option : options_of(penalties))
    if (option.value != "0") flags.push_back("--" + option.flag + " (" + option.value + ")");
  return flags.empty() ? "" : "lower " + joined(flags, ", ");
}

std::string next_step(const std::string& penalties, bool outliers, const std::string& otherwise) {
  if (!penalties.empty()) return penalties;
  return outliers ? "raise --outlier-penalty" : otherwise;
}

// A component is without effect where its column of W or its row of H is zero.
template <class Scalar>
std::vector<std::string> empty_components(const FitResult<Scalar>& fit) {
  std::vector<std::string> out;
  for (Index k = 0; k < fit.W.cols(); ++k)
    if ((fit.W.col(k).array() == Scalar(0)).all() ||
        (fit.H.cols() > 0 && (fit.H.row(k).array() == Scalar(0)).all()))
      out.push_back(std::to_string(k + 1));
  return out;
}

std::string empty_text(std::vector<std::string> empty, Index rank, const std::string& penalties) {
  const std::size_t count = empty.size();
  const std::string fewer =
      "ask for fewer components, -k " + std::to_string(rank - static_cast<Index>(count));
  if (count > most_named) empty.resize(most_named);
  return (count == 1 ? "component " : "components ") + joined(empty, ", ") +
         (count > most_named ? " and " + std::to_string(count - most_named) + " more" : "") + " of " +
         std::to_string(rank) + (count == 1 ? " is" : " are") +
         " zero everywhere: " + (penalties.empty() ? fewer : penalties + ", or " + fewer);
}

std::string no_epoch_text(StopReason reason) {
  const std::string begin = "no epoch was finished, so that W and H are little better than the start: ";
  switch (reason) {
    case StopReason::time_limit:
      return begin + "raise --time-limit";
    case StopReason::cancelled:
      return begin + "go on with --resume";
    case StopReason::epoch_limit:
      return begin + "raise --epochs";
    case StopReason::gradient_budget:
      return begin + "raise --grad-budget";
    default:
      return begin + "try another --algorithm, --init or --seed";
  }
}

}  // namespace

template <class Scalar>
std::vector<std::string> cautions(const io::Model<Scalar>& model) {
  const FitResult<Scalar>& fit = model.fit;
  const std::string penalties = lower_penalties(fit.penalties);
  const bool outliers = has_r(fit);
  const EpochRecord& last = fit.history.back();
  std::vector<std::string> out;
  const bool no_epoch = last.epoch - (last.partial ? 1 : 0) <= 0;
  if (no_epoch) out.push_back(no_epoch_text(fit.reason));

  const std::vector<std::string> empty = empty_components(fit);
  if (static_cast<Index>(empty.size()) == fit.rank) {
    out.push_back("WH is zero everywhere and says nothing about V: " +
                  next_step(penalties, outliers, "try another --algorithm, --init or --seed"));
    return out;
  }
  if (!empty.empty()) out.push_back(empty_text(empty, fit.rank, penalties));
  const Quality found = quality(fit);
  if (found.diverged)
    out.push_back(
        "the run diverged: W and H are worse than the start. Take larger batches (--batch-size) or "
        "smaller steps (--step), or let bad epochs be undone (--safeguard)");
  else if (found.explained < least_explained && !no_epoch)
    out.push_back("WH explains nothing of " + found.baseline + ": " +
                  next_step(penalties, false, "raise --epochs, lower --tol, or try another --algorithm"));
  return out;
}

#define SVRMU_INSTANTIATE(S) template std::vector<std::string> cautions<S>(const io::Model<S>&);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::report
