// What jobs do, in one precision: each function checks what was asked and returns the work.
#pragma once

#include <memory>

#include "c/job.hpp"
#include "c/matrix.hpp"
#include "c/settings.hpp"

namespace svrmu::c {

using SharedData = std::shared_ptr<const Data>;
using SharedModel = std::shared_ptr<const io::AnyModel>;

template <class Scalar>
Work fit_work(const SharedData& data, const svrmu_options* options);
template <class Scalar>
Work stream_work(const SharedData& data, const svrmu_options* options);
template <class Scalar>
Work plan_work(const SharedData& data, const svrmu_options* options);
template <class Scalar>
Work transform_by_work(const SharedData& data, const svrmu_dense& W, const svrmu_options* options);

// Of a model in that precision.
template <class Scalar>
Work resume_work(const SharedData& data, const SharedModel& model, const svrmu_options* options);
template <class Scalar>
Work update_work(const SharedData& data, const SharedModel& model, const svrmu_options* options);
template <class Scalar>
Work transform_work(const SharedData& data, const SharedModel& model, const svrmu_options* options);

}  // namespace svrmu::c
