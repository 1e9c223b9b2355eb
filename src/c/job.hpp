// Work on a thread of its own that a caller looks at when it likes.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

#include "c/model.hpp"
#include "c/packed_texts.hpp"
#include "svrmu/c.h"
#include "svrmu/fit.hpp"
#include "svrmu/plan.hpp"

namespace svrmu::c {

using AnyTransformed = std::variant<TransformResult<float>, TransformResult<double>>;

// A plan with the texts that C sees of it.
struct PlanTexts {
  FitPlan plan;
  std::string start;
  PackedTexts options;
  PackedTexts warnings;
};

// What a job leaves: nothing, a model, an H, or a plan.
using Outcome = std::variant<std::monostate, std::unique_ptr<svrmu_model>, AnyTransformed, PlanTexts>;

// What work may say and hear while it runs.
class Ear {
 public:
  virtual std::stop_token stop() const = 0;
  virtual void record(const EpochRecord& record) = 0;  // one evaluation

 protected:
  ~Ear() = default;
};

using Work = std::function<Outcome(Ear&)>;

// Starts a thread for it. ResourceLimit if the system grants none.
void start_job(Work work, svrmu_job*& place);

// The outcome of a job, which must have ended well; refused in a child of the process that started it.
// Otherwise the code of the work, or SVRMU_RUNNING, with its message.
svrmu_code with_outcome(const svrmu_job* job, const std::function<void(Outcome&)>& use);

}  // namespace svrmu::c
