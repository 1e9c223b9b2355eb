// What can be said of the paper's claims about its experiment 2, from the numbers of a run.
#include <algorithm>
#include <cmath>
#include <limits>

#include "svrmu/error.hpp"
#include "svrmu/experiment/recovery.hpp"
#include "text/text.hpp"

namespace svrmu::experiment {
namespace {

// In the order of faces_contestants().
enum : std::size_t { batch, online, robust_online, proposed, robust_online_acc, proposed_plain, everyone };

class FacesVerdict {
 public:
  explicit FacesVerdict(const Recovery& recovery) : recovery_(recovery) {}

  std::vector<std::string> sentences() const {
    std::vector<std::string> list;
    if (nobody_recovers()) list.push_back(nobody_text());
    if (const std::string noise = noise_text(); !noise.empty()) list.push_back(noise);
    list.insert(list.end(), {better_text(), similar_text()});
    if (recovery_.clean_bases.size() > 1) list.push_back(scale_text());
    list.push_back(std::string("With the same h steps R-ONMF is ") +
                   (error(robust_online_acc) < error(proposed) ? "ahead" : "behind") +
                   " by the error: " + errors_text(robust_online_acc, proposed) + ".");
    list.push_back(std::string("Without h steps and inner passes R-SVRMU is ") +
                   (error(proposed_plain) < error(batch) ? "below" : "not below") +
                   " batch R-NMF by the error: " + errors_text(proposed_plain, batch) + ".");
    list.push_back("Without outliers in the model, " + error_text(online) + "; V itself is at " +
                   decimal_text(spread_of(recovery_.spoiled).median, 3) + ", the mean picture at " +
                   decimal_text(recovery_.mean_sample, 3) + ".");
    if (recovery_.true_parts > 0) list.push_back(parts_text());
    return list;
  }

 private:
  double error(std::size_t c) const { return error_spread(recovery_, c).median; }
  double clean(std::size_t c) const { return clean_spread(recovery_, c).median; }
  double alike(std::size_t c) const { return alike_spread(recovery_, c, batch).median; }
  const std::string& label(std::size_t c) const { return recovery_.contestants[c].label; }
  std::string with(std::size_t c, double value) const { return label(c) + " " + decimal_text(value, 3); }
  std::string error_text(std::size_t c) const { return with(c, error(c)); }
  std::string errors_text(std::size_t c, std::size_t d) const {
    return error_text(c) + " against " + error_text(d);
  }

  // Who is not nearer to the pictures than one picture for all has learned nothing of them.
  bool nobody_recovers() const {
    for (std::size_t c = 0; c < everyone; ++c)
      if (error(c) < recovery_.mean_sample) return false;
    return true;
  }

  std::string nobody_text() const {
    std::size_t best = 0;
    for (std::size_t c = 1; c < everyone; ++c)
      if (error(c) < error(best)) best = c;
    return "Nobody recovers the pictures: the lowest error on clean data is " + error_text(best) +
           ", and the mean picture in the place of each has " + decimal_text(recovery_.mean_sample, 3) + ".";
  }

  bool is_noise(std::size_t c) const { return start_spread(recovery_, c).median >= similar_bases; }

  std::string noise_text() const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < everyone; ++c)
      if (is_noise(c)) names.push_back(with(c, start_spread(recovery_, c).median));
    if (names.empty()) return {};
    return "Bases that are still their random start (matched cosine with it " + number_text(similar_bases) +
           " or more): " + list_text(names) + "; more counts are needed.";
  }

  std::string better_text() const {
    const bool by_bases = clean(proposed) > clean(robust_online);
    const bool by_error = error(proposed) < error(robust_online);
    const char* verdict = by_bases && by_error ? "holds by the bases and by the error"
                          : by_bases           ? "holds by the bases, not by the error"
                          : by_error           ? "holds by the error, not by the bases"
                                               : "does not hold";
    return "\"Better bases than R-ONMF\" " + std::string(verdict) +
           ": matched cosine with the bases of clean data " + with(proposed, clean(proposed)) + " against " +
           with(robust_online, clean(robust_online)) + ", error on clean data " +
           errors_text(proposed, robust_online) + ".";
  }

  std::string similar_text() const {
    const char* verdict = nobody_recovers() ? "says nothing where nobody recovers the pictures"
                          : is_noise(batch) ? "says nothing while the bases of R-NMF are noise"
                          : alike(proposed) >= similar_bases ? "holds"
                                                             : "does not hold";
    return "\"Similar bases as the batch-based R-NMF\" " + std::string(verdict) +
           ": matched cosine with them " + with(proposed, alike(proposed)) + " (similar from " +
           number_text(similar_bases) + " on), " + with(robust_online, alike(robust_online)) + ", " +
           with(online, alike(online)) + "; error on clean data " + errors_text(proposed, batch) + ".";
  }

  // All methods share the start of a seed, and the bases of one V are many.
  std::string scale_text() const {
    std::vector<const RowMatrix<double>*> of_batch, of_clean;
    for (const RecoveryRun& run : recovery_.runs)
      if (run.contestant == batch) of_batch.push_back(&run.bases);
    for (const RowMatrix<double>& W : recovery_.clean_bases) of_clean.push_back(&W);
    const auto neighbors = [](const std::vector<const RowMatrix<double>*>& bases) {
      std::vector<double> values;
      for (std::size_t i = 1; i < bases.size(); ++i)
        values.push_back(matched_cosine(*bases[i - 1], *bases[i]));
      return decimal_text(spread_of(values).median, 3);
    };
    return "For scale: with another seed, that is another start, the matched cosine of " + label(batch) +
           " with itself is " + neighbors(of_batch) + ", on clean data " + neighbors(of_clean) + ".";
  }

  std::string parts_text() const {
    std::vector<std::string> found;
    for (std::size_t c = 0; c < everyone; ++c)
      found.push_back(label(c) + " " + number_text(parts_spread(recovery_, c).median));
    return "Of " + std::to_string(recovery_.true_parts) + " true parts are found: " + list_text(found) + ".";
  }

  const Recovery& recovery_;
};

}  // namespace

std::vector<std::string> faces_verdict(const Recovery& recovery) {
  if (recovery.contestants.size() != everyone)
    throw InvalidInput("the verdict is about the contestants of faces_contestants()");
  return FacesVerdict(recovery).sentences();
}

}  // namespace svrmu::experiment
