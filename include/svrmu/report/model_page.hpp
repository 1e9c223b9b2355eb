/// @file
/// The report of a model (target svrmu::report): how it was made, how it converged, what its components are.
#pragma once

#include <optional>
#include <string_view>

#include "svrmu/export.hpp"
#include "svrmu/io/model.hpp"
#include "svrmu/report/page.hpp"

namespace svrmu::report {

/// The size of a picture whose pixels are the features, column by column.
struct ImageShape {
  Index rows = 0;     ///< its height
  Index columns = 0;  ///< its width
};

/// The shape that a text like "19x19" means: rows x columns. InvalidInput for anything else.
SVRMU_API ImageShape parse_image_shape(std::string_view text);

/// What a report shows beside the model itself.
template <class Scalar>
struct ModelReportOptions {
  std::string title{};                ///< empty: the name of the data
  std::optional<ImageShape> image{};  ///< InvalidInput unless it has as many pixels as there are features
  const MatrixSource<Scalar>* V = nullptr;  ///< what the model was made from, for the residuals: two passes
                                            ///< over it
};

/// The whole report.
template <class Scalar>
SVRMU_API Page model_page(const io::Model<Scalar>& model, const ModelReportOptions<Scalar>& options = {});

/// The columns of W, heaviest first. They are pictures if there is an image, bars of the strongest features
/// if these have names, and spectra otherwise (also if the names are increasing numbers).
template <class Scalar>
SVRMU_API Block component_block(const FitResult<Scalar>& fit, const std::vector<std::string>& feature_names,
                                const std::optional<ImageShape>& image);

/// How far each sample is from its fit, 0 where v is 0: ||v - Wh - r|| / ||v|| for frobenius, else the
/// divergence of v from Wh over the sum of v^beta. Neither changes with the scale of v. V must be what `fit`
/// was made from.
template <class Scalar>
SVRMU_API std::vector<double> sample_residuals(const MatrixSource<Scalar>& V, const FitResult<Scalar>& fit);

/// The axes over which a history can be drawn: epochs, gradient counts, columns read, seconds in the solver.
SVRMU_API std::vector<std::string> history_axes();
/// A curve over these axes. `entries` is features x samples.
SVRMU_API LineChart::Series history_curve(const std::string& name, const std::vector<EpochRecord>& history,
                                          double entries, double EpochRecord::*value);

/// Why a run ended, as a clause: "at the limit of 200 epochs".
template <class Scalar>
SVRMU_API std::string stop_text(const FitResult<Scalar>& fit, const Stopping& stopping);

/// What makes a model of little use, with the next step, in terms of the program's flags; the worst first.
/// Empty for most models.
template <class Scalar>
SVRMU_API std::vector<std::string> cautions(const io::Model<Scalar>& model);

}  // namespace svrmu::report
