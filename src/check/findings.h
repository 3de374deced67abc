// What one thread of the checker has found: counters and the first lines that explain them.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include "arete/check.h"

namespace arete::check {

// Lines kept for one view, and for a whole report.
inline constexpr std::size_t kLinesPerView = 4;
inline constexpr std::size_t kLinesInAll = 24;

// Adds `count` to the counter and, while there is room, one line that says where.
inline void count_failure(CheckReport& report, std::int64_t CheckReport::*counter, std::int64_t count,
                          const std::string& line) {
  if (count != 0 && report.first_failures.size() < kLinesPerView) {
    report.first_failures.push_back(line);
  }
  report.*counter += count;
}

template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

// Adds every counter of `part` to `sum`; lines are left to the caller.
inline void add_counters(CheckReport& sum, const CheckReport& part) {
  for (const auto counter :
       {&CheckReport::views, &CheckReport::nodes, &CheckReport::triangles, &CheckReport::vertices,
        &CheckReport::interiors_checked, &CheckReport::collider_nodes, &CheckReport::changes_bisected,
        &CheckReport::pages, &CheckReport::cracks, &CheckReport::t_junctions, &CheckReport::merge_moves,
        &CheckReport::collider_mismatches, &CheckReport::border_mismatches, &CheckReport::normal_mismatches,
        &CheckReport::hole_mismatches, &CheckReport::balance_violations, &CheckReport::uncovered}) {
    sum.*counter += part.*counter;
  }
}

}  // namespace arete::check
