// Planes are dealt once at a time, and come back when the last reader lets go, on any thread.
#include "stream/plane_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "support/allocations.h"

namespace arete::stream {
namespace {

TEST(PlanePool, DealsEverySlotOnce) {
  auto pool = std::make_shared<PlanePool>(7);
  std::set<std::uint32_t> slots;
  std::vector<PageBox*> boxes;
  for (int i = 0; i < 3; ++i) {
    PageBox* box = pool->take({1, std::uint32_t(i), 0}, true);
    ASSERT_NE(box, nullptr);
    box->size_planes();
    EXPECT_EQ(box->page.subsample.size(), kPlaneSamples);
    EXPECT_EQ(box->page.max.size(), kPlaneSamples);
    slots.insert({box->slots.subsample, box->slots.max});
    boxes.push_back(box);
  }
  EXPECT_EQ(pool->take({1, 9, 0}, true), nullptr);
  PageBox* fine = pool->take({0, 0, 0}, false);
  ASSERT_NE(fine, nullptr);
  fine->size_planes();
  EXPECT_TRUE(fine->page.max.empty());
  slots.insert(fine->slots.subsample);
  EXPECT_EQ(slots.size(), 7u);
  EXPECT_EQ(pool->free_planes(), 0u);
  boxes.push_back(fine);
  for (PageBox* box : boxes) {
    pool->give_back(box);
  }
  EXPECT_EQ(pool->free_planes(), 7u);
}

TEST(PlanePool, KeepsWhatIsHeldAndAllocatesNothing) {
  auto pool = std::make_shared<PlanePool>(2);
  for (PageBox* first : {pool->take({0, 1, 1}, false), pool->take({0, 1, 2}, false)}) {
    first->size_planes();
    pool->give_back(first);
  }
  const std::uint64_t before = test::thread_allocations();
  PageBox* box = pool->take({0, 3, 4}, false);
  box->size_planes();
  box->page.subsample[5] = 77;
  std::shared_ptr<const Page> handle = pool->share(box);
  std::shared_ptr<const Page> copy = handle;
  handle.reset();
  pool->collect();
  EXPECT_EQ(pool->free_planes(), 1u);
  EXPECT_EQ(copy->subsample[5], 77);
  copy.reset();
  pool->collect();
  EXPECT_EQ(pool->free_planes(), 2u);
  EXPECT_EQ(test::thread_allocations(), before);
}

TEST(PlanePool, OutlivesItsOwnerWhileAPageIsHeld) {
  auto pool = std::make_shared<PlanePool>(1);
  std::weak_ptr<PlanePool> watch = pool;
  PageBox* box = pool->take({0, 0, 0}, false);
  box->size_planes();
  std::shared_ptr<const Page> handle = pool->share(box);
  pool.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(handle->subsample.size(), kPlaneSamples);
  handle.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(PlanePool, ReadersOnOtherThreadsGiveBack) {
  auto pool = std::make_shared<PlanePool>(16);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::thread> readers;
    for (std::uint32_t i = 0; i < 4; ++i) {
      PageBox* box = pool->take({0, i, 0}, false);
      ASSERT_NE(box, nullptr) << "round " << round;
      box->size_planes();
      box->page.subsample[0] = std::uint16_t(round);
      readers.emplace_back([handle = pool->share(box), round]() mutable {
        EXPECT_EQ(handle->subsample[0], std::uint16_t(round));
        handle.reset();
      });
    }
    pool->collect();
    for (std::thread& reader : readers) {
      reader.join();
    }
    pool->collect();
    ASSERT_EQ(pool->free_planes(), 16u);
  }
}

}  // namespace
}  // namespace arete::stream
