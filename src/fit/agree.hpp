// What one team member refuses, all refuse: the others would wait for it for ever.
#pragma once

#include <exception>

#include "svrmu/error.hpp"
#include "svrmu/team.hpp"

namespace svrmu {

template <class Check>
void agree(const Team& team, const Check& check) {
  std::exception_ptr mine;
  try {
    check();
  } catch (...) {
    mine = std::current_exception();
  }
  const bool refused = team.max(mine ? 1 : 0) > 0;
  if (mine) std::rethrow_exception(mine);
  if (refused) throw InvalidInput("another member of the team refused its input");
}

}  // namespace svrmu
