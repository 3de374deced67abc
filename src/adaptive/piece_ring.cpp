// The ring of a leaf: its corners and the middles of its sides, those of finer neighbours and border segments and those
// that the leaf itself asks for.
#include <algorithm>
#include <bit>

#include "adaptive/piece.h"

namespace arete::adaptive {
namespace {
constexpr bool kRunsAlongX[4] = {true, false, true, false};
// More would make as many triangles as four children.
constexpr int kMostMiddles = 3;
}  // namespace

PieceMesher::Box PieceMesher::box(Quad quad) const {
  const std::int32_t x = quad.x << quad.lod, z = quad.z << quad.lod, side = std::int32_t(1) << quad.lod;
  return {x, std::min(x + side, block_->last_x), z, std::min(z + side, block_->last_z)};
}

Quad PieceMesher::across(Quad quad, int side) const {
  switch (side) {
    case Side::minus_z:
      --quad.z;
      break;
    case Side::plus_x:
      ++quad.x;
      break;
    case Side::plus_z:
      ++quad.z;
      break;
    default:
      --quad.x;
      break;
  }
  return quad;
}

bool PieceMesher::touches(Quad quad, int side) const {
  const std::int32_t last = (cells_ >> quad.lod) - 1;
  switch (side) {
    case Side::minus_z:
      return quad.z == 0;
    case Side::plus_x:
      return quad.x == last;
    case Side::plus_z:
      return quad.z == last;
    default:
      return quad.x == 0;
  }
}

std::array<std::int32_t, 2> PieceMesher::reach(Quad quad, int side) const {
  const Box area = box(quad);
  return kRunsAlongX[side] ? std::array{area.x0, area.x1} : std::array{area.z0, area.z1};
}

// Whether the ring has a stop in the middle of a side: a corner of two finer leaves, or of two border segments.
bool PieceMesher::has_middle(Quad quad, int side) const {
  if (quad.lod == 0) {
    return false;
  }
  const auto [from, to] = reach(quad, side);
  const std::int32_t middle = from + (std::int32_t(1) << (quad.lod - 1));
  if (middle >= to) {
    return false;
  }
  if (touches(quad, side)) {
    const Border& border = borders_[std::size_t(side)];
    return border.is_fixed() ? border.is_vertex(middle) : is_added(quad, side);
  }
  return tree_.is_split(across(quad, side)) || is_added(quad, side);
}

std::size_t PieceMesher::side_index(Quad quad, int side) const {
  const std::size_t row = std::size_t(cells_ >> quad.lod) + 1;
  const std::size_t x = std::size_t(quad.x) + (side == Side::plus_x ? 1 : 0);
  const std::size_t z = std::size_t(quad.z) + (side == Side::plus_z ? 1 : 0);
  return (z * row + x) * 2 + (kRunsAlongX[side] ? 0 : 1);
}

// Whether a side that no finer leaf touches could take a middle: over it lies a leaf of the same lod, or nothing.
bool PieceMesher::may_add_middle(Quad quad, int side) const {
  const auto [from, to] = reach(quad, side);
  if (quad.lod == 0 || from + (std::int32_t(1) << (quad.lod - 1)) >= to || has_middle(quad, side)) {
    return false;
  }
  if (touches(quad, side)) {
    return !borders_[std::size_t(side)].is_fixed();
  }
  const Quad beside = across(quad, side);
  return !tree_.contains(beside) || tree_.exists(beside);
}

// Tries the ring with up to three more middles, on the sides that are themselves too far first; keeps the first set
// that serves.
bool PieceMesher::add_middles(Quad quad) {
  std::array<bool, 4> is_open{};
  int needed = 0, needed_count = 0;
  for (int side = 0; side < 4; ++side) {
    is_open[std::size_t(side)] = may_add_middle(quad, side);
    if (!has_middle(quad, side) && side_error(quad, side) == kTooFar) {
      if (!is_open[std::size_t(side)]) {
        return false;
      }
      needed |= 1 << side;
      ++needed_count;
    }
  }
  if (needed_count > kMostMiddles) {
    return false;
  }
  for (int count = std::max(needed_count, 1); count <= kMostMiddles; ++count) {
    for (int sides = 1; sides < 16; ++sides) {
      if (std::popcount(unsigned(sides)) != count || (sides & needed) != needed) {
        continue;
      }
      bool is_possible = true;
      for (int side = 0; side < 4; ++side) {
        is_possible = is_possible && ((sides >> side & 1) == 0 || is_open[std::size_t(side)]);
      }
      if (is_possible && fit_leaf(meter_, ring(quad, sides), leaf_fit_)) {
        for (int side = 0; side < 4; ++side) {
          if ((sides >> side & 1) != 0) {
            added_[std::size_t(quad.lod)][side_index(quad, side)] = 1;
            const Quad beside = across(quad, side);
            if (!touches(quad, side) && tree_.contains(beside)) {
              tree_.mark_if_leaf(beside);
            }
          }
        }
        return true;
      }
    }
  }
  return false;
}

double PieceMesher::side_error(Quad quad, int side) const {
  const Box area = box(quad);
  switch (side) {
    case Side::minus_z:
      return meter_.along({area.x0, area.z0}, {area.x1, area.z0});
    case Side::plus_x:
      return meter_.along({area.x1, area.z0}, {area.x1, area.z1});
    case Side::plus_z:
      return meter_.along({area.x0, area.z1}, {area.x1, area.z1});
    default:
      return meter_.along({area.x0, area.z0}, {area.x0, area.z1});
  }
}

// `more` sides (one bit each) have a middle whatever lies across.
Ring PieceMesher::ring(Quad quad, int more) const {
  const Box area = box(quad);
  const std::int32_t half = quad.lod == 0 ? 0 : std::int32_t(1) << (quad.lod - 1);
  Ring result;
  result.add({area.x0, area.z0});
  if ((more >> Side::minus_x & 1) != 0 || has_middle(quad, Side::minus_x)) result.add({area.x0, area.z0 + half});
  result.add({area.x0, area.z1});
  if ((more >> Side::plus_z & 1) != 0 || has_middle(quad, Side::plus_z)) result.add({area.x0 + half, area.z1});
  result.add({area.x1, area.z1});
  if ((more >> Side::plus_x & 1) != 0 || has_middle(quad, Side::plus_x)) result.add({area.x1, area.z0 + half});
  result.add({area.x1, area.z0});
  if ((more >> Side::minus_z & 1) != 0 || has_middle(quad, Side::minus_z)) result.add({area.x0 + half, area.z0});
  return result;
}

}  // namespace arete::adaptive
