// Which nodes' vertices stand in which slots of a pool, and whether they are still right: words of vertices at rest
// are, wherever the camera has gone; those of others only while it stands still. The slot of the node that was drawn
// least recently gives way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arete/core.h"

namespace arete::mesh {

// What the words of a node depend on beside the node and its frame.
struct NodeWords {
  bool is_at_rest = false;                   // no vertex of it morphs
  std::array<std::uint64_t, 3> revisions{};  // of its page and the two above it
  friend bool operator==(const NodeWords&, const NodeWords&) = default;
};

class PoolSlots {
 public:
  explicit PoolSlots(std::uint32_t slots);

  // Begins a frame. All slots are forgotten where the frame differs in what resting vertices read as well.
  void begin(const kernel::FrameConstants& frame);

  struct Claim {
    std::uint32_t slot = 0;
    bool is_built = false;  // the slot holds these words already
  };
  // A slot for a node of the frame. A frame may claim as many nodes as there are slots, each once; all of them keep
  // theirs while it does. What is not built yet is taken to be built before the next frame.
  Claim claim(const Node& node, const NodeWords& words);
  // No slot holds anything any more.
  void forget();

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Slot {
    Node node;
    bool is_used = false;
    NodeWords words;
    std::uint64_t camera = 0;                    // that the words are right for, where they are not at rest
    std::uint32_t newer = kNone, older = kNone;  // in the order of their last claim
  };
  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);

  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;
  std::uint32_t newest_ = kNone, oldest_ = kNone;
  kernel::FrameConstants frame_{};
  std::uint64_t camera_ = 0;  // counts changes of what morphing reads of frames
};

}  // namespace arete::mesh
