// Allocations counted, for tests that say how much and when code allocates: link `allocations`, which replaces the
// program's operator new.
#pragma once

#include <cstdint>

namespace arete::test {

// How many the calling thread has made.
std::uint64_t thread_allocations() noexcept;
// What all threads hold.
std::int64_t live_bytes() noexcept;

}  // namespace arete::test
