// The fixed table agrees with std::map over random insertions, deletions and clearings.
#include "stream/page_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace arete::stream {
namespace {

TEST(PageTable, AgreesWithAMap) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::size_t kCapacity = 60;
    PageTable table(kCapacity);
    std::map<std::uint64_t, std::uint32_t> truth;
    for (std::uint32_t step = 0; step < 5000; ++step) {
      const PageKey key{std::uint8_t(random() % 3), std::uint32_t(random() % 8), std::uint32_t(random() % 8)};
      const auto found = truth.find(key.packed());
      ASSERT_EQ(table.find(key), found == truth.end() ? PageTable::kAbsent : found->second);
      if (found != truth.end()) {
        table.erase(key);
        truth.erase(found);
      } else if (truth.size() < kCapacity) {
        table.insert(key, step);
        truth[key.packed()] = step;
      }
      if (random() % 1000 == 0) {
        table.clear();
        truth.clear();
      }
      table.erase({29, key.x, key.z});
    }
  }
}

}  // namespace
}  // namespace arete::stream
