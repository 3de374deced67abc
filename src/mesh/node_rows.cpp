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

// One axis of the frame, as the lattice along it needs it.
struct FrameAxis {
  int last_stop;
  int is_area;
  int camera_half;
  float camera_rest;
  int anchor_half;
  float half_m;

  int half(std::int64_t stop) const { return kernel::stop_half(int(stop), last_stop, is_area); }
};

FrameAxis frame_axis_x(const kernel::FrameConstants& frame) {
  return {frame.last_stop_x,   frame.is_area,       frame.camera_half_x,
          frame.camera_rest_x, frame.anchor_half_x, frame.half_x_m};
}
FrameAxis frame_axis_z(const kernel::FrameConstants& frame) {
  return {frame.last_stop_z,   frame.is_area,       frame.camera_half_z,
          frame.camera_rest_z, frame.anchor_half_z, frame.half_z_m};
}

// Runs between neighbours are nearly always the same two lengths.
class Reciprocal {
 public:
  explicit Reciprocal(float half_m) : half_m_(half_m) {}
  float of(int halves) {
    if (halves <= 0) {
      return 0;  // no neighbour: the rise is 0 as well
    }
    Known& known = known_[halves == known_[0].halves ? 0 : 1];
    if (known.halves != halves) {
      known = {halves, kernel::exact_reciprocal(float(halves) * half_m_)};
    }
    return known.inverse;
  }

 private:
  struct Known {
    int halves = 0;
    float inverse = 0;
  };
  float half_m_;
  Known known_[2];
};

// The places of an axis whose neighbours all lie inside the rim, one whole step away: no branch a place.
void fill_inside(LatticeAxis& axis, const FrameAxis& frame) {
  const int step = 1 << axis.lod;
  const int first = axis.first << axis.lod;
  const int first_half = frame.half(first);
  const int first_parent = axis.first >> 1;
  for (int i = 0; i < axis.count; ++i) {
    const std::size_t at = std::size_t(i);
    const int half = first_half + 2 * step * i;
    axis.fine[at] = first + step * i;
    axis.parent[at] = ((axis.first + i) >> 1) - first_parent;
    axis.emitted[at] = float(half - frame.anchor_half) * frame.half_m;
    const float offset = kernel::camera_offset(half, frame.camera_half, frame.half_m, frame.camera_rest);
    axis.offset_sq[at] = offset * offset;
  }
  std::fill_n(axis.inverse_both.begin(), axis.count, kernel::exact_reciprocal(float(4 * step) * frame.half_m));
  const float single = kernel::exact_reciprocal(float(2 * step) * frame.half_m);
  std::fill_n(axis.inverse_above.begin(), axis.count, single);
  std::fill_n(axis.inverse_below.begin(), axis.count, single);
}

void fill_with_rim(LatticeAxis& axis, const FrameAxis& frame) {
  const int lod = axis.lod;
  const std::int64_t step = std::int64_t(1) << lod;
  const int first_parent = kernel::lod_index(axis.first << lod, lod + 1, frame.last_stop) >> (lod + 1);
  Reciprocal reciprocal(frame.half_m);
  for (int i = 0; i < axis.count; ++i) {
    const std::size_t at = std::size_t(i);
    const int g = kernel::lod_index((axis.first + i) << lod, lod, frame.last_stop);
    axis.fine[at] = g;
    if (i > 0 && axis.fine[at - 1] == g) {
      axis.distinct = std::min(axis.distinct, i);
    }
    axis.parent[at] = (kernel::lod_index(g, lod + 1, frame.last_stop) >> (lod + 1)) - first_parent;
    const int here = frame.half(kernel::stop_of(g, frame.last_stop));
    const int below = g > 0 ? frame.half(g - step) : here;
    const int above = g < frame.last_stop ? frame.half(std::min<std::int64_t>(g + step, frame.last_stop)) : here;
    axis.emitted[at] = float(here - frame.anchor_half) * frame.half_m;
    const float offset = kernel::camera_offset(here, frame.camera_half, frame.half_m, frame.camera_rest);
    axis.offset_sq[at] = offset * offset;
    axis.inverse_both[at] = reciprocal.of(above - below);
    axis.inverse_above[at] = reciprocal.of(above - here);
    axis.inverse_below[at] = reciprocal.of(here - below);
  }
}

void fill_axis(LatticeAxis& axis, int lod, int first, int count, const FrameAxis& frame) {
  axis.lod = lod;
  axis.first = first;
  axis.count = count;
  axis.distinct = count;
  const std::int64_t behind = (std::int64_t(first) + count) << lod;
  if (first > 1 && behind < frame.last_stop) {
    fill_inside(axis, frame);
  } else {
    fill_with_rim(axis, frame);
  }
  axis.at_start = axis.fine[0] == 0;
  axis.at_end = axis.fine[std::size_t(count) - 1] >= frame.last_stop;
  // Lanes behind the last place read what is harmless.
  std::fill(axis.parent.begin() + count, axis.parent.end(), axis.parent[std::size_t(count) - 1]);
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
  fill_axis(level.x, lod, first_x, count_x, frame_axis_x(*frame_));
  fill_axis(level.z, lod, first_z, count_z, frame_axis_z(*frame_));
  find_samples(level);
  level.held = -1;
  level.scale_place = -1;
  level.is_ready = true;
  return level;
}

void NodeRows::find_samples(Level& level) const {
  const PageSamples::View& view = samples_->view_of(level.x.lod);
  const int columns = level.x.distinct;
  const int rows = level.z.distinct;
  const int column = level.x.first - view.first_x;
  const int row = level.z.first - view.first_z;
  // Whole vectors may be read behind a row's last sample: they must lie in the plane.
  const bool is_inside = !level.x.at_start && !level.x.at_end && !level.z.at_start && !level.z.at_end;
  if (is_inside && Page::index(column, row + rows) + kRowRoom <= kPlaneSamples) {
    const std::ptrdiff_t first = std::ptrdiff_t(row - 1) * kPageStride + (column - 1);
    level.stride = kPageStride;
    level.anchor = view.anchor + first;
    level.drawn = view.drawn + first;
    return;
  }
  level.stride = level.x.count + 64;
  const auto copy = [&](const std::uint16_t* plane, std::vector<std::uint16_t>& to) {
    to.resize(std::size_t(level.stride * (rows + 2)));
    for (int k = -1; k <= rows; ++k) {
      const int from = k < 0 && level.z.at_start ? 0 : k == rows && level.z.at_end ? rows - 1 : k;
      const std::uint16_t* source = plane + std::ptrdiff_t(row + from) * kPageStride + column;
      std::uint16_t* copied = to.data() + level.stride * (k + 1);
      std::copy(source - 1, source + columns + 1, copied);
      if (level.x.at_start) {
        copied[0] = copied[1];
      }
      if (level.x.at_end) {
        copied[columns + 1] = copied[columns];
      }
    }
    return to.data();
  };
  level.anchor = copy(view.anchor, level.anchor_copy);
  level.drawn = view.drawn != view.anchor ? copy(view.drawn, level.drawn_copy) : level.anchor;
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
  const std::uint16_t* here = level.drawn + level.stride * (place + 1);
  const RowSamples samples{.anchor = level.anchor + level.stride * (place + 1),
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
