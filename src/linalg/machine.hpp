// What this process may use of the machine: the only file with calls that one operating system or processor
// has and others lack. Elsewhere each answer has a fallback.
#pragma once

#include "svrmu/export.hpp"

namespace svrmu {

// Affinity, cgroup quota and OMP_NUM_THREADS are respected where they exist. At least 1.
int available_threads();

// Bytes that this process can still have; infinite where the system does not say.
SVRMU_API double available_memory();

// Bytes of addresses that this process has; 0 where the system does not say.
SVRMU_API double address_space();

// A hint to the processor that this thread waits for another.
void pause_briefly();

// While it lives, this thread flushes denormal results to zero, where the processor can: they cost a hundred
// cycles each and mean nothing below the floor. Denormal operands stay what they are: V may hold some.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace svrmu
