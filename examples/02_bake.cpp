// Turns a raster into a store and says what became of its heights.
//
//   02_bake RASTER STORE
#include "arete/bake.h"

#include <cstdio>

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: 02_bake RASTER STORE\n");
    return 2;
  }
  const auto progress = [](double done) { std::fprintf(stderr, "\r%3.0f %%", 100 * done); };
  const auto report = arete::bake(arguments[1], arguments[2], {}, progress);
  std::fprintf(stderr, "\n");
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    return 1;
  }
  for (const std::string& warning : report->warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  std::printf("%lld x %lld samples, %lld pages in %d lods\n", static_cast<long long>(report->info.source_width),
              static_cast<long long>(report->info.source_height), static_cast<long long>(report->pages),
              report->lattice.lods());
  std::printf("%g to %g m in steps of %g m, rounded by at most %g m\n", report->info.min_m, report->info.max_m,
              report->lattice.step_m, report->info.quantisation_error_m);
  return 0;
}
