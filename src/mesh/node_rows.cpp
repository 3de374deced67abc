// From a node's pages to rows of vertices: the cascade of kernel/vertex.h, one lod's row at a time.
//
// A row at rest is made from the lod's own page; where a weight is above 0 its target is the row above the lod, made in
// the same way, so the recursion ends at the first lod at which the whole row rests.
#include "node_rows.h"

#include <algorithm>

#include "kernel/lattice.h"
#include "kernel/morph.h"

namespace arete::mesh {
namespace {

// Fills an axis with the places of lod indices `first` to `last_index` of its lod.
void fill_axis(LatticeAxis& axis, int lod, int first, int count, int last_stop, int is_area, int camera_half,
               float camera_rest, int anchor_half, float half_m) {
  axis.lod = lod;
  axis.first = first;
  axis.count = count;
  axis.distinct = count;
  float inverse = 0;
  int inverse_of = 0;
  const auto reciprocal = [&](int halves) {
    if (halves <= 0) {
      return 0.0f;  // no neighbour: the rise is 0 as well
    }
    if (halves != inverse_of) {
      inverse_of = halves;
      inverse = kernel::exact_reciprocal(float(halves) * half_m);
    }
    return inverse;
  };
  const auto half = [&](int stop) { return kernel::stop_half(stop, last_stop, is_area); };
  const std::int64_t step = std::int64_t(1) << lod;
  for (int i = 0; i < count; ++i) {
    const std::size_t at = std::size_t(i);
    const int g = kernel::lod_index((first + i) << lod, lod, last_stop);
    axis.fine[at] = g;
    if (i > 0 && axis.fine[at - 1] == g) {
      axis.distinct = std::min(axis.distinct, i);
    }
    const int here = half(kernel::stop_of(g, last_stop));
    const int below = g > 0 ? half(int(g - step)) : here;
    const int above = g < last_stop ? half(int(std::min<std::int64_t>(g + step, last_stop))) : here;
    axis.emitted[at] = float(here - anchor_half) * half_m;
    const float offset = kernel::camera_offset(here, camera_half, half_m, camera_rest);
    axis.offset_sq[at] = offset * offset;
    axis.inverse_both[at] = reciprocal(above - below);
    axis.parent[at] = kernel::lod_index(g, lod + 1, last_stop) >> (lod + 1);
  }
  // One value after the other, so that the last reciprocal serves the whole axis.
  for (int i = 0; i < count; ++i) {
    const std::size_t at = std::size_t(i);
    const int g = axis.fine[at];
    const int here = half(kernel::stop_of(g, last_stop));
    axis.inverse_above[at] =
        reciprocal((g < last_stop ? half(int(std::min<std::int64_t>(g + step, last_stop))) : here) - here);
  }
  for (int i = 0; i < count; ++i) {
    const std::size_t at = std::size_t(i);
    const int g = axis.fine[at];
    const int here = half(kernel::stop_of(g, last_stop));
    axis.inverse_below[at] = reciprocal(here - (g > 0 ? half(int(g - step)) : here));
  }
  axis.at_start = axis.fine[0] == 0;
  axis.at_end = axis.fine[std::size_t(count) - 1] >= last_stop;
  const int first_parent = axis.parent[0];
  for (int i = 0; i < count; ++i) {
    axis.parent[std::size_t(i)] -= first_parent;
  }
  // Lanes behind the last place read something harmless.
  for (std::size_t i = std::size_t(count); i < kRowRoom; ++i) {
    axis.parent[i] = 0;
    axis.emitted[i] = axis.offset_sq[i] = axis.inverse_both[i] = axis.inverse_above[i] = axis.inverse_below[i] = 0;
  }
}

}  // namespace

void NodeRows::begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads) {
  frame_ = &frame;
  samples_ = &samples;
  lod_ = node.lod;
  first_x_ = int(node.x) * quads;
  first_z_ = int(node.z) * quads;
  quads_ = quads;
  for (const std::unique_ptr<Level>& level : levels_) {
    level->is_ready = false;
  }
}

NodeRows::Level& NodeRows::level(int up) {
  while (levels_.size() <= std::size_t(up)) {
    levels_.push_back(std::make_unique<Level>());
  }
  Level& level = *levels_[std::size_t(up)];
  if (level.is_ready) {
    return level;
  }
  const int lod = lod_ + up;
  int first_x = first_x_, count_x = quads_ + 1, first_z = first_z_, count_z = quads_ + 1;
  if (up > 0) {
    // The places that the lod below goes to.
    const auto span = [&](const LatticeAxis& below, int last_stop, int& first, int& count) {
      first = kernel::lod_index(below.fine[0], lod, last_stop) >> lod;
      count = below.parent[std::size_t(below.count) - 1] + 1;
    };
    const Level& below = this->level(up - 1);
    span(below.x, frame_->last_stop_x, first_x, count_x);
    span(below.z, frame_->last_stop_z, first_z, count_z);
  }
  fill_axis(level.x, lod, first_x, count_x, frame_->last_stop_x, frame_->is_area, frame_->camera_half_x,
            frame_->camera_rest_x, frame_->anchor_half_x, frame_->half_x_m);
  fill_axis(level.z, lod, first_z, count_z, frame_->last_stop_z, frame_->is_area, frame_->camera_half_z,
            frame_->camera_rest_z, frame_->anchor_half_z, frame_->half_z_m);
  copy_samples(level);
  level.held = -1;
  level.scale_place = -1;
  level.is_ready = true;
  return level;
}

