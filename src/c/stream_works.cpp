// Jobs that see each column once: stream, update, transform.
#include "c/made_models.hpp"
#include "c/requests.hpp"
#include "c/works.hpp"

namespace svrmu::c {
namespace {

template <class Scalar>
void listen(StreamOptions<Scalar>& options, Ear& ear) {
  options.stop = ear.stop();
  options.observer = [&ear](const EpochRecord& record) {
    ear.record(record);
    return Flow::keep_going;
  };
}

// Nobody can compare streams, so their values are not described.
template <class Scalar>
io::DataDescription stream_description(const Data& data) {
  io::DataDescription described;
  const MatrixSource<Scalar>& V = source_in<Scalar>(data);
  described.sparse = V.is_sparse();
  if (data.file) {
    described.path = data.file->path;
    described.samples_in = data.file->samples;
  }
  return described;
}

// Where nothing was learned, the model is what it was.
template <class Scalar>
io::Model<Scalar> unchanged(const io::Model<Scalar>& before, FitResult<Scalar> result,
                            KeptNames<Scalar>& names) {
  FitOptions<Scalar> options;
  options.stopping = before.stopping;
  options.normalize = before.normalize;
  options.evaluate_every = before.evaluate_every;
  io::Model<Scalar> made =
      io::make_model(std::move(result), options, {}, before.preprocessing,
                     {.algorithm = before.algorithm, .command = before.command, .data = before.data});
  made.created = before.created;
  made.version = before.version;
  names.give_to(made);
  return made;
}

}  // namespace

template <class Scalar>
Work stream_work(const SharedData& data, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  Settings settings(options, "a stream", "stream");
  const auto request = std::make_shared<StreamRequest<Scalar>>(stream_request<Scalar>(settings));
  return [data, &V, request](Ear& ear) -> Outcome {
    listen(request->options, ear);
    FitResult<Scalar> result = fit_stream(V, request->by.solver, request->start, request->options);
    io::Provenance provenance{.algorithm = request->by.told(result.algorithm),
                              .command = {},
                              .data = stream_description<Scalar>(*data)};
    io::Model<Scalar> made =
        io::make_stream_model(std::move(result), file_of(*data).feature_names(), {}, std::move(provenance));
    made.stopping.time_limit_seconds = request->options.time_limit_seconds;
    return handed_over(std::move(made));
  };
}

template <class Scalar>
Work update_work(const SharedData& data, const SharedModel& model, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  const auto& before = std::get<io::Model<Scalar>>(*model);
  const auto how = std::make_shared<StreamOptions<Scalar>>();
  Settings settings(options, "an update", "stream");
  settings.take(*how);
  settings.finish();
  const auto names = std::make_shared<KeptNames<Scalar>>(before);
  return [data, model, &V, &before, how, names](Ear& ear) -> Outcome {
    listen(*how, ear);
    FitResult<Scalar> result = update(before.fit, V, *how);
    if (result.H.cols() > 0) return handed_over(unchanged(before, std::move(result), *names));
    const bool same_solver = result.solver.name() == before.fit.solver.name();
    io::Provenance provenance{.algorithm = same_solver ? before.algorithm : result.algorithm,
                              .command = {},
                              .data = stream_description<Scalar>(*data)};
    io::Model<Scalar> made = io::make_stream_model(std::move(result), names->features, before.preprocessing,
                                                   std::move(provenance));
    made.stopping = before.stopping;
    return handed_over(std::move(made));
  };
}

template <class Scalar>
Work transform_work(const SharedData& data, const SharedModel& model, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  const FitResult<Scalar>& by = std::get<io::Model<Scalar>>(*model).fit;
  TransformOptions<Scalar> how;
  Settings settings(options, "a transform", "transform");
  settings.take(how);
  settings.finish();
  return [data, model, &V, &by, how](Ear& ear) -> Outcome {
    TransformOptions<Scalar> heard = how;
    heard.stop = ear.stop();
    return AnyTransformed(transform(V, by, heard));
  };
}

template <class Scalar>
Work transform_by_work(const SharedData& data, const svrmu_dense& W, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  const auto copy = std::make_shared<const RowMatrix<Scalar>>(copy_of(W, "W").cast<Scalar>());
  TransformOptions<Scalar> how;
  FitOptions<Scalar> said;
  Settings settings(options, "a transform by W", "transform");
  for (const char* name : {"l1_w", "l2_w"}) settings.refuse(name, name, "W is given, and does not move");
  settings.take(how);
  settings.take(said, "loss");
  for (const char* name : {"l1_h", "l2_h"}) settings.take(said.penalties, name);
  settings.finish();
  return [data, &V, copy, how, said](Ear& ear) -> Outcome {
    TransformOptions<Scalar> heard = how;
    heard.stop = ear.stop();
    return AnyTransformed(transform(V, *copy, said.loss, said.penalties, heard));
  };
}

#define SVRMU_INSTANTIATE(S)                                                                    \
  template Work stream_work<S>(const SharedData&, const svrmu_options*);                        \
  template Work update_work<S>(const SharedData&, const SharedModel&, const svrmu_options*);    \
  template Work transform_work<S>(const SharedData&, const SharedModel&, const svrmu_options*); \
  template Work transform_by_work<S>(const SharedData&, const svrmu_dense&, const svrmu_options*);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::c
