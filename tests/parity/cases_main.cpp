// Prints the parity table as text, so that the test can compare builds of this file by other compilers.
// usage: parity_words digests BLOCKS | words FIRST COUNT
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cases_host.h"

namespace {
std::uint32_t number(const char* text) { return std::uint32_t(std::strtoul(text, nullptr, 10)); }
}  // namespace

int main(int argc, char** argv) {
  using namespace arete::parity;
  if (argc == 3 && std::strcmp(argv[1], "digests") == 0) {
    for (std::uint32_t block = 0; block < number(argv[2]); ++block) {
      std::printf("%016llx\n",
                  static_cast<unsigned long long>(digest(case_words(block * kCasesPerBlock, kCasesPerBlock))));
    }
    return 0;
  }
  if (argc == 4 && std::strcmp(argv[1], "words") == 0) {
    for (const std::uint32_t word : case_words(number(argv[2]), number(argv[3]))) {
      std::printf("%08x\n", word);
    }
    return 0;
  }
  std::fprintf(stderr, "usage: %s digests BLOCKS | words FIRST COUNT\n", argv[0]);
  return 2;
}
