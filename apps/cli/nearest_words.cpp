// Distances of words: Levenshtein, "Binary Codes Capable of Correcting Deletions, Insertions, and Reversals", 1966,
// with the exchange of two neighbouring letters counted as one step.
#include "nearest_words.h"

#include <algorithm>

namespace arete::cli {
namespace {

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        steps[i][k] = i + k;
        continue;
      }
      const std::size_t change = a[i - 1] == b[k - 1] ? 0 : 1;
      steps[i][k] = std::min({steps[i - 1][k] + 1, steps[i][k - 1] + 1, steps[i - 1][k - 1] + change});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        steps[i][k] = std::min(steps[i][k], steps[i - 2][k - 2] + 1);
      }
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> nearest_words(const std::string& word, const std::vector<std::string>& words) {
  std::vector<std::string> nearest;
  std::copy_if(words.begin(), words.end(), std::back_inserter(nearest),
               [&](const std::string& known) { return !word.empty() && known.starts_with(word); });
  if (!nearest.empty()) {
    return nearest;
  }
  std::size_t least = std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& known : words) {
    const std::size_t steps = distance(word, known);
    if (steps < least) {
      least = steps;
      nearest.clear();
    }
    if (steps == least) {
      nearest.push_back(known);
    }
  }
  return nearest;
}

}  // namespace arete::cli
