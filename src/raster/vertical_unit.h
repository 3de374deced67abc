// The words that files use for units of height.
#pragma once

#include <optional>
#include <string>

namespace arete {

struct VerticalUnit {
  double metres = 1;
  std::string name;  // "metre", "foot", "US survey foot", ...
};
// Nothing for a word that is no known unit of length.
std::optional<VerticalUnit> vertical_unit(const std::string& word);

}  // namespace arete
