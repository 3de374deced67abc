// Two pieces of work by turns, and what comes of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "arete/figures.h"

namespace arete::figures {

// Keeps a result that nothing else reads.
template <class Value>
void keep(const Value& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Lets both do `amount` units of `unit` by turns, once unmeasured and then for about 0.7 s. What `clear` does before
// each turn of the floor is not measured.
template <class Work, class Floor, class Clear>
Figure by_turns(std::string name, double amount, std::string unit, Work&& work, std::string floor_name, Floor&& floor,
                Clear&& clear) {
  work();
  floor();
  std::vector<double> ratios;
  double best_s = 1e9, best_floor_s = 1e9, spent_s = 0;
  while (spent_s < 0.7 || ratios.size() < 3) {
    const double work_s = seconds_of(work);
    clear();
    const double floor_s = seconds_of(floor);
    best_s = std::min(best_s, work_s);
    best_floor_s = std::min(best_floor_s, floor_s);
    spent_s += work_s + floor_s;
    ratios.push_back(floor_s / work_s);
  }
  std::sort(ratios.begin(), ratios.end());
  return {.name = std::move(name),
          .unit = std::move(unit),
          .rate = amount / best_s,
          .floor = std::move(floor_name),
          .floor_rate = amount / best_floor_s,
          .ratio = ratios[ratios.size() / 2],
          .ratio_p10 = ratios[ratios.size() / 10]};
}
template <class Work, class Floor>
Figure by_turns(std::string name, double amount, std::string unit, Work&& work, std::string floor_name, Floor&& floor) {
  return by_turns(std::move(name), amount, std::move(unit), work, std::move(floor_name), floor, [] {});
}

}  // namespace arete::figures
