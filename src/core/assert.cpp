// Broken contracts go to one replaceable handler.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "arete/core.h"

namespace arete {
namespace {
void print_and_abort(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "%s:%d: contract broken: %s\n", file, line, expression);
  std::abort();
}
std::atomic<AssertHandler> current_handler{print_and_abort};
}  // namespace

void set_assert_handler(AssertHandler handler) noexcept { current_handler = handler ? handler : print_and_abort; }

namespace detail {
void assert_failed(const char* file, int line, const char* expression) noexcept {
  current_handler.load()(file, line, expression);
}
}  // namespace detail
}  // namespace arete
