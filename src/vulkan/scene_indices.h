// The index lists that scenes' nodes and walls use, in one buffer on the device.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "vulkan/commands.h"
#include "vulkan/memory.h"

namespace arete::vulkan {

inline constexpr int kSides = 4;  // of a node: -Z, +X, +Z, -X, as kernel::kEdge bits

// Whether a wall stands under this side of a node.
inline bool has_wall(const SceneNode& node, int side) { return (node.rim_mask >> side & 1) != 0; }

// Keeps the lists of all scenes that it was fitted to.
class SceneIndices {
 public:
  struct List {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  // Brings the lists of `scene` to the device, where it lacks some; then waits for all work on the device.
  Result<void> fit(const Gpu& gpu, CommandRunner& runner, const Scene& scene);
  // Lists of a scene that it was fitted to.
  List ground(const SceneNode& node) const;
  List wall(const SceneNode& node, int side) const;
  const Buffer& buffer() const noexcept { return buffer_; }

 private:
  using Key = std::tuple<int, int, int>;  // coarse mask, or kWalls + side; cells
  static constexpr int kWalls = 16;
  void add(const Key& key, int quads);

  int quads_ = 0;
  std::vector<std::uint32_t> indices_;
  std::map<Key, List> lists_;
  Buffer buffer_;
};

}  // namespace arete::vulkan