// Copies the places' samples with one more on each side, where the rim repeats its own.
void NodeRows::copy_samples(Level& level) const {
  const PageSamples::View& view = samples_->view_of(level.x.lod);
  const int columns = level.x.distinct;
  const int rows = level.z.distinct;
  level.stride = std::size_t(level.x.count) + 64;
  const auto copy = [&](const std::uint16_t* plane, std::vector<std::uint16_t>& to) {
    to.resize(level.stride * std::size_t(rows + 2));
    for (int k = -1; k <= rows; ++k) {
      const int from = k < 0 && level.z.at_start ? 0 : k == rows && level.z.at_end ? rows - 1 : k;
      const std::uint16_t* source =
          plane + std::ptrdiff_t(level.z.first - view.first_z + from) * kPageStride + (level.x.first - view.first_x);
      std::uint16_t* row = to.data() + level.stride * std::size_t(k + 1);
      std::copy(source - 1, source + columns + 1, row);
      if (level.x.at_start) {
        row[0] = row[1];
      }
      if (level.x.at_end) {
        row[columns + 1] = row[columns];
      }
    }
  };
  copy(view.anchor, level.anchor);
  if (view.drawn != view.anchor) {
    copy(view.drawn, level.drawn);
  } else {
    level.drawn.clear();
  }
}

// The scales of a row; null at the coarsest lod, whose vertices never morph.
const float* NodeRows::scale_of(Level& level, int place) const {
  const int lod = level.x.lod;
  if (lod >= frame_->coarsest_lod) {
    return nullptr;
  }
  // Ranges belong to nodes of 32 quads of the next lod.
  const int owner = lod + 1 + std::countr_zero(unsigned(kBoundsQuads));
  const int gz = level.z.fine[std::size_t(place)];
  if (level.scale_place >= 0 &&
      (bounds_.is_uniform() || level.z.fine[std::size_t(level.scale_place)] >> owner == gz >> owner)) {
    return level.scale.data();
  }
  level.scale_place = place;
  float scale = 0;
  for (int i = 0; i < level.x.count; ++i) {
    const int gx = level.x.fine[std::size_t(i)];
    if (i == 0 || gx >> owner != level.x.fine[std::size_t(i) - 1] >> owner) {
      scale = kernel::power_of_two(bounds_.kappa_at(lod, gx, gz) - 2 * lod);
    }
    level.scale[std::size_t(i)] = scale;
  }
  std::fill(level.scale.begin() + level.x.count, level.scale.end(), 0.0f);
  return level.scale.data();
}

VertexRow& NodeRows::row(int up, int place) {
  Level& level = this->level(up);
  place = std::min(place, level.z.distinct - 1);
  if (level.held == place) {
    return level.row;
  }
  level.held = place;
  const std::size_t k = std::size_t(place);
  const std::uint16_t* anchor = level.anchor.data() + level.stride * (k + 1);
  const std::uint16_t* here = level.drawn.empty() ? anchor : level.drawn.data() + level.stride * (k + 1);
  const RowSamples samples{.anchor = anchor,
                           .here = here,
                           .north = here - level.stride,
                           .south = here + level.stride,
                           .scale = scale_of(level, place),
                           .z = level.z.emitted[k],
                           .offset_sq = level.z.offset_sq[k],
                           .inverse_both = level.z.inverse_both[k],
                           .inverse_above = level.z.inverse_above[k],
                           .inverse_below = level.z.inverse_below[k]};
  if (rest_row(*frame_, level.x, samples, level.row)) {
    morph_row(level.x, row(up + 1, level.z.parent[k]), level.row);
  }
  // Places beyond the rim are the rim's own vertex.
  for (int i = level.x.distinct; i < level.x.count; ++i) {
    const auto repeat = [&](auto& values) { values[std::size_t(i)] = values[std::size_t(level.x.distinct) - 1]; };
    repeat(level.row.x);
    repeat(level.row.y);
    repeat(level.row.z);
    repeat(level.row.gradient_x);
    repeat(level.row.gradient_z);
    repeat(level.row.is_hole);
  }
  return level.row;
}

}  // namespace arete::mesh
