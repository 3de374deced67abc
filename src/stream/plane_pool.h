// The slots: a fixed number of planes of samples, dealt to pages in boxes and taken back when the last reader lets go.
// A plane gets its memory from the first thread that fills it, and keeps it.
//
// One thread (the updating one) deals and collects; a handle may be released by any thread, which pushes its box on a
// lock-free stack. A handle's control block lies in its box, so handing out a page allocates nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arete/stream.h"

namespace arete::stream {

// A page under way or resident, with the planes that it was dealt.
struct PageBox {
  Page page;
  PageSlots slots;
  PageBox* next = nullptr;                                 // in the stack of released boxes
  alignas(std::max_align_t) std::byte control_block[128];  // of the handle

  bool has_two_planes() const noexcept { return slots.max != slots.subsample; }
  // Gives the planes their full size; they allocate only when their slot was never used.
  void size_planes();
};

class PlanePool : public std::enable_shared_from_this<PlanePool> {
 public:
  explicit PlanePool(std::uint32_t planes);
  static std::size_t bytes_per_plane();

  std::uint32_t plane_count() const noexcept { return std::uint32_t(planes_.size()); }
  std::uint32_t free_planes() const noexcept { return std::uint32_t(free_planes_.size()); }

  // Deals a box with the key's planes, or nullptr when fewer are free.
  PageBox* take(PageKey key, bool two_planes) noexcept;
  // Takes back a box that was never shared, or whose last handle is gone.
  void give_back(PageBox* box) noexcept;
  // Takes back the boxes that readers have released since.
  void collect() noexcept;
  // The handle of a box; its release, from any thread, returns the box. The pool lives until the last one.
  std::shared_ptr<const Page> share(PageBox* box) noexcept;

  // Called by the handle's control block alone.
  void release(PageBox* box) noexcept;

 private:
  using Plane = std::vector<std::uint16_t>;
  std::vector<PageBox> boxes_;
  std::vector<Plane> planes_;  // by slot; empty while dealt
  std::vector<std::uint32_t> free_planes_;
  std::vector<PageBox*> free_boxes_;
  std::atomic<PageBox*> released_{nullptr};
};

}  // namespace arete::stream
