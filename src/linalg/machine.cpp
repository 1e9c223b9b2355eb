#include "linalg/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace svrmu {
namespace {

#if defined(__linux__)

// Cores that the affinity of this process leaves it.
double allowed_cores() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask)
                                                        : std::thread::hardware_concurrency();
}

// The smallest limit that a cgroup puts on this process, in cores.
double cgroup_cores() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (v2 >> quota >> period && quota != "max" && period > 0)
    return std::strtod(quota.c_str(), nullptr) / period;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double q = 0;
  if (v1_quota >> q && v1_period >> period && q > 0 && period > 0) return q / period;
  return std::numeric_limits<double>::infinity();
}

double free_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, unit; meminfo >> key;) {
    double kilobytes = 0;
    if (key == "MemAvailable:" && meminfo >> kilobytes) return kilobytes * 1024;
    std::getline(meminfo, unit);
  }
  return std::numeric_limits<double>::infinity();
}

// What a cgroup leaves this process.
double cgroup_memory() {
  double limit = 0;
  double used = 0;
  std::ifstream max("/sys/fs/cgroup/memory.max");
  std::ifstream current("/sys/fs/cgroup/memory.current");
  if (!(max >> limit && current >> used)) return std::numeric_limits<double>::infinity();
  // File pages that the kernel can drop are counted as used, but are there for the asking.
  std::ifstream stat("/sys/fs/cgroup/memory.stat");
  double droppable = 0;
  for (std::string key; stat >> key;) {
    double value = 0;
    if (stat >> value && key == "inactive_file") droppable = value;
  }
  return std::max(0.0, limit - used + droppable);
}

double pages_of_addresses() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  return statm >> pages ? pages : 0;
}

#else

double pages_of_addresses() { return 0; }
double allowed_cores() { return std::thread::hardware_concurrency(); }
double cgroup_cores() { return std::numeric_limits<double>::infinity(); }
double free_memory() { return std::numeric_limits<double>::infinity(); }
double cgroup_memory() { return std::numeric_limits<double>::infinity(); }

#endif

}  // namespace

int available_threads() {
  int threads = static_cast<int>(std::min(allowed_cores(), std::ceil(cgroup_cores())));
  if (const char* wanted = std::getenv("OMP_NUM_THREADS")) {
    const int n = std::atoi(wanted);
    if (n > 0) threads = std::min(threads, n);
  }
  return std::max(threads, 1);
}

double available_memory() { return std::min(free_memory(), cgroup_memory()); }

double address_space() { return pages_of_addresses() * static_cast<double>(::sysconf(_SC_PAGESIZE)); }

#if defined(__SSE2__)

void pause_briefly() { _mm_pause(); }

FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  constexpr unsigned flush_to_zero = 0x8000;
  _mm_setcsr(saved_ | flush_to_zero);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }

#else

void pause_briefly() {}
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() = default;

#endif

}  // namespace svrmu
