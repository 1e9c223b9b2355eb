// Starting jobs, and what they leave.
#include "c/errors.hpp"
#include "c/job.hpp"
#include "c/structs.hpp"
#include "c/works.hpp"

namespace svrmu::c {
namespace {

// make<Scalar>() with the precision of V.
template <class Make>
svrmu_code start_on(const svrmu_matrix* V, svrmu_job** job, const Make& make) {
  return guarded([&] {
    svrmu_job*& place = empty_place(job, "job");
    const SharedData data = required(V, "V").data;
    Work work = data->is_double() ? make(data, double{}) : make(data, float{});
    start_job(std::move(work), place);
  });
}

// The same with that of a model.
template <class Make>
svrmu_code start_with(const svrmu_matrix* V, const svrmu_model* model, svrmu_job** job, const Make& make) {
  return guarded([&] {
    svrmu_job*& place = empty_place(job, "job");
    const SharedData data = required(V, "V").data;
    const SharedModel held = required(model, "model").held;
    Work work = held->index() == 1 ? make(data, held, double{}) : make(data, held, float{});
    start_job(std::move(work), place);
  });
}

template <class Wanted>
Wanted& wanted(Outcome& outcome, const char* what) {
  if (auto* found = std::get_if<Wanted>(&outcome)) return *found;
  throw InvalidInput(std::string("the job was not started to make ") + what);
}

svrmu_plan shown_plan(const PlanTexts& texts) {
  const DataSummary& data = texts.plan.data;
  return {.algorithm = texts.plan.choice.name.c_str(),
          .reason = texts.plan.choice.reason.c_str(),
          .start = texts.start.c_str(),
          .bytes = texts.plan.bytes,
          .nonzeros = data.nonzeros,
          .least = data.least,
          .most = data.most,
          .mean = data.mean,
          .empty_features = data.empty_features,
          .empty_samples = data.empty_samples,
          .options = texts.options.view(),
          .warnings = texts.warnings.view()};
}

}  // namespace
}  // namespace svrmu::c

using namespace svrmu::c;

extern "C" {

svrmu_code svrmu_start_fit(const svrmu_matrix* V, const svrmu_options* options, svrmu_job** job) {
  return start_on(
      V, job, [&]<class Scalar>(const SharedData& data, Scalar) { return fit_work<Scalar>(data, options); });
}

svrmu_code svrmu_start_resume(const svrmu_matrix* V, const svrmu_model* model, const svrmu_options* options,
                              svrmu_job** job) {
  return start_with(V, model, job,
                    [&]<class Scalar>(const SharedData& data, const SharedModel& held, Scalar) {
                      return resume_work<Scalar>(data, held, options);
                    });
}

svrmu_code svrmu_start_stream(const svrmu_matrix* V, const svrmu_options* options, svrmu_job** job) {
  return start_on(V, job, [&]<class Scalar>(const SharedData& data, Scalar) {
    return stream_work<Scalar>(data, options);
  });
}

svrmu_code svrmu_start_update(const svrmu_matrix* V, const svrmu_model* model, const svrmu_options* options,
                              svrmu_job** job) {
  return start_with(V, model, job,
                    [&]<class Scalar>(const SharedData& data, const SharedModel& held, Scalar) {
                      return update_work<Scalar>(data, held, options);
                    });
}

svrmu_code svrmu_start_transform(const svrmu_matrix* V, const svrmu_model* model,
                                 const svrmu_options* options, svrmu_job** job) {
  return start_with(V, model, job,
                    [&]<class Scalar>(const SharedData& data, const SharedModel& held, Scalar) {
                      return transform_work<Scalar>(data, held, options);
                    });
}

svrmu_code svrmu_start_transform_by(const svrmu_matrix* V, const svrmu_dense* W, const svrmu_options* options,
                                    svrmu_job** job) {
  return start_on(V, job, [&]<class Scalar>(const SharedData& data, Scalar) {
    return transform_by_work<Scalar>(data, required(W, "W"), options);
  });
}

svrmu_code svrmu_start_plan(const svrmu_matrix* V, const svrmu_options* options, svrmu_job** job) {
  return start_on(
      V, job, [&]<class Scalar>(const SharedData& data, Scalar) { return plan_work<Scalar>(data, options); });
}

svrmu_code svrmu_job_take_model(svrmu_job* job, svrmu_model** model) {
  return guarded([&] {
    svrmu_model*& place = empty_place(model, "model");
    return with_outcome(job, [&](Outcome& outcome) {
      auto& made = wanted<std::unique_ptr<svrmu_model>>(outcome, "a model");
      if (made == nullptr) throw svrmu::InvalidInput("the model was taken already");
      place = made.release();
    });
  });
}

svrmu_code svrmu_job_get_transformed(const svrmu_job* job, svrmu_transformed* to, size_t size) {
  return guarded([&] {
    svrmu_transformed& place = required(to, "to");
    check_size(size, "size");
    return with_outcome(job, [&](Outcome& outcome) {
      std::visit(
          [&](const auto& result) {
            put_struct(svrmu_transformed{.H = shown(result.H),
                                         .outliers = shown(result.R_sparse),
                                         .unfinished = result.unfinished},
                       &place, size);
          },
          wanted<AnyTransformed>(outcome, "an H"));
    });
  });
}

svrmu_code svrmu_job_get_plan(const svrmu_job* job, svrmu_plan* to, size_t size) {
  return guarded([&] {
    svrmu_plan& place = required(to, "to");
    check_size(size, "size");
    return with_outcome(job, [&](Outcome& outcome) {
      put_struct(shown_plan(wanted<PlanTexts>(outcome, "a plan")), &place, size);
    });
  });
}

}  // extern "C"
