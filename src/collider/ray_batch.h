// Faults of a batch of rays, and the frame of batches over pages: chunk by chunk set up, walk in lanes, answer.
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

// How a ray ended; the corners are those of the cell that it met.
struct Outcome {
  WalkEnd end = WalkEnd::miss;
  Meet meet{};
  Corners corners{};
};

// Casts every ray of a batch without faults and calls record(ray of the batch, walk, outcome), in order but for the few
// rays that lanes are not for. `grid` casts those. `user` walks in lanes and puts the outcome
// of its k-th ray in outcomes[k].
template <class Grid, class User, class Record>
void cast_in_chunks(const Field& field, Grid& grid, const LaneField& lanes, User& user, std::span<const Ray> rays,
                    const Record& record) {
  constexpr std::size_t kChunk = 2048;
  std::vector<Walk> walks(kChunk);
  std::vector<std::size_t> owners(kChunk);
  user.outcomes.resize(kChunk);
  const std::uint32_t word = grid.top_word();
  for (std::size_t begin = 0; begin < rays.size() && user.goes_on(); begin += kChunk) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < std::min(begin + kChunk, rays.size()); ++i) {
      Walk& walk = walks[count];
      const Meeting meeting = meeting_of(rays[i]);
      const bool is_over_field =
          start_walk(field, word >> 16, word & 0xffffu, rays[i], meeting, grid.start_level(), walk);
      if (is_over_field && (walk.dx != 0 || walk.dz != 0)) {
        owners[count++] = i;
        continue;
      }
      Outcome outcome;
      if (is_over_field) {
        outcome.end = cast_ray(field, grid, rays[i], meeting, walk, outcome.meet, NoCost{});
        if (outcome.end == WalkEnd::met) {
          outcome.corners = corners_at(grid.samples(), grid.corner(outcome.meet.x_cell, outcome.meet.z_cell));
        }
      }
      record(i, walk, outcome);
    }
    if (count > 0) {
      walk_lanes(lanes, user, walks.data(), count);
    }
    for (std::size_t k = 0; k < count && user.goes_on(); ++k) {
      record(owners[k], walks[k], user.outcomes[k]);
    }
  }
}

}  // namespace arete::collider
