// Counts every allocation of this program, for the tests that say how much and when the streamer allocates.
#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

#include <gtest/gtest.h>

#include "unit/stream/stream_support.h"

namespace {
thread_local std::uint64_t allocations = 0;
std::atomic<std::int64_t> bytes{0};

void* counted(std::size_t size, std::size_t alignment) {
  void* memory = alignment > alignof(std::max_align_t)
                     ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                     : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    std::abort();
  }
  ++allocations;
  bytes += std::int64_t(malloc_usable_size(memory));
  return memory;
}

void uncounted(void* memory) noexcept {
  if (memory != nullptr) {
    bytes -= std::int64_t(malloc_usable_size(memory));
    std::free(memory);
  }
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new[](std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return counted(size, std::size_t(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return counted(size, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { uncounted(memory); }

namespace arete::test {
std::uint64_t thread_allocations() noexcept { return allocations; }
std::int64_t live_bytes() noexcept { return bytes; }

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
