/// @file
/// How far WH is from V.
#pragma once

#include <string>
#include <string_view>

#include "svrmu/export.hpp"

namespace svrmu {

/// A beta-divergence, summed over all entries. beta = 2 is 1/2 ||V - WH||^2 (Frobenius), 1 is
/// Kullback-Leibler, 0 is Itakura-Saito.
struct Loss {
  double beta = 2;  ///< The order of the divergence.

  /// 1/2 ||V - WH||^2.
  static constexpr Loss frobenius() { return {2}; }
  /// Kullback-Leibler: for counts.
  static constexpr Loss kullback_leibler() { return {1}; }
  /// Itakura-Saito: for spectra; V must be positive.
  static constexpr Loss itakura_saito() { return {0}; }
  /// Any other.
  static constexpr Loss beta_divergence(double beta) { return {beta}; }

  /// True for beta = 2.
  bool is_frobenius() const { return beta == 2; }
  /// The same beta.
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// From "frobenius", "kl", "is" or "beta:X". Throws InvalidInput for anything else.
SVRMU_API Loss parse_loss(std::string_view text);
/// As parse_loss() takes it.
SVRMU_API std::string to_string(const Loss& loss);

}  // namespace svrmu
