// Which pages stand in which slots of the device's atlas: the least recently used gives way.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arete/core.h"

namespace arete::vulkan {

class AtlasSlots {
 public:
  explicit AtlasSlots(std::uint32_t slots);

  // Starts a frame: pages claimed in it keep their slots until the next one.
  void begin_frame() { ++frame_; }

  struct Claim {
    std::uint32_t slot = 0;
    bool must_upload = false;
  };
  // A slot for the page at this revision; nothing when every slot holds a page of this frame.
  std::optional<Claim> claim(PageKey key, std::uint64_t revision);
  // Forgets a claim whose upload was given up.
  void release(PageKey key);

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t revision = 0;
    std::uint64_t used = 0;  // frame; 0: empty
  };
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;
  std::uint64_t frame_ = 0;
  std::uint32_t hand_ = 0;  // where the search for a slot goes on
};

}  // namespace arete::vulkan
