/// @file
/// The processes that share one factorization. Each member holds some columns of V and H, and all of W.
#pragma once

#include <span>

#include "svrmu/export.hpp"

namespace svrmu {

/// One process. A team of several derives from this: member m of `size` owns the columns n of V with
/// n % size == m, in increasing order.
class SVRMU_API Team {
 public:
  virtual ~Team() = default;
  /// Which member this process is, from 0.
  virtual int member() const { return 0; }
  /// How many members there are.
  virtual int size() const { return 1; }

  /// Replaces each value by its total over all members: the same bits on every member.
  virtual void sum(std::span<double>) const {}
  /// The same for floats.
  virtual void sum(std::span<float>) const {}

  /// The largest of all members' values.
  virtual double max(double value) const { return value; }
};

}  // namespace svrmu
