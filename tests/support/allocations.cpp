// Every operator new and delete of the program, counted; see allocations.h.
#include "support/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

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
}  // namespace arete::test
