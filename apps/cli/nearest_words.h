// The words that someone may have meant.
#pragma once

#include <string>
#include <vector>

namespace arete::cli {

// Those of `words` that begin with `word`, or else those with the fewest letters put in, left out or exchanged (at most
// a third of the letters, at least one), in their order.
std::vector<std::string> nearest_words(const std::string& word, const std::vector<std::string>& words);

}  // namespace arete::cli
