// Refinement: a changed leaf keeps its place if its own triangulation is within the bound, else it is split, which
// may split others for balance and changes the rings beside it. Splits alone happen, so the loop ends; leaves of lod 0
// have no error.
//
// Beside a border segment that is longer than the leaf the leaves along the segment act as one: they have the same lod
// and are triangulated together (strip_fit.h); at lod 0 the border's own rule keeps them within the bound.
#include "adaptive/piece.h"

#include <algorithm>
#include <bit>

namespace arete::adaptive {
namespace {
// The sides of a quad that lie across a side's direction: towards its start and its end.
constexpr int kStartSide[4] = {Side::minus_x, Side::minus_z, Side::minus_x, Side::minus_z};
constexpr int kEndSide[4] = {Side::plus_x, Side::plus_z, Side::plus_x, Side::plus_z};
// More would make as many triangles as four children.
constexpr int kMostMiddles = 3;
constexpr bool kRunsAlongX[4] = {true, false, true, false};
}  // namespace

PieceMesher::PieceMesher(std::int32_t cells)
    : cells_(cells), tree_(cells), vertex_(std::size_t(cells + 1) * std::size_t(cells + 1)) {
  ARETE_ASSERT(std::has_single_bit(unsigned(cells)) && cells >= 2 && cells <= 1024);
  for (int lod = 0; lod <= tree_.depth(); ++lod) {
    const std::size_t row = std::size_t(cells >> lod) + 1;
    added_.emplace_back(lod == 0 ? 0 : row * row * 2);
  }
}

void PieceMesher::mesh(const SampleBlock& block, const ErrorGoal& goal, std::int32_t x0, std::int32_t z0,
                       const std::array<bool, 4>& has_neighbour, PieceMesh& result) {
  block_ = &block;
  goal_ = &goal;
  meter_ = ErrorMeter(block);
  x0_ = x0;
  z0_ = z0;
  result_ = &result;
  result = {};
  std::fill(vertex_.begin(), vertex_.end(), 0);
  for (int side = 0; side < 4; ++side) {
    borders_[std::size_t(side)] = has_neighbour[std::size_t(side)]
                                      ? subdivide_border(block, Side{Side::Which(side), cells_}, goal, x0, z0)
                                      : Border{};
  }
  for (auto& level : added_) {
    std::fill(level.begin(), level.end(), 0);
  }
  tree_.reset(block.last_x, block.last_z);
  find_holes();
  Quad quad;
  while (tree_.next_changed(quad)) {
    if (!settle_leaf(quad)) {
      tree_.split(quad);
    }
  }
  emit({tree_.depth(), 0, 0});
}

PieceMesher::Box PieceMesher::box(Quad quad) const {
  const std::int32_t x = quad.x << quad.lod, z = quad.z << quad.lod, side = std::int32_t(1) << quad.lod;
  return {x, std::min(x + side, block_->last_x), z, std::min(z + side, block_->last_z)};
}

// Which quads hold holes, from the cells up.
void PieceMesher::find_holes() {
  has_holes_ = false;
  for (std::int32_t z = 0; z <= block_->last_z && !has_holes_; ++z) {
    const std::uint16_t* row = block_->at(0, z);
    has_holes_ = std::find(row, row + block_->last_x + 1, kHole) != row + block_->last_x + 1;
  }
  if (!has_holes_) {
    return;
  }
  holes_.resize(std::size_t(tree_.depth()) + 1);
  for (int lod = 0; lod <= tree_.depth(); ++lod) {
    const std::int32_t side = cells_ >> lod;
    auto& level = holes_[std::size_t(lod)];
    level.assign(std::size_t(side) * std::size_t(side), kAllHoles);
    for (std::int32_t z = 0; z < side; ++z) {
      for (std::int32_t x = 0; x < side; ++x) {
        if (!tree_.contains({lod, x, z})) {
          continue;
        }
        int any = 0, all = kAllHoles;
        for (int part = 0; part < 4; ++part) {
          const std::int32_t px = part & 1, pz = part >> 1;
          int here = kNoHole;
          if (lod == 0) {
            here = *block_->at(x + px, z + pz) == kHole ? kAllHoles : kNoHole;
          } else {
            here =
                holes_[std::size_t(lod) - 1][std::size_t(2 * z + pz) * std::size_t(2 * side) + std::size_t(2 * x + px)];
          }
          any |= here;
          all &= here;
        }
        level[std::size_t(z) * std::size_t(side) + std::size_t(x)] = all == kAllHoles ? kAllHoles
                                                                     : any != 0       ? kSomeHoles
                                                                                      : kNoHole;
      }
    }
  }
}

PieceMesher::Holes PieceMesher::holes(Quad quad) const {
  return has_holes_ ? holes_[std::size_t(quad.lod)]
                            [std::size_t(quad.z) * std::size_t(cells_ >> quad.lod) + std::size_t(quad.x)]
                    : kNoHole;
}

void PieceMesher::set_limit(Box box) {
  meter_.set_limit(goal_->limit(x0_ + box.x0, x0_ + box.x1, z0_ + box.z0, z0_ + box.z1));
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
  if (from + (std::int32_t(1) << (quad.lod - 1)) >= to || has_middle(quad, side)) {
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

// A leaf may hold no hole, and of the borders' vertices at most the middles of its sides.
bool PieceMesher::must_split(Quad quad) const {
  if (quad.lod == 0) {
    return false;
  }
  if (holes(quad) == kSomeHoles) {
    return true;
  }
  for (int side = 0; side < 4; ++side) {
    const Border& border = borders_[std::size_t(side)];
    if (!border.is_fixed() || !touches(quad, side)) {
      continue;
    }
    const auto [from, to] = reach(quad, side);
    const std::int32_t end = border.end[std::size_t(from)];
    const std::int32_t middle = from + (std::int32_t(1) << (quad.lod - 1));
    if (end < to && (end != middle || border.end[std::size_t(middle)] < to)) {
      return true;
    }
  }
  return false;
}

// Whether the leaf is shorter than the border segment beside it.
bool PieceMesher::is_in_strip(Quad quad, int side) const {
  const Border& border = borders_[std::size_t(side)];
  if (!border.is_fixed() || !touches(quad, side)) {
    return false;
  }
  const auto [from, to] = reach(quad, side);
  return border.start[std::size_t(from)] < from || border.end[std::size_t(from)] > to;
}

Quad PieceMesher::leaf_on(int side, std::int32_t along) const {
  for (int lod = tree_.depth();; --lod) {
    const std::int32_t i = along >> lod, last = (cells_ >> lod) - 1;
    Quad quad{lod, i, i};
    switch (side) {
      case Side::minus_z:
        quad.z = 0;
        break;
      case Side::plus_x:
        quad.x = last;
        break;
      case Side::plus_z:
        quad.z = last;
        break;
      default:
        quad.x = 0;
        break;
    }
    if (!tree_.is_split(quad)) {
      return quad;
    }
  }
}

// The strip over border segment from..to, whose leaves all have `lod`.
Strip PieceMesher::strip(int side, std::int32_t from, std::int32_t to, int lod) const {
  const Side line{Side::Which(side), cells_};
  const std::int32_t step = std::int32_t(1) << lod, half = step / 2;
  const std::int32_t depth = std::min(step, line.runs_along_x() ? block_->last_z : block_->last_x);
  Strip result;
  result.left = line.place(from, 0);
  result.right = line.place(to, 0);
  const Quad first = leaf_on(side, from), last = leaf_on(side, to - 1);
  // At a corner of the piece where the other border has a strip as well, the leaf's diagonal parts the two.
  const bool is_cut_left = from == 0 && is_in_strip(first, kStartSide[side]);
  const bool is_cut_right = to == cells_ && is_in_strip(last, kEndSide[side]);
  for (std::int32_t along = from; along < to; along += step) {
    if (along > from || !is_cut_left) {
      result.chain.push_back(line.place(along, depth));
    }
    const bool is_last = along + step >= to;
    const bool is_kept = !(along == from && is_cut_left) && !(is_last && is_cut_right);
    if (is_kept && has_middle(leaf_on(side, along), (side + 2) % 4)) {
      result.chain.push_back(line.place(along + half, depth));
    }
    if (is_last && !is_cut_right) {
      result.chain.push_back(line.place(to, depth));
    }
  }
  result.has_left_middle = !is_cut_left && has_middle(first, kStartSide[side]);
  result.has_right_middle = !is_cut_right && has_middle(last, kEndSide[side]);
  result.left_middle = line.place(from, half);
  result.right_middle = line.place(to, half);
  return result;
}

// Settles the leaves over a border segment together; false after splitting some of them.
bool PieceMesher::settle_strip(int side, std::int32_t from, std::int32_t to) {
  int lod = tree_.depth();
  for (std::int32_t along = from; along < to;) {
    const Quad leaf = leaf_on(side, along);
    if (must_split(leaf)) {
      tree_.split(leaf);
      return false;
    }
    lod = std::min(lod, leaf.lod);
    along = reach(leaf, side)[1];
  }
  bool is_even = true;
  for (std::int32_t along = from; along < to; along += std::int32_t(1) << lod) {
    for (Quad leaf = leaf_on(side, along); leaf.lod > lod; leaf = leaf_on(side, along)) {
      tree_.split(leaf);
      is_even = false;
    }
  }
  if (!is_even) {
    return false;
  }
  const Box first = box(leaf_on(side, from)), last = box(leaf_on(side, to - 1));
  set_limit({std::min(first.x0, last.x0), std::max(first.x1, last.x1), std::min(first.z0, last.z0),
             std::max(first.z1, last.z1)});
  if (fit_strip(meter_, strip(side, from, to, lod), strip_fit_)) {
    for (std::int32_t along = from; along < to; along += std::int32_t(1) << lod) {
      const Quad leaf = leaf_on(side, along);
      if (!is_in_strip(leaf, kStartSide[side]) && !is_in_strip(leaf, kEndSide[side])) {
        tree_.settle(leaf);
      }
    }
    return true;
  }
  ARETE_ASSERT(lod > 0);
  for (std::int32_t along = from; along < to; along += std::int32_t(1) << lod) {
    if (const Quad leaf = leaf_on(side, along); leaf.lod == lod) {
      tree_.split(leaf);
    }
  }
  return false;
}

// False when the leaf has to be split. Splits of other leaves may have changed this one: then it is marked again.
bool PieceMesher::settle_leaf(Quad quad) {
  if (must_split(quad)) {
    return false;
  }
  bool is_ordinary = true;
  for (int side = 0; side < 4; ++side) {
    if (!is_in_strip(quad, side)) {
      continue;
    }
    is_ordinary = false;
    const Border& border = borders_[std::size_t(side)];
    const std::int32_t at = reach(quad, side)[0];
    if (!settle_strip(side, border.start[std::size_t(at)], border.end[std::size_t(at)])) {
      tree_.mark_if_leaf(quad);
      return true;
    }
  }
  if (is_ordinary && quad.lod > 0 && holes(quad) == kNoHole) {
    set_limit(box(quad));
    if (!fit_leaf(meter_, ring(quad), leaf_fit_) && !add_middles(quad)) {
      return false;
    }
  }
  tree_.settle(quad);
  return true;
}

void PieceMesher::emit(Quad quad) {
  if (tree_.is_split(quad)) {
    for (int part = 0; part < 4; ++part) {
      const Quad child{quad.lod - 1, 2 * quad.x + (part & 1), 2 * quad.z + (part >> 1)};
      if (tree_.contains(child)) {
        emit(child);
      }
    }
    return;
  }
  if (holes(quad) == kAllHoles) {
    return;
  }
  bool is_ordinary = true;
  for (int side = 0; side < 4; ++side) {
    if (!is_in_strip(quad, side)) {
      continue;
    }
    is_ordinary = false;
    const std::int32_t from = reach(quad, side)[0];
    if (borders_[std::size_t(side)].is_vertex(from)) {
      const std::int32_t to = borders_[std::size_t(side)].end[std::size_t(from)];
      meter_.set_limit(kAnyError);
      const bool is_fit = fit_strip(meter_, strip(side, from, to, quad.lod), strip_fit_);
      ARETE_ASSERT(is_fit);
      result_->error = std::max(result_->error, strip_fit_.error);
      for (const PlaceTriangle& triangle : strip_fit_.triangles) {
        emit_triangle(triangle);
      }
    }
  }
  if (!is_ordinary) {
    return;
  }
  if (quad.lod == 0) {
    const std::int32_t x = quad.x, z = quad.z;
    const bool is_valid_10 = *block_->at(x + 1, z) != kHole, is_valid_01 = *block_->at(x, z + 1) != kHole;
    if (is_valid_10 && is_valid_01) {
      if (*block_->at(x, z) != kHole) {
        emit_triangle({Place{x, z}, Place{x, z + 1}, Place{x + 1, z}});
      }
      if (*block_->at(x + 1, z + 1) != kHole) {
        emit_triangle({Place{x + 1, z}, Place{x, z + 1}, Place{x + 1, z + 1}});
      }
    }
    return;
  }
  set_limit(box(quad));
  const bool is_fit = fit_leaf(meter_, ring(quad), leaf_fit_);
  ARETE_ASSERT(is_fit);
  result_->error = std::max(result_->error, leaf_fit_.error);
  for (int i = 0; i < leaf_fit_.size; ++i) {
    emit_triangle(leaf_fit_.triangles[std::size_t(i)]);
  }
}

void PieceMesher::emit_triangle(PlaceTriangle places) {
  auto& [a, b, c] = places;
  if (std::int64_t(b.z - a.z) * (c.x - a.x) < std::int64_t(b.x - a.x) * (c.z - a.z)) {
    std::swap(b, c);
  }
  result_->triangles.push_back({vertex(a), vertex(b), vertex(c)});
}

std::uint32_t PieceMesher::vertex(Place place) {
  std::uint32_t& number = vertex_[std::size_t(place.z) * std::size_t(cells_ + 1) + std::size_t(place.x)];
  if (number == 0) {
    result_->vertices.push_back(place);
    number = std::uint32_t(result_->vertices.size());
  }
  return number - 1;
}

}  // namespace arete::adaptive
