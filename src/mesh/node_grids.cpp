// From a node's pages to grids of vertices: the cascade of kernel/vertex.h, one lod's lattice at a time.
//
// A lattice at rest is made from the lod's own page; where a weight may be above 0 its target is the lattice of the
// next lod, made in the same way, so the recursion ends at the first lod at which all of it rests.
#include "node_grids.h"

#include <algorithm>

#include "arete/mesh.h"
#include "same_frame.h"
#include "write_vertex.h"

namespace arete::mesh {
namespace {

// Where a row's first place stands among its converted samples, and how far rows of whole vectors are apart.
constexpr std::ptrdiff_t kFirstSample = 16;
std::ptrdiff_t row_stride(const LatticeAxis& x) { return kFirstSample + (x.count + 31) / 16 * 16; }

// Places beyond the rim are the rim's own vertex, of `values` values each.
template <class Value>
void repeat_rim(const LatticeAxis& x, const LatticeAxis& z, int values, Value* grid) {
  const int row = x.count * values;
  for (int k = 0; k < z.distinct && x.distinct < x.count; ++k) {
    Value* const at = grid + k * row;
    for (int i = x.distinct * values; i < row; ++i) {
      at[i] = at[i - values];
    }
  }
  for (int k = z.distinct; k < z.count; ++k) {
    std::copy_n(grid + (z.distinct - 1) * row, row, grid + k * row);
  }
}

}  // namespace

void NodeGrids::begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads) {
  frame_ = &frame;
  samples_ = &samples;
  node_ = node;
  if (quads != quads_) {
    levels_.clear();
  }
  quads_ = quads;
  const bool is_new_frame = !is_same_frame(axes_frame_, frame);
  axes_frame_ = frame;
  for (const std::unique_ptr<Level>& level : levels_) {
    level->x = level->z = nullptr;
    if (is_new_frame) {
      level->axes_x.forget();
      level->axes_z.forget();
    }
    level->has_vertices = false;
  }
}

LatticeAxis& NodeGrids::Axes::of(int lod, int first, int count, const kernel::FrameAxis& frame, float step_m) {
  LatticeAxis& axis = kept_[unsigned(first / std::max(count - 1, 1)) % kept_.size()];
  if (axis.count != count || axis.first != first || axis.lod != lod) {
    fill_axis(axis, lod, first, count, frame, step_m);
  }
  return axis;
}

NodeGrids::Level& NodeGrids::level(int up) {
  while (levels_.size() <= std::size_t(up)) {
    levels_.push_back(std::make_unique<Level>());
  }
  Level& level = *levels_[std::size_t(up)];
  if (level.x != nullptr) {
    return level;
  }
  const int lod = node_.lod + up;
  int first_x = int(node_.x) * quads_, count_x = quads_ + 1, first_z = int(node_.z) * quads_, count_z = quads_ + 1;
  if (up > 0) {
    // The places that the lod below goes to.
    const auto span = [&](const LatticeAxis& below, int last_stop, int& first, int& count) {
      first = kernel::lod_index(below.fine[0], lod, last_stop) >> lod;
      count = below.parent[std::size_t(below.count) - 1] + 1;
    };
    const Level& below = this->level(up - 1);
    span(*below.x, frame_->last_stop_x, first_x, count_x);
    span(*below.z, frame_->last_stop_z, first_z, count_z);
  }
  level.x = &level.axes_x.of(lod, first_x, count_x, kernel::frame_axis_x(*frame_), frame_->step_m);
  level.z = &level.axes_z.of(lod, first_z, count_z, kernel::frame_axis_z(*frame_), frame_->step_m);
  return level;
}

