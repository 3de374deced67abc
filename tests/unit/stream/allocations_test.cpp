// The counter that other tests of this program trust.
#include "support/allocations.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace arete::test {

TEST(AllocationCounter, SeesThisThreadAndAllBytes) {
  const std::uint64_t before = thread_allocations();
  const std::int64_t held = live_bytes();
  auto block = std::make_unique<std::vector<char>>(1000);
  EXPECT_EQ(thread_allocations(), before + 2);
  EXPECT_GE(live_bytes(), held + 1000);
  block.reset();
  EXPECT_EQ(live_bytes(), held);
}

}  // namespace arete::test
