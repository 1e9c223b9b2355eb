// Jobs that pass over V as often as they need: fit, resume, plan.
#include <optional>

#include "c/made_models.hpp"
#include "c/requests.hpp"
#include "c/works.hpp"
#include "svrmu/plan.hpp"

namespace svrmu::c {
namespace {

template <class Scalar>
void listen(FitOptions<Scalar>& options, Ear& ear) {
  options.stop = ear.stop();
  options.observer = [&ear](const EpochRecord& record) {
    ear.record(record);
    return Flow::keep_going;
  };
}

template <class Scalar>
void check_can_resume(const FitResult<Scalar>& fit) {
  if (fit.checkpoint.stream.columns > 0)
    throw InvalidInput("the model learned from a stream: svrmu_start_update() goes on with it");
  if (fit.checkpoint.current.W.size() == 0)
    throw InvalidInput("the model has no state to go on from; fit again instead");
}

}  // namespace

template <class Scalar>
Work fit_work(const SharedData& data, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  Settings settings(options, "a fit", "fit");
  const auto request = std::make_shared<FitRequest<Scalar>>(fit_request<Scalar>(settings, V.is_sparse()));
  return [data, &V, request](Ear& ear) -> Outcome {
    listen(request->options, ear);
    io::DataDescription described = description_of<Scalar>(*data);
    FitResult<Scalar> result = fit(V, request->by.solver, request->options);
    io::Provenance provenance{
        .algorithm = request->by.told(result.algorithm), .command = {}, .data = std::move(described)};
    return handed_over(
        io::make_model(std::move(result), request->options, file_of(*data), {}, std::move(provenance)));
  };
}

template <class Scalar>
Work resume_work(const SharedData& data, const SharedModel& model, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  const auto& previous = std::get<io::Model<Scalar>>(*model);
  check_can_resume(previous.fit);
  const auto how = std::make_shared<FitOptions<Scalar>>();
  how->rank = previous.fit.rank;
  how->loss = previous.fit.loss;
  how->penalties = previous.fit.penalties;
  how->stopping = previous.stopping;
  how->normalize = previous.normalize;
  how->evaluate_every = previous.evaluate_every;
  Settings settings(options, "going on with a fit", "fit");
  for (const char* name : {"threads", "evaluate_every", "normalize"}) settings.take(*how, name);
  settings.take(how->stopping);
  settings.finish();
  const auto names = std::make_shared<KeptNames<Scalar>>(previous);
  return [data, model, &V, &previous, how, names](Ear& ear) -> Outcome {
    listen(*how, ear);
    io::DataDescription described = previous.data;
    const bool known = described.fingerprint.has_value() || described.checksum.has_value();
    if (data->file && known && !io::describes(described, *data->file))
      throw InvalidData(data->file->path + ": is not the matrix that the model was made from (" +
                        described.path + ")");
    FitResult<Scalar> result = resume(V, previous.fit, *how);
    io::Model<Scalar> made =
        io::make_model(std::move(result), *how, file_of(*data), previous.preprocessing,
                       {.algorithm = previous.algorithm, .command = {}, .data = std::move(described)});
    names->give_to(made);
    return handed_over(std::move(made));
  };
}

template <class Scalar>
Work plan_work(const SharedData& data, const svrmu_options* options) {
  const MatrixSource<Scalar>& V = source_in<Scalar>(*data);
  Settings settings(options, "a plan", "fit");
  const auto request = std::make_shared<FitRequest<Scalar>>(fit_request<Scalar>(settings, V.is_sparse()));
  return [data, &V, request](Ear& ear) -> Outcome {
    request->options.stop = ear.stop();
    PlanTexts texts{.plan = plan_fit(V, request->by.solver, request->options),
                    .start = {},
                    .options = {},
                    .warnings = {}};
    Choice& choice = texts.plan.choice;
    choice.name = request->by.told(choice.name);
    texts.start = choices(choice.start)[static_cast<std::size_t>(choice.start)];
    std::vector<std::string> lines;
    for (const OptionInfo& info : options_of(texts.plan.solver))
      lines.push_back(info.name + "=" + info.value);
    texts.options = PackedTexts(lines);
    texts.warnings = PackedTexts(texts.plan.warnings);
    return texts;
  };
}

#define SVRMU_INSTANTIATE(S)                                           \
  template Work fit_work<S>(const SharedData&, const svrmu_options*);  \
  template Work plan_work<S>(const SharedData&, const svrmu_options*); \
  template Work resume_work<S>(const SharedData&, const SharedModel&, const svrmu_options*);
SVRMU_INSTANTIATE(float)
SVRMU_INSTANTIATE(double)
#undef SVRMU_INSTANTIATE

}  // namespace svrmu::c
