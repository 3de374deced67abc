// The frame of every batch of rays: faults first, then chunk by chunk set up, walk in lanes, give the results.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ray_lanes.h"

namespace arete::collider {

inline std::optional<std::string> batch_fault(std::span<const Ray> rays) {
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (const auto fault = ray_fault(rays[i])) {
      return "ray " + std::to_string(i) + " of the batch: " + *fault;
    }
  }
  return std::nullopt;
}

// Calls give(i, walk, meet, end) for each ray of a batch without faults. `lanes` may be null: then rays walk singly.
template <class Grid, class Give>
void cast_in_chunks(const Field& field, Grid& grid, const LaneField* lanes, LaneUser& user, std::span<const Ray> rays,
                    const Give& give) {
  constexpr std::size_t kChunk = 512;
  std::vector<Walk> walks(kChunk);
  std::vector<Meet> meets(kChunk);
  std::vector<WalkEnd> ends(kChunk);
  std::vector<std::size_t> owners(kChunk);
  const std::uint32_t word = grid.top_word();
  for (std::size_t begin = 0; begin < rays.size(); begin += kChunk) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(begin + kChunk, rays.size()); ++i) {
      Walk& walk = walks[count];
      Meet meet{};
      const Meeting meeting = meeting_of(rays[i]);
      if (lanes == nullptr || (rays[i].direction[0] == 0 && rays[i].direction[2] == 0)) {
        const WalkEnd end = cast_ray(field, grid, rays[i], meeting, walk, meet, NoCost{});
        give(i, walk, meet, end);
      } else if (!start_walk(field, word >> 16, word & 0xffffu, rays[i], meeting, grid.start_level(), walk)) {
        give(i, walk, meet, WalkEnd::miss);
      } else if (walk.dx == 0 && walk.dz == 0) {
        const WalkEnd end = cast_ray(field, grid, rays[i], meeting, walk, meet, NoCost{});
        give(i, walk, meet, end);
      } else {
        owners[count++] = i;
      }
    }
    if (count == 0) {
      continue;
    }
    walk_lanes(*lanes, user, walks.data(), count, meets.data(), ends.data());
    for (std::size_t k = 0; k < count; ++k) {
      give(owners[k], walks[k], meets[k], ends[k]);
    }
  }
}

}  // namespace arete::collider
