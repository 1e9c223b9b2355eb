// What a caller asks of a fit, from names and texts.
#pragma once

#include <string>
#include <utility>

#include "c/settings.hpp"
#include "svrmu/fit.hpp"
#include "svrmu/solvers.hpp"
#include "svrmu/update.hpp"

namespace svrmu::c {

// An algorithm with its options.
struct SolverRequest {
  SolverOptions solver;
  std::string name;  // as it was asked for; "auto" leaves the choice to the library

  // The name that a model bears: what was asked for, or what was chosen.
  std::string told(const std::string& chosen) const { return name == Auto::name ? chosen : name; }
};

// Takes all that is left: call it last. `robust`: outliers are wanted, whatever the options say.
SolverRequest take_solver(Settings& settings, bool robust);

template <class Scalar>
struct FitRequest {
  SolverRequest by;
  FitOptions<Scalar> options;
};

// sparse: outliers to begin with are those of a sparse V.
template <class Scalar>
FitRequest<Scalar> fit_request(Settings& settings, bool sparse) {
  FitRequest<Scalar> request;
  FitOptions<Scalar>& options = request.options;
  settings.take(options);
  settings.take(options.stopping);
  settings.take(options.penalties);
  const Matrix<double>* W = settings.take_matrix("init_w");
  const Matrix<double>* H = settings.take_matrix("init_h");
  const Matrix<double>* R = settings.take_matrix("init_r");
  request.by = take_solver(settings, R != nullptr);
  settings.finish();
  if (options.rank == 0) throw InvalidInput("rank is not set; it is the number of components K");
  if (W != nullptr) options.given.W = W->template cast<Scalar>();
  if (H != nullptr) options.given.H = H->template cast<Scalar>();
  if (R != nullptr && sparse)
    options.given.R_sparse = R->template cast<Scalar>().eval().sparseView();
  else if (R != nullptr)
    options.given.R = R->template cast<Scalar>();
  return request;
}

template <class Scalar>
struct StreamRequest {
  SolverRequest by;
  StreamStart<Scalar> start;
  StreamOptions<Scalar> options;
};

// Refuses what a stream cannot have, with the reason.
void refuse_for_stream(const Settings& settings);

template <class Scalar>
StreamRequest<Scalar> stream_request(Settings& settings) {
  refuse_for_stream(settings);
  StreamRequest<Scalar> request;
  settings.take(request.options);
  FitOptions<Scalar> said;
  for (const char* name : {"rank", "force_rank", "loss", "seed", "start"}) settings.take(said, name);
  settings.take(said.penalties);
  const Matrix<double>* W = settings.take_matrix("init_w");
  request.by = take_solver(settings, false);
  settings.finish();
  if (said.rank == 0) throw InvalidInput("rank is not set; it is the number of components K");
  StreamStart<Scalar>& start = request.start;
  start.rank = said.rank;
  start.force_rank = said.force_rank;
  start.loss = said.loss;
  start.penalties = said.penalties;
  start.seed = said.seed;
  start.start = said.start;
  if (W != nullptr) start.W = W->template cast<Scalar>();
  return request;
}

}  // namespace svrmu::c
