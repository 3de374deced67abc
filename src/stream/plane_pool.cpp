// Dealing planes to pages; see plane_pool.h.
#include "stream/plane_pool.h"

namespace arete::stream {
namespace {

// Gives a shared_ptr the room in its box for its control block, and returns the box when that room is given up: after
// the last handle and the last weak reference.
template <class T>
struct BoxAllocator {
  using value_type = T;
  std::shared_ptr<PlanePool> pool;
  PageBox* box;

  BoxAllocator(std::shared_ptr<PlanePool> its_pool, PageBox* its_box) : pool(std::move(its_pool)), box(its_box) {}
  template <class U>
  explicit(false) BoxAllocator(const BoxAllocator<U>& other) : pool(other.pool), box(other.box) {}

  T* allocate(std::size_t) noexcept {
    static_assert(sizeof(T) <= sizeof(PageBox::control_block) && alignof(T) <= alignof(std::max_align_t));
    return reinterpret_cast<T*>(box->control_block);
  }
  void deallocate(T*, std::size_t) noexcept { pool->release(box); }
  template <class U>
  bool operator==(const BoxAllocator<U>& other) const noexcept {
    return box == other.box;
  }
};

struct KeepPage {
  void operator()(const Page*) const noexcept {}
};

}  // namespace

void PageBox::size_planes() {
  page.subsample.resize(kPlaneSamples);
  page.max.resize(has_two_planes() ? kPlaneSamples : 0);
}

PlanePool::PlanePool(std::uint32_t planes) : boxes_(planes), planes_(planes) {
  free_planes_.reserve(planes);
  free_boxes_.reserve(planes);
  for (std::uint32_t slot = planes; slot-- > 0;) {
    free_planes_.push_back(slot);
    free_boxes_.push_back(&boxes_[slot]);
  }
}

std::size_t PlanePool::bytes_per_plane() {
  constexpr std::size_t kHeapOverhead = 16;
  return kPlaneSamples * sizeof(std::uint16_t) + kHeapOverhead + sizeof(PageBox) + sizeof(Plane) +
         sizeof(std::uint32_t) + sizeof(void*);
}

PageBox* PlanePool::take(PageKey key, bool two_planes) noexcept {
  if (free_planes_.size() < (two_planes ? 2u : 1u)) {
    return nullptr;
  }
  PageBox* box = free_boxes_.back();
  free_boxes_.pop_back();
  const auto take_plane = [this](Plane& plane) {
    const std::uint32_t slot = free_planes_.back();
    free_planes_.pop_back();
    plane = std::move(planes_[slot]);
    return slot;
  };
  box->page.key = key;
  box->page.revision = 0;
  box->slots.subsample = take_plane(box->page.subsample);
  box->slots.max = two_planes ? take_plane(box->page.max) : box->slots.subsample;
  return box;
}

void PlanePool::give_back(PageBox* box) noexcept {
  planes_[box->slots.subsample] = std::move(box->page.subsample);
  free_planes_.push_back(box->slots.subsample);
  if (box->has_two_planes()) {
    planes_[box->slots.max] = std::move(box->page.max);
    free_planes_.push_back(box->slots.max);
  }
  box->page.max.clear();
  free_boxes_.push_back(box);
}

void PlanePool::release(PageBox* box) noexcept {
  box->next = released_.load(std::memory_order_relaxed);
  while (!released_.compare_exchange_weak(box->next, box, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void PlanePool::collect() noexcept {
  PageBox* box = released_.exchange(nullptr, std::memory_order_acquire);
  while (box != nullptr) {
    PageBox* next = box->next;
    give_back(box);
    box = next;
  }
}

std::shared_ptr<const Page> PlanePool::share(PageBox* box) noexcept {
  return std::shared_ptr<const Page>(&box->page, KeepPage{}, BoxAllocator<PageBox>(shared_from_this(), box));
}

}  // namespace arete::stream
