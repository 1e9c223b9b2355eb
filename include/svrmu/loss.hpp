/// \file
/// How far WH is from V.
#pragma once

#include <string>
#include <string_view>

namespace svrmu {

/// A beta-divergence, summed over all entries: beta = 2 is 1/2||V - WH||^2 (Frobenius), 1 is
/// Kullback-Leibler, 0 is Itakura-Saito.
struct Loss {
  double beta = 2;

  static constexpr Loss frobenius() { return {2}; }
  static constexpr Loss kullback_leibler() { return {1}; }
  static constexpr Loss itakura_saito() { return {0}; }
  static constexpr Loss beta_divergence(double beta) { return {beta}; }

  bool is_frobenius() const { return beta == 2; }
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// "frobenius", "kl", "is" or "beta:X".
Loss parse_loss(std::string_view text);
std::string to_string(const Loss& loss);

}  // namespace svrmu