// The places' samples, from one before the first on each axis; the rim repeats its own. Returns the range of the
// anchors.
StepRange NodeGrids::convert_samples(Level& level) const {
  const PageSamples::View& view = samples_->view_of(level.x->lod);
  const LatticeAxis& x = *level.x;
  const LatticeAxis& z = *level.z;
  const int west = x.at_start ? 0 : -1, north = z.at_start ? 0 : -1;
  const int east = x.at_end ? x.distinct : x.distinct + 1, south = z.at_end ? z.distinct : z.distinct + 1;
  const std::ptrdiff_t stride = row_stride(x);
  GridSamples& samples = level.samples;
  samples.stride = stride;
  samples.has_holes = false;
  StepRange range;
  const auto convert = [&](const std::uint16_t* plane, std::vector<float>& to) {
    to.resize(std::size_t(stride * (z.count + 2)));
    const std::uint16_t* source =
        plane + std::ptrdiff_t(z.first - view.first_z + north) * kPageStride + (x.first - view.first_x + west);
    float* const first = to.data() + stride + kFirstSample;
    range = convert_steps(source, kPageStride, east - west, south - north, first + north * stride + west, stride);
    samples.has_holes |= range.least == 0;
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
  samples.drawn = view.drawn == view.anchor ? nullptr : convert(view.drawn, level.tops);
  samples.anchor = convert(view.anchor, level.subsamples);
  if (samples.drawn == nullptr) {
    samples.drawn = samples.anchor;
  }
  return range;
}

// The scales of the places' distances.
void NodeGrids::find_scales(Level& level) const {
  const int lod = level.x->lod;
  const std::ptrdiff_t stride = row_stride(*level.x);
  if (bounds_.is_uniform()) {
    level.scales.assign(std::size_t(stride), kernel::power_of_two(-2 * lod));
    level.slide.scales.fill(level.scales.data());
    return;
  }
  // Ranges belong to nodes of 32 quads of the next lod. The places on a border between these are runs of one, those
  // between two borders one run.
  const int node_shift = lod + 1 + std::countr_zero(unsigned(kBoundsQuads));
  const auto run_end = [&](const LatticeAxis& axis, int place) {
    const int into_node = axis.fine[std::size_t(place)] & ((1 << node_shift) - 1);
    return into_node == 0 ? place + 1 : std::min(place + (((1 << node_shift) - into_node) >> lod), axis.distinct);
  };
  level.scales.resize(std::size_t(stride * level.z->count));
  for (int k = 0, end_k = 0; k < level.z->distinct; k = end_k) {
    end_k = run_end(*level.z, k);
    float* row = level.scales.data() + k * stride;
    for (int i = 0, end_i = 0; i < level.x->distinct; i = end_i) {
      end_i = run_end(*level.x, i);
      const int kappa = bounds_.kappa_at(lod, level.x->fine[std::size_t(i)], level.z->fine[std::size_t(k)]);
      std::fill(row + i, row + end_i, kernel::power_of_two(kappa - 2 * lod));
    }
    std::fill(level.slide.scales.begin() + k, level.slide.scales.begin() + end_k, row);
  }
}

// The rows in which a weight may be above 0: the kernel's weight of the farthest place that the row could hold, for
// rounding is monotone. False when there is none.
bool NodeGrids::find_sliding(Level& level, StepRange anchors) const {
  const LatticeAxis& x = *level.x;
  const LatticeAxis& z = *level.z;
  const auto steps_of = [&](int steps) { return steps == 0 ? frame_->hole_steps : std::uint32_t(steps); };
  const auto distance = [&](std::uint32_t steps) {
    const float y = kernel::height_m(steps, frame_->base_m, frame_->step_m) - frame_->camera_y;
    return std::max(y, -y);
  };
  const std::uint32_t low = steps_of(anchors.least), high = steps_of(anchors.greatest);
  const std::uint32_t farthest = distance(low) > distance(high) ? low : high;
  const float plan_x = std::max(x.offset_sq[0], x.offset_sq[std::size_t(x.distinct) - 1]);
  const int kappa = bounds_.kappa_over(x.lod, x.fine[0], x.fine[std::size_t(x.distinct) - 1], z.fine[0],
                                       z.fine[std::size_t(z.distinct) - 1]);
  const auto slides = [&](float plan_z) {
    return kernel::morph_weight(*frame_, plan_x, plan_z, farthest, kappa, x.lod) > 0;
  };
  const std::size_t last = std::size_t(z.distinct) - 1;
  if (!slides(std::max(z.offset_sq[0], z.offset_sq[last]))) {
    level.slide.rows.fill(false);
    return false;
  }
  for (std::size_t k = 0; k <= last; ++k) {
    level.slide.rows[k] = slides(z.offset_sq[k]);
  }
  return true;
}

// The coarse rule of drawn_index() along the node's edges: all of it slides to the end.
void NodeGrids::stitch(Level& level) const {
  GridSlide& slide = level.slide;
  const auto edge = [&](int bit) { return (node_.coarse_mask & bit) != 0 ? 1.0f : 0.0f; };
  const std::size_t last = std::size_t(quads_);
  level.x->least_weight[0] = edge(kernel::kEdgeMinusX);
  level.x->least_weight[last] = edge(kernel::kEdgePlusX);
  level.z->least_weight[0] = edge(kernel::kEdgeMinusZ);
  level.z->least_weight[last] = edge(kernel::kEdgePlusZ);
  slide.rows[0] = slide.rows[0] || level.z->least_weight[0] > 0;
  slide.rows[last] = slide.rows[last] || level.z->least_weight[last] > 0;
}

NodeGrids::Level& NodeGrids::prepare(int up) {
  Level& level = this->level(up);
  GridSlide& slide = level.slide;
  const StepRange anchors = convert_samples(level);
  if (level.samples.has_holes) {
    fill_one_sided(*level.x);
    fill_one_sided(*level.z);
  }
  bool slides = find_sliding(level, anchors);
  slide.morph_scale = level.x->lod < frame_->coarsest_lod ? frame_->morph_scale : 0;
  if (up == 0) {
    stitch(level);
    slides = slides || node_.coarse_mask != 0;
  }
  slide.has_target = slides;
  if (slides) {
    find_scales(level);
    VertexGrid& target = grid(up + 1);
    slide.target = target.arrays();
    slide.is_to_holes = target.has_holes;
    slide.target_stride = this->level(up + 1).x->count;
  }
  return level;
}

VertexGrid& NodeGrids::grid(int up) {
  Level& level = this->level(up);
  VertexGrid& vertices = level.vertices;
  if (level.has_vertices) {
    return vertices;
  }
  level.has_vertices = true;
  const LatticeAxis& x = *level.x;
  const LatticeAxis& z = *level.z;
  vertices.reserve(std::size_t(x.count) * std::size_t(z.count));
  draw_grid(prepare(up).draw(*frame_), vertices);
  const auto repeat = [&](auto& values) { repeat_rim(x, z, 1, values.data()); };
  repeat(vertices.x);
  repeat(vertices.y);
  repeat(vertices.z);
  repeat(vertices.gradient_x);
  repeat(vertices.gradient_z);
  repeat(vertices.is_hole);
  return vertices;
}

const VertexGrid& NodeGrids::vertices(std::span<const PlacedVertex> placed) {
  VertexGrid& vertices = grid(0);
  for (const PlacedVertex& at : placed) {
    vertices.set(std::size_t(at.row * (quads_ + 1) + at.column), at.vertex);
  }
  return vertices;
}

void NodeGrids::write_compact(std::span<const PlacedVertex> placed, std::uint32_t* words) {
  const Level& level = prepare(0);
  draw_compact(level.draw(*frame_), words);
  repeat_rim(*level.x, *level.z, 4, words);
  for (const PlacedVertex& at : placed) {
    write_vertex(*frame_, compact_layout(), at.vertex, words + 4 * (at.row * (quads_ + 1) + at.column));
  }
}

}  // namespace arete::mesh
