// Small fitted models for the tests of model files.
#pragma once

#include <string>
#include <utility>

#include "forms.hpp"
#include "problems.hpp"
#include "svrmu/io/model.hpp"

namespace svrmu::io {

template <class Scalar>
Model<Scalar> model_of(FitResult<Scalar> fit, const std::string& algorithm) {
  Model<Scalar> model;
  model.fit = std::move(fit);
  model.algorithm = algorithm;
  model.stopping.max_epochs = 7;
  model.stopping.kkt = 1e-3;
  model.stopping.violation = 1e-5;
  model.stopping.error_fall = 1e-7;
  model.normalize = true;
  model.evaluate_every = 3;
  model.data = {.path = "some/V.npy",
                .features = model.fit.W.rows(),
                .samples = model.fit.H.cols(),
                .stored = 99,
                .sparse = true,
                .samples_in = SamplesIn::rows,
                .fingerprint = 0xfedcba9876543210u};
  model.command = "svrmu fit some/V.npy --name 'käse'";
  model.created = "2026-11-05T10:11:12Z";
  model.version = "0.1.0";
  return model;
}

// Everything that a model can have, but dense outliers.
inline Model<double> rich_model() {
  const SparseMatrix<double> V = mostly_zero(9, 20).sparseView();
  FitOptions<double> options = epochs<double>(4, 3);
  options.penalties = {0.1, 0.2, 0.3, 0.4};
  const SolverOptions solver =
      configured("r-svrmu", {{"batch_size", "5"}, {"outlier_update", "multiplicative"}});
  Model<double> model = model_of(fit(*view(V), solver, options), "r-svrmu");
  model.fit.warnings = {"first", "second, with \"quotes\"\nand lines"};
  for (Index f = 0; f < 9; ++f) model.feature_names.push_back("feature " + std::to_string(f));
  for (Index n = 0; n < 20; ++n) model.sample_names.push_back("sample " + std::to_string(n));
  model.preprocessing.steps = {{PreprocessStep::tfidf, std::vector<double>(9, 1.5)},
                               {PreprocessStep::log1p, {}},
                               {PreprocessStep::max1, {0.1}}};
  return model;
}

}  // namespace svrmu::io
