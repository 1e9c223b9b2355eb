// What a fit found, in either precision.
#pragma once

#include <memory>
#include <utility>

#include "c/packed_texts.hpp"
#include "svrmu/c.h"
#include "svrmu/io/model.hpp"

namespace svrmu::c {

// An evaluation as C has it.
svrmu_record record_of(const EpochRecord& record);

}  // namespace svrmu::c

// Jobs that go on from a model share its result. They have copied its names, which alone may change.
struct svrmu_model {
  explicit svrmu_model(svrmu::io::AnyModel model)
      : held(std::make_shared<svrmu::io::AnyModel>(std::move(model))) {}

  std::shared_ptr<svrmu::io::AnyModel> held;
  mutable svrmu::c::KeptTexts texts{};
};
