// The frame of every batch of rays: faults first, then chunk by chunk set up, walk in lanes, answer.
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

// A lane user that knows which rays of the batch the lanes' rays are.
class BatchUser : public LaneUser {
 public:
  // The ray has ended without the lanes.
  virtual void answer(std::size_t ray_of_batch, const Walk& walk, WalkEnd end, const Meet& meet) = 0;
  // False stops the batch.
  virtual bool goes_on() const { return true; }
  std::vector<std::size_t> owners;  // of the lanes' rays
};

// Casts every ray of a batch without faults. `grid` casts the rays that lanes are not for; with `lanes` null, all.
template <class Grid>
void cast_in_chunks(const Field& field, Grid& grid, const LaneField* lanes, BatchUser& user,
                    std::span<const Ray> rays) {
  constexpr std::size_t kChunk = 512;
  std::vector<Walk> walks(kChunk);
  user.owners.resize(kChunk);
  const std::uint32_t word = grid.top_word();
  for (std::size_t begin = 0; begin < rays.size() && user.goes_on(); begin += kChunk) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(begin + kChunk, rays.size()); ++i) {
      Walk& walk = walks[count];
      Meet meet{};
      const Meeting meeting = meeting_of(rays[i]);
      const bool is_over_field =
          start_walk(field, word >> 16, word & 0xffffu, rays[i], meeting, grid.start_level(), walk);
      if (is_over_field && lanes != nullptr && (walk.dx != 0 || walk.dz != 0)) {
        user.owners[count++] = i;
        continue;
      }
      const WalkEnd end = is_over_field ? cast_ray(field, grid, rays[i], meeting, walk, meet, NoCost{}) : WalkEnd::miss;
      user.answer(i, walk, end, meet);
    }
    if (count > 0) {
      walk_lanes(*lanes, user, walks.data(), count);
    }
  }
}

}  // namespace arete::collider
