// Threads that do their parts of one piece of work at a time.
#include "figures/crew.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {
using arete::figures::Crew;

TEST(Crew, EachMemberDoesItsPartOfEveryTurnAndTheCallerSeesIt) {
  for (const int size : {1, 2, 5}) {
    Crew crew(size);
    ASSERT_EQ(crew.size(), size);
    std::vector<int> parts(std::size_t(size), 0);
    for (int turn = 1; turn <= 200; ++turn) {
      crew.run([&](int member) { parts[std::size_t(member)] += member + 1; });
      ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), 0), turn * size * (size + 1) / 2) << size;
    }
  }
}

TEST(Crew, MembersWorkAtTheSameTime) {
  Crew crew(3);
  std::atomic<int> here = 0;
  crew.run([&](int) {
    ++here;
    while (here < 3) {  // never ends where one waits for another to have done
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(here, 3);
}

}  // namespace
