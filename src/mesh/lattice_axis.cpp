// The places of an axis, with branches only where the rim is near.
#include "lattice_axis.h"

#include <algorithm>

#include "kernel/normal.h"

namespace arete::mesh {
namespace {

int half(const kernel::FrameAxis& axis, std::int64_t stop) {
  return kernel::stop_half(int(stop), axis.last_stop, axis.is_area);
}

// Runs between neighbours are nearly always the same two lengths.
class Slope {
 public:
  Slope(float half_m, float step_m) : half_m_(half_m), step_m_(step_m) {}
  float of(int halves) {
    if (halves <= 0) {
      return 0;  // no neighbour: the rise is 0 as well
    }
    Known& known = known_[halves == known_[0].halves ? 0 : 1];
    if (known.halves != halves) {
      known = {halves, kernel::exact_reciprocal(float(halves) * half_m_) * step_m_};
    }
    return known.slope;
  }

 private:
  struct Known {
    int halves = 0;
    float slope = 0;
  };
  float half_m_;
  float step_m_;
  Known known_[2];
};

// The places of an axis whose neighbours all lie inside the rim, one whole step away.
void fill_inside(LatticeAxis& axis, const kernel::FrameAxis& frame, float step_m) {
  const int step = 1 << axis.lod;
  const int first = axis.first << axis.lod;
  const int first_half = half(frame, first);
  const int odd = axis.first & 1;
  // A loop an array, without branches, for the compiler's vectors.
  const int count = axis.count;
  for (int i = 0; i < count; ++i) {
    axis.fine[std::size_t(i)] = first + step * i;
  }
  for (int i = 0; i < count; ++i) {
    axis.parent[std::size_t(i)] = (odd + i) >> 1;
  }
  for (int i = 0; i < count; ++i) {
    axis.emitted[std::size_t(i)] = float(first_half + 2 * step * i - frame.anchor_half) * frame.half_m;
  }
  for (int i = 0; i < count; ++i) {
    const float offset =
        kernel::camera_offset(first_half + 2 * step * i, frame.camera_half, frame.half_m, frame.camera_rest);
    axis.offset_sq[std::size_t(i)] = offset * offset;
  }
  // inside_gradient()'s reciprocal.
  std::fill_n(axis.slope_both.begin(), count, frame.inverse_half * kernel::power_of_two(-axis.lod - 2) * step_m);
}

void fill_with_rim(LatticeAxis& axis, const kernel::FrameAxis& frame, Slope slope) {
  const int lod = axis.lod;
  const std::int64_t step = std::int64_t(1) << lod;
  const int first_parent = kernel::lod_index(axis.first << lod, lod + 1, frame.last_stop) >> (lod + 1);
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
    axis.slope_both[at] = slope.of(above - below);
    axis.slope_above[at] = slope.of(above - here);
    axis.slope_below[at] = slope.of(here - below);
  }
}

}  // namespace

void fill_axis(LatticeAxis& axis, int lod, int first, int count, const kernel::FrameAxis& frame, float step_m) {
  axis.lod = lod;
  axis.first = first;
  axis.count = count;
  axis.distinct = count;
  const std::int64_t behind = (std::int64_t(first) + count) << lod;
  axis.is_inside = first > 1 && behind < frame.last_stop;
  if (axis.is_inside) {
    fill_inside(axis, frame, step_m);
  } else {
    fill_with_rim(axis, frame, Slope(frame.half_m, step_m));
  }
  axis.at_start = axis.fine[0] == 0;
  axis.at_end = axis.fine[std::size_t(count) - 1] >= frame.last_stop;
  // Lanes behind the last place read what is harmless.
  std::fill_n(axis.parent.begin() + count, kMostLanes, axis.parent[std::size_t(count) - 1]);
}

void fill_one_sided(LatticeAxis& axis) {
  if (axis.is_inside) {
    const float single = axis.slope_both[0] + axis.slope_both[0];
    std::fill_n(axis.slope_above.begin(), axis.count, single);
    std::fill_n(axis.slope_below.begin(), axis.count, single);
  }
}

}  // namespace arete::mesh
