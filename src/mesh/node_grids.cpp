// From a node's pages to grids of vertices: the cascade of kernel/vertex.h, one lod's lattice at a time.
//
// A lattice at rest is made from the lod's own page; where a weight is above 0 its target is the lattice of the next
// lod, made in the same way, so the recursion ends at the first lod at which all of it rests.
#include "node_grids.h"

#include <algorithm>

#include "kernel/axis.h"

namespace arete::mesh {
namespace {

// Where a row's first place stands among its converted samples, and how far rows of whole vectors are apart.
constexpr std::ptrdiff_t kFirstSample = 16;
std::ptrdiff_t row_stride(const LatticeAxis& x) { return kFirstSample + (x.count + 31) / 16 * 16; }

int half(const kernel::FrameAxis& axis, std::int64_t stop) {
  return kernel::stop_half(int(stop), axis.last_stop, axis.is_area);
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
void fill_inside(LatticeAxis& axis, const kernel::FrameAxis& frame) {
  const int step = 1 << axis.lod;
  const int first = axis.first << axis.lod;
  const int first_half = half(frame, first);
  const int first_parent = axis.first >> 1;
  for (int i = 0; i < axis.count; ++i) {
    const std::size_t at = std::size_t(i);
    const int half_at = first_half + 2 * step * i;
    axis.fine[at] = first + step * i;
    axis.parent[at] = ((axis.first + i) >> 1) - first_parent;
    axis.emitted[at] = float(half_at - frame.anchor_half) * frame.half_m;
    const float offset = kernel::camera_offset(half_at, frame.camera_half, frame.half_m, frame.camera_rest);
    axis.offset_sq[at] = offset * offset;
  }
  std::fill_n(axis.inverse_both.begin(), axis.count, kernel::exact_reciprocal(float(4 * step) * frame.half_m));
  const float single = kernel::exact_reciprocal(float(2 * step) * frame.half_m);
  std::fill_n(axis.inverse_above.begin(), axis.count, single);
  std::fill_n(axis.inverse_below.begin(), axis.count, single);
}

void fill_with_rim(LatticeAxis& axis, const kernel::FrameAxis& frame) {
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
    const int here = half(frame, kernel::stop_of(g, frame.last_stop));
    const int below = g > 0 ? half(frame, g - step) : here;
    const int above = g < frame.last_stop ? half(frame, std::min<std::int64_t>(g + step, frame.last_stop)) : here;
    axis.emitted[at] = float(here - frame.anchor_half) * frame.half_m;
    const float offset = kernel::camera_offset(here, frame.camera_half, frame.half_m, frame.camera_rest);
    axis.offset_sq[at] = offset * offset;
    axis.inverse_both[at] = reciprocal.of(above - below);
    axis.inverse_above[at] = reciprocal.of(above - here);
    axis.inverse_below[at] = reciprocal.of(here - below);
  }
}

void fill_axis(LatticeAxis& axis, int lod, int first, int count, const kernel::FrameAxis& frame) {
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

void NodeGrids::begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads) {
  frame_ = &frame;
  samples_ = &samples;
  lod_ = node.lod;
  first_x_ = int(node.x) * quads;
  first_z_ = int(node.z) * quads;
  quads_ = quads;
  for (const std::unique_ptr<Level>& level : levels_) {
    level->has_axes = false;
    level->has_vertices = false;
  }
}

NodeGrids::Level& NodeGrids::level(int up) {
  while (levels_.size() <= std::size_t(up)) {
    levels_.push_back(std::make_unique<Level>());
  }
  Level& level = *levels_[std::size_t(up)];
  if (level.has_axes) {
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
  fill_axis(level.x, lod, first_x, count_x, kernel::frame_axis_x(*frame_));
  fill_axis(level.z, lod, first_z, count_z, kernel::frame_axis_z(*frame_));
  level.has_axes = true;
  return level;
}

// The places' samples, from one before the first on each axis; the rim repeats its own.
GridSamples NodeGrids::convert_samples(Level& level) const {
  const PageSamples::View& view = samples_->view_of(level.x.lod);
  const LatticeAxis& x = level.x;
  const LatticeAxis& z = level.z;
  const int west = x.at_start ? 0 : -1, north = z.at_start ? 0 : -1;
  const int east = x.at_end ? x.distinct : x.distinct + 1, south = z.at_end ? z.distinct : z.distinct + 1;
  const std::ptrdiff_t stride = row_stride(x);
  GridSamples samples;
  samples.stride = stride;
  const auto convert = [&](const std::uint16_t* plane, std::vector<float>& to) {
    to.resize(std::size_t(stride * (z.count + 2)));
    const std::uint16_t* source =
        plane + std::ptrdiff_t(z.first - view.first_z + north) * kPageStride + (x.first - view.first_x + west);
    float* const first = to.data() + stride + kFirstSample;
    samples.has_holes |=
        convert_steps(source, kPageStride, east - west, south - north, first + north * stride + west, stride);
    for (int k = north; k < south && (x.at_start || x.at_end); ++k) {
      float* row = first + k * stride;
      row[-1] = x.at_start ? row[0] : row[-1];
      row[x.distinct] = x.at_end ? row[x.distinct - 1] : row[x.distinct];
    }
    if (z.at_start) {
      std::copy_n(first - 1, x.distinct + 2, first - 1 - stride);
    }
    if (z.at_end) {
      std::copy_n(first - 1 + (z.distinct - 1) * stride, x.distinct + 2, first - 1 + z.distinct * stride);
    }
    return first;
  };
  samples.anchor = convert(view.anchor, level.subsamples);
  samples.drawn = view.drawn == view.anchor ? samples.anchor : convert(view.drawn, level.tops);
  return samples;
}

GridScales NodeGrids::scales_of(Level& level) const {
  const int lod = level.x.lod;
  const std::ptrdiff_t stride = row_stride(level.x);
  if (bounds_.is_uniform()) {
    level.scales.assign(std::size_t(stride), kernel::power_of_two(-2 * lod));
    return {level.scales.data(), 0};
  }
  // Ranges belong to nodes of 32 quads of the next lod. The places on a border between these are runs of one, those
  // between two borders one run.
  const int node_shift = lod + 1 + std::countr_zero(unsigned(kBoundsQuads));
  const auto run_end = [&](const LatticeAxis& axis, int place) {
    const int into_node = axis.fine[std::size_t(place)] & ((1 << node_shift) - 1);
    return into_node == 0 ? place + 1 : std::min(place + (((1 << node_shift) - into_node) >> lod), axis.distinct);
  };
  level.scales.resize(std::size_t(stride * level.z.count));
  for (int k = 0, end_k = 0; k < level.z.distinct; k = end_k) {
    end_k = run_end(level.z, k);
    float* row = level.scales.data() + k * stride;
    for (int i = 0, end_i = 0; i < level.x.distinct; i = end_i) {
      end_i = run_end(level.x, i);
      const int kappa = bounds_.kappa_at(lod, level.x.fine[std::size_t(i)], level.z.fine[std::size_t(k)]);
      std::fill(row + i, row + end_i, kernel::power_of_two(kappa - 2 * lod));
    }
    for (int same = k + 1; same < end_k; ++same) {
      std::copy_n(row, level.x.distinct, level.scales.data() + same * stride);
    }
  }
  return {level.scales.data(), stride};
}

VertexGrid& NodeGrids::grid(int up) {
  Level& level = this->level(up);
  VertexGrid& grid = level.vertices;
  if (level.has_vertices) {
    return grid;
  }
  level.has_vertices = true;
  const LatticeAxis& x = level.x;
  const LatticeAxis& z = level.z;
  grid.reserve(std::size_t(x.count) * std::size_t(z.count));
  const GridSamples samples = convert_samples(level);
  GridSlide slide;
  if (x.lod < frame_->coarsest_lod) {
    const std::ptrdiff_t stride = row_stride(x);
    level.weights.resize(std::size_t(stride * z.count));
    if (weigh_grid(*frame_, x, z, samples, scales_of(level), level.weights.data(), stride)) {
      slide = {level.weights.data(), stride, &this->grid(up + 1), axis_x(up + 1).count};
    }
  }
  draw_grid(*frame_, x, z, samples, slide, grid);
  // Places beyond the rim are the rim's own vertex.
  const auto repeat = [&](auto& values) {
    for (int k = 0; k < z.distinct && x.distinct < x.count; ++k) {
      auto* row = values.data() + k * x.count;
      std::fill(row + x.distinct, row + x.count, row[x.distinct - 1]);
    }
    for (int k = z.distinct; k < z.count; ++k) {
      std::copy_n(values.data() + (z.distinct - 1) * x.count, x.count, values.data() + k * x.count);
    }
  };
  repeat(grid.x);
  repeat(grid.y);
  repeat(grid.z);
  repeat(grid.gradient_x);
  repeat(grid.gradient_z);
  repeat(grid.is_hole);
  return grid;
}

}  // namespace arete::mesh
