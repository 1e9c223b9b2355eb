#include "linalg/machine.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace svrmu {
namespace {

TEST(Machine, AtLeastOneThreadIsAvailable) { EXPECT_GE(available_threads(), 1); }

TEST(Machine, SomeMemoryIsAvailable) { EXPECT_GT(available_memory(), 1e6); }

TEST(Machine, DenormalsAreAsBeforeWhenFlushingEnds) {
  volatile double small = std::numeric_limits<double>::min();
  {
    const FlushDenormals flush;
#if defined(__SSE2__)
    EXPECT_EQ(small / 4, 0);
#endif
  }
  EXPECT_GT(small / 4, 0);
}

TEST(Machine, DenormalOperandsStayWhatTheyAreWhileFlushing) {
  volatile double denormal = std::numeric_limits<double>::min() / 4;
  const FlushDenormals flush;
  EXPECT_EQ(denormal * 0x1p60, std::numeric_limits<double>::min() * 0x1p58);
}

}  // namespace
}  // namespace svrmu
