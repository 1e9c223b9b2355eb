/// \file
/// Options of the algorithms that move W once per pass over V.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>

#include "svrmu/solvers/shared.hpp"

namespace svrmu {

/// Batch multiplicative updates (Lee & Seung 2001; beta: Fevotte & Idier 2011).
struct MuOptions {
  Exponent exponent = Exponent::mm;           ///< power of the ratio for beta losses
  UpdateFirst update_first = UpdateFirst::h;  ///< which factor moves first

  static constexpr std::string_view name = "mu";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    return std::tuple_cat(fields::exponent<MuOptions>(), std::tuple{Field<MuOptions, UpdateFirst>{
                                                             "update_first", &MuOptions::update_first, 0, 0,
                                                             "which factor moves first in an epoch"}});
  }
};

/// Multiplicative updates from extrapolated factors, for every loss (after Hien, Leplat & Gillis 2024).
struct MuExtOptions {
  Exponent exponent = Exponent::mm;  ///< power of the ratio for beta losses

  static constexpr std::string_view name = "mu-ext";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() { return fields::exponent<MuExtOptions>(); }
};

/// Multiplicative updates with inner repeats (Gillis & Glineur 2012).
struct MuAccOptions {
  double work_ratio = 2;                      ///< inner updates allowed, as a share of the cost of products
  int h_rule_limit = 0;                       ///< most steps; 0: chosen
  double h_rule_tolerance = 0.1;              ///< relative size of the step that ends them
  UpdateFirst update_first = UpdateFirst::h;  ///< which factor moves first

  static constexpr std::string_view name = "mu-acc";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() { return fields::sweeps<MuAccOptions>(); }
};

/// Batch multiplicative updates with L1 outliers (R-NMF of the paper's comparison).
struct RNmfOptions {
  std::optional<double> outlier_penalty{};                    ///< lambda; unset: 0.02 max(V)
  OutlierStart outlier_start = OutlierStart::scaled_uniform;  ///< where R begins
  OutlierStep outlier_step = OutlierStep::sequential;         ///< which h the step of R sees
  OutlierUpdate outlier_update = OutlierUpdate::automatic;    ///< how R moves

  static constexpr std::string_view name = "r-nmf";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() { return fields::outliers<RNmfOptions>(); }
};

/// Hierarchical alternating least squares (Cichocki & Phan 2009).
struct HalsOptions {
  bool initial_scaling = true;  ///< scale the start to fit V

  static constexpr std::string_view name = "hals";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    return std::tuple{Field<HalsOptions, bool>{"initial_scaling", &HalsOptions::initial_scaling, 0, 0,
                                               "scale the start to fit V and balance its components"}};
  }
};

/// HALS with inner sweeps (Gillis & Glineur 2012).
struct HalsAccOptions {
  bool initial_scaling = true;                ///< scale the start to fit V
  double work_ratio = 0.5;                    ///< inner updates allowed, as a share of the cost of products
  int h_rule_limit = 0;                       ///< most steps; 0: chosen
  double h_rule_tolerance = 0.1;              ///< relative size of the step that ends them
  UpdateFirst update_first = UpdateFirst::h;  ///< which factor moves first

  static constexpr std::string_view name = "hals-acc";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple{Field<HalsAccOptions, bool>{"initial_scaling", &HalsAccOptions::initial_scaling, 0, 0,
                                               "scale the start to fit V and balance its components"}},
        fields::sweeps<HalsAccOptions>());
  }
};

/// HALS with inner sweeps and extrapolation (Ang & Gillis 2019).
struct HalsExtOptions {
  int sweeps = 0;  ///< sweeps over a factor per product with V; 0: chosen

  static constexpr std::string_view name = "hals-ext";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() { return std::tuple{fields::inner_sweeps<HalsExtOptions>()}; }
};

/// Column subset, sketch and a surrogate that is made consistent with V at each visit.
struct FastOptions {
  Index subset_size = 0;  ///< columns that W is learned on at first; 0: chosen
  Index sketch_size = 0;  ///< dimension of the sketch; 0: chosen
  int sweeps = 0;         ///< sweeps over a factor per product with V; 0: chosen

  static constexpr std::string_view name = "fast";  ///< of the algorithm
  /// The list of its options.
  static constexpr auto fields() {
    using O = FastOptions;
    return std::tuple{
        Field<O, Index>{
            "subset_size", &O::subset_size, 0, fields::huge,
            "columns that W is learned on at first; 0 chooses at least max(1000, 75K), at most N/2"},
        Field<O, Index>{"sketch_size", &O::sketch_size, 0, 46340,
                        "dimension to which V is compressed; 0 chooses 1.5K, or none where V is small"},
        fields::inner_sweeps<O>()};
  }
};

}  // namespace svrmu
