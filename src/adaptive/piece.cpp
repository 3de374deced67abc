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

}  // namespace arete::adaptive
