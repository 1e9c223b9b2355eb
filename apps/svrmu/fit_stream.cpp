#include "fit_stream.hpp"

#include "console.hpp"
#include "errors.hpp"
#include "start_file.hpp"
#include "stream_learning.hpp"
#include "stream_model.hpp"

namespace svrmu::cli {
namespace {

struct Refused {
  const char* flag;
  const char* why;
};

constexpr const char* seen_once = "each column is seen once";
constexpr const char* unknown_count = "nobody knows how many samples there are";
constexpr const char* no_h = "H is not kept";

constexpr Refused not_for_streams[] = {
    {"--resume", "svrmu update goes on with a model"},
    {"--restarts", seen_once},
    {"--epochs", seen_once},
    {"--tol", seen_once},
    {"--kkt-tol", seen_once},
    {"--violation-tol", seen_once},
    {"--error-tol", seen_once},
    {"--grad-budget", seen_once},
    {"--evaluate-every", seen_once},
    {"--dry-run", "what was read to check it would be gone"},
    {"--preset", "the paper's algorithms read V again and again"},
    {"--normalize", no_h},
    {"--init-h", no_h},
    {"--init-r", "no algorithm models outliers on a stream"},
    {"--save-r", "no algorithm models outliers on a stream"},
    {"--sample-names", unknown_count},
    {"--report", "svrmu report makes it from the model"},
    {"--figures", "svrmu report makes them from the model"},
    {"--image", "svrmu report takes it"},
};

void check_stream_flags(const FitFlags& flags) {
  for (const Refused& refused : not_for_streams)
    if (flags.given(refused.flag))
      throw UsageError(std::string(refused.flag) + " does not go with --stream: " + refused.why);
  if (!flags.input.path.empty())
    throw UsageError("--stream and INPUT both name the samples; give one of them");
  if (flags.input.trusted && flags.init_w.empty())
    throw UsageError("--trusted does not go with --stream, which is never HDF5");
  if (flags.fit.start == Start::frobenius)
    throw UsageError("--init frobenius does not go with --stream: it is a fit of its own");
  if (!flags.given("--rank")) throw UsageError("fit needs -k K, the number of components");
}

// Steps that need nothing but their sample.
io::Preprocessing steps_of(const std::string& text) {
  io::Preprocessing all;
  for (const io::PreprocessStep step : io::parse_steps(text)) {
    all.steps.push_back({step, {}});
    if (io::numbers_learned(step, 1) > 0)
      throw UsageError("--preprocess " + io::to_string({{{step, {}}}}) +
                       " does not go with --stream: it has to see all samples first");
  }
  return all;
}

LearningFlags learning_flags(const FitFlags& flags) {
  LearningFlags learning;
  learning.options = flags.learning;
  learning.options.threads = flags.input.threads;
  learning.options.time_limit_seconds = flags.fit.stopping.time_limit_seconds;
  learning.output = flags.output_path();
  learning.save_w = flags.save_w;
  learning.save_h = flags.save_h;
  learning.trace = flags.trace;
  learning.force = flags.force;
  learning.json = flags.json;
  return learning;
}

template <class Scalar>
StreamStart<Scalar> start_of(const FitFlags& flags, Index features) {
  StreamStart<Scalar> start;
  start.rank = flags.fit.rank;
  start.force_rank = flags.fit.force_rank;
  start.loss = flags.fit.loss;
  start.penalties = flags.fit.penalties;
  start.seed = flags.fit.seed;
  start.start = flags.fit.start;
  if (!flags.init_w.empty())
    start.W = read_start<Scalar>(flags.init_w, features, flags.fit.rank, flags.input);
  return start;
}

template <class Scalar>
int learn_from(OpenedStream& stream, Learning<Scalar>& learning, const FitFlags& flags,
               const SolverOptions& solver, const io::Preprocessing& steps, const std::string& command) {
  const io::StreamHeader& header = stream.header();
  check_rank_flag(flags.fit.rank, flags.fit.force_rank, flags.stream, header.features, header.features);
  std::vector<std::string> names = header.feature_names;
  if (!flags.names.features.empty()) names = read_feature_names(flags.names, header.features);
  typename io::FileColumns<Scalar>::Change change;
  if (!steps.steps.empty()) change = [&](io::MatrixFile& file) { preprocess(file, steps); };
  io::FileColumns<Scalar> columns(stream.file(), change, 0, flags.fit.loss.beta > 0);
  const StreamStart<Scalar> start = start_of<Scalar>(flags, header.features);
  learning.run(header.name, columns,
               [&](const auto& options) { return svrmu::fit_stream(columns, solver, start, options); });
  FitResult<Scalar>& result = learning.result();
  const std::string algorithm = flags.algorithm == Auto::name ? result.algorithm : flags.algorithm;
  return learning.finish(streamed_model(std::move(result), algorithm,
                                        {flags.stream, header.sparse, header.samples}, names, steps,
                                        flags.fit.stopping, command));
}

}  // namespace

int fit_stream(const FitFlags& flags, const SolverFlags& solver_flags, const std::string& command) {
  check_stream_flags(flags);
  const io::Preprocessing steps = steps_of(flags.preprocess);
  SolverOptions solver = flags.algorithm == Auto::name ? Auto{.robust = solver_flags.about_outliers()}
                                                       : solver_named(flags.algorithm);
  solver_flags.apply(solver, flags.algorithm);
  const LearningFlags learning = learning_flags(flags);
  check_learning_targets(learning);
  check_distinct({flags.stream, flags.init_w, flags.names.features}, learning.outputs());
  std::stop_source stop;
  InputFlags input = flags.input;
  input.path = flags.stream;
  OpenedStream stream(input, stop.get_token());
  if (stream.header().is_double) {
    Learning<double> session(learning, flags.fit.rank, stop);
    return learn_from(stream, session, flags, solver, steps, command);
  }
  Learning<float> session(learning, flags.fit.rank, stop);
  return learn_from(stream, session, flags, solver, steps, command);
}

}  // namespace svrmu::cli
