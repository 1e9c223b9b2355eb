#include "svrmu/choose.hpp"

#include "svrmu/error.hpp"

namespace svrmu {
namespace {

Choice choice(const char* name, std::string reason, Start start = Start::automatic) {
  return {name, solver_named(name), std::move(reason), start};
}

}  // namespace

Choice choose_solver(const ProblemTraits& traits) {
  if (traits.robust) {
    if (!traits.loss.is_frobenius())
      throw InvalidInput("outliers are only modeled with the frobenius loss, not with " +
                         to_string(traits.loss));
    // With fewer batches than that a stochastic method has little to gain.
    const Index batch = std::max<Index>(5 * traits.rank, 256);
    if (traits.samples >= 5 * batch) return choice("r-svrmu-acc", "outliers, and enough samples for batches");
    return choice("r-nmf", "outliers, and too few samples for batches");
  }
  if (traits.loss == Loss::kullback_leibler() || traits.loss == Loss::itakura_saito())
    return choice("mu-ext",
                  "loss " + to_string(traits.loss) +
                      ": extrapolated steps, from a short frobenius fit unless a start is chosen",
                  Start::frobenius);
  if (!traits.loss.is_frobenius())
    return choice("mu-ext", "the loss is " + to_string(traits.loss) + ": extrapolated steps, never upwards");
  return choice("fast", "frobenius loss: the fewest passes over V to a good result");
}

}  // namespace svrmu
