// Which nodes' vertices stand in which slots of the pool, and whether they are still right: the slot of the node that
// was drawn least recently gives way.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace arete::vulkan {

// What a node's words depend on beside the frame's constants that do not move with the camera.
struct NodeWords {
  std::uint64_t camera = 0;  // 0 when its vertices are at rest; else differs with all that morphing reads
  std::uint32_t lod_and_edges = 0;
  std::array<std::uint64_t, 3> revisions{};  // of its page and the two above it
  friend bool operator==(const NodeWords&, const NodeWords&) = default;
};

class PoolSlots {
 public:
  explicit PoolSlots(std::uint32_t slots);

  struct Claim {
    std::uint32_t slot = 0;
    bool is_built = false;  // the slot holds these words already
  };
  // A slot for a node (key: as PageKey's). A frame may claim as many nodes as there are slots, each once; all of them
  // keep theirs while it does.
  Claim claim(std::uint64_t key, const NodeWords& words);
  // No slot holds anything any more.
  void forget();

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct Slot {
    std::uint64_t key = 0;
    bool is_used = false;
    NodeWords words;
    std::uint32_t newer = kNone, older = kNone;  // in the order of their last claim
  };
  void unlink(std::uint32_t slot);
  void link_newest(std::uint32_t slot);

  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;
  std::uint32_t newest_ = kNone, oldest_ = kNone;
};

}  // namespace arete::vulkan
