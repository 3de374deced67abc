// Windows and pages of a view.
#include "vulkan/view_reach.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/morph.h"

namespace arete::vulkan {
namespace {

constexpr double kRoom = 1 + 1e-5;  // for the rounding of f32

struct Nodes {
  std::int32_t first;
  std::int32_t last;
};

// The nodes along an axis that lie within `reach_m` of the camera; one when there is none.
Nodes nodes_within(double camera_half, double reach_m, double half_m, std::int64_t node_stops, std::int32_t nodes) {
  const double reach = reach_m / half_m;
  // A stop's place is twice its index, or one less.
  const double low = std::floor(((camera_half - reach) / 2 - 1) / double(node_stops));
  const double high = std::floor(((camera_half + reach) / 2 + 1) / double(node_stops));
  const auto clamp = [&](double node) { return static_cast<std::int32_t>(std::clamp(node, 0.0, double(nodes - 1))); };
  return {clamp(low), clamp(high)};
}

// Four blocks in Morton order, two bits each: 1 east, 2 south.
std::int32_t block_order(std::int32_t block_x, std::int32_t block_z) {
  std::array<std::int32_t, 4> blocks{0, 1, 2, 3};
  std::sort(blocks.begin(), blocks.end(), [&](std::int32_t a, std::int32_t b) {
    return morton(std::uint32_t(block_x + (a & 1)), std::uint32_t(block_z + (a >> 1))) <
           morton(std::uint32_t(block_x + (b & 1)), std::uint32_t(block_z + (b >> 1)));
  });
  return blocks[0] | blocks[1] << 2 | blocks[2] << 4 | blocks[3] << 6;
}

// The squared distance from the camera to a box of half texels and steps that is `room_x`, `room_z` metres wider.
struct Box {
  std::int32_t half_x[2], half_z[2];
  std::uint32_t steps[2];
};
float box_distance_sq(const kernel::FrameConstants& frame, const Box& box, float room_x, float room_y, float room_z) {
  const auto x = [&](int side) {
    return kernel::camera_offset(box.half_x[side], frame.camera_half_x, frame.half_x_m, frame.camera_rest_x);
  };
  const auto z = [&](int side) {
    return kernel::camera_offset(box.half_z[side], frame.camera_half_z, frame.half_z_m, frame.camera_rest_z);
  };
  const auto y = [&](int side) {
    return kernel::height_m(box.steps[side], frame.base_m, frame.step_m) - frame.camera_y;
  };
  return kernel::distance_sq(kernel::nearest_offset(x(0) - room_x, x(1) + room_x),
                             kernel::nearest_offset(y(0) - room_y, y(1) + room_y),
                             kernel::nearest_offset(z(0) - room_z, z(1) + room_z));
}

}  // namespace

ViewReach::ViewReach(const Bounds& bounds, int node_quads)
    : bounds_(bounds),
      quads_(node_quads),
      grid_(bounds.lattice(), node_quads),
      blocks_(bounds.lattice(), std::max(node_quads, kBoundsQuads)),
      ranges_(bounds, blocks_) {}

int ViewReach::windows(const Ranges& ranges, const kernel::FrameConstants& frame,
                       std::vector<LodWindow>& windows) const {
  windows.assign(std::size_t(grid_.lods), {});
  const double camera_x = frame.camera_half_x + double(frame.camera_rest_x) / frame.half_x_m;
  const double camera_z = frame.camera_half_z + double(frame.camera_rest_z) / frame.half_z_m;
  const double range_0 = std::sqrt(double(ranges.select_sq)) * kRoom;
  int shift = 2;  // eight nodes a side
  std::vector<std::array<Nodes, 2>> spans(windows.size());
  for (int lod = 0; lod < grid_.lods; ++lod) {
    const cut::Place nodes = grid_.sizes[std::size_t(lod)];
    windows[std::size_t(lod)].nodes_x = nodes.x;
    windows[std::size_t(lod)].nodes_z = nodes.z;
    std::array<Nodes, 2>& span = spans[std::size_t(lod)];
    if (lod == grid_.coarsest()) {
      span = {Nodes{0, nodes.x - 1}, Nodes{0, nodes.z - 1}};
    } else {
      const std::int64_t stops = std::int64_t(quads_) << lod;
      const double own = std::ldexp(range_0, lod - 1);
      const auto reach = [&](double half_m) {
        const double closed = lod < 2 ? 0.0 : std::ldexp(range_0, lod - 2) + double(2 * stops) * half_m * kRoom;
        return std::max(own, closed) + double(ranges.lag_m) * kRoom;
      };
      span = {nodes_within(camera_x, reach(frame.half_x_m), frame.half_x_m, stops, nodes.x),
              nodes_within(camera_z, reach(frame.half_z_m), frame.half_z_m, stops, nodes.z)};
    }
    // Two blocks hold one node more than a block, wherever these begin; at lod 0 nothing is split.
    for (const Nodes& axis : span) {
      if (lod > 0 || lod == grid_.coarsest()) {
        shift = std::max(
            shift, int(std::bit_width(unsigned(axis.last - axis.first - 1 > 0 ? axis.last - axis.first - 1 : 0))));
      }
    }
  }
  for (std::size_t lod = 0; lod < windows.size(); ++lod) {
    const std::int32_t block_x = spans[lod][0].first >> shift, block_z = spans[lod][1].first >> shift;
    windows[lod].x = block_x << shift;
    windows[lod].z = block_z << shift;
    windows[lod].order = block_order(block_x, block_z);
  }
  return shift;
}

bool ViewReach::may_split(const Ranges& ranges, const kernel::FrameConstants& frame, int lod, PageKey below) const {
  const Lattice& lattice = bounds_.lattice();
  const auto box_of = [&](int quads, std::int32_t x, std::int32_t z) {
    const cut::StopSpan span_x = cut::stop_span(x, quads, lod, lattice.last_stop_x());
    const cut::StopSpan span_z = cut::stop_span(z, quads, lod, lattice.last_stop_z());
    return Box{{lattice.half_x(span_x.first), lattice.half_x(span_x.last)},
               {lattice.half_z(span_z.first), lattice.half_z(span_z.last)},
               {bounds_.field_min, bounds_.field_max}};
  };
  // By itself: the page below covers 64 cells of this lod a side.
  const int quads = blocks_.quads;
  const int a_side = std::max(1, kPageCells / 2 / quads);
  const auto first_block = [&](std::uint32_t page) {
    return static_cast<std::int32_t>(std::int64_t(page) * (kPageCells / 2) / quads);
  };
  for (std::int32_t z = first_block(below.z); z < first_block(below.z) + a_side; ++z) {
    for (std::int32_t x = first_block(below.x); x < first_block(below.x) + a_side; ++x) {
      if (!blocks_.contains(lod, {x, z})) continue;
      const cut::NodeRange range = ranges_.at(lod, {x, z});
      Box box = box_of(quads, x, z);
      box.steps[0] = range.min;
      box.steps[1] = range.max;
      const float near_sq = box_distance_sq(frame, box, ranges.lag_m, ranges.lag_m, ranges.lag_m);
      if (kernel::scaled_distance_sq(near_sq, range.split, lod - 1) < ranges.select_sq) return true;
    }
  }
  // By the closure.
  if (lod < 2) return false;
  const auto room = [&](float half_m) {
    return static_cast<float>((double(std::int64_t(quads_) << lod) * 2 * half_m + ranges.lag_m) * kRoom);
  };
  const int side = std::max(quads_, kPageCells / 2);
  const auto holder = [&](std::uint32_t page) {
    return static_cast<std::int32_t>(std::int64_t(page) * (kPageCells / 2) / side);
  };
  const Box box = box_of(side, holder(below.x), holder(below.z));
  const float near_sq = box_distance_sq(frame, box, room(frame.half_x_m), ranges.lag_m, room(frame.half_z_m));
  return kernel::scaled_distance_sq(near_sq, 0, lod - 2) < ranges.select_sq * float(kRoom);
}

void ViewReach::pages(const Ranges& ranges, const kernel::FrameConstants& frame, std::vector<PageKey>& pages) const {
  const Lattice& lattice = bounds_.lattice();
  std::size_t first = pages.size();
  pages.push_back({std::uint8_t(grid_.coarsest()), 0, 0});
  for (int lod = grid_.coarsest(); lod > 0; --lod) {
    const std::size_t end = pages.size();
    const auto pages_x = std::uint32_t(lattice.pages_x(lod - 1)), pages_z = std::uint32_t(lattice.pages_z(lod - 1));
    for (; first < end; ++first) {
      for (std::uint32_t child = 0; child < 4; ++child) {
        const PageKey below{std::uint8_t(lod - 1), 2 * pages[first].x + (child & 1), 2 * pages[first].z + (child >> 1)};
        if (below.x < pages_x && below.z < pages_z && may_split(ranges, frame, lod, below)) pages.push_back(below);
      }
    }
  }
}

}  // namespace arete::vulkan
