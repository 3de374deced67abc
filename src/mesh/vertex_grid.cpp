// The vector loops over a lattice, once for each target that Highway knows. A row has 4 m + 1 places: whole vectors
// first, then as few lanes as the rest asks for.
#include "mesh/vertex_grid.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/vertex_grid.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Whole = hn::ScalableTag<float>;
using Few = hn::CappedTag<float, 4>;

bool ConvertSteps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                  std::ptrdiff_t to_stride) {
  const Whole d;
  const hn::RebindToSigned<Whole> di;
  const hn::Rebind<std::uint16_t, Whole> d16;
  const int lanes = int(hn::Lanes(d));
  auto least = hn::Set(di, 1);
  bool has_zero = false;
  for (int k = 0; k < rows; ++k, steps += stride, to += to_stride) {
    const auto convert = [&](int i) HWY_ATTR {
      const auto values = hn::PromoteTo(di, hn::LoadU(d16, steps + i));
      least = hn::Min(least, values);
      hn::StoreU(hn::ConvertTo(d, values), d, to + i);
    };
    int i = 0;
    for (; i + lanes <= columns; i += lanes) {
      convert(i);
    }
    if (i < columns && columns >= lanes) {
      convert(columns - lanes);  // again over some that are done
      i = columns;
    }
    for (; i < columns; ++i) {
      to[i] = float(steps[i]);
      has_zero = has_zero || steps[i] == 0;
    }
  }
  return has_zero || !hn::AllFalse(di, hn::Eq(least, hn::Zero(di)));
}

template <bool kHasHoles, class D>
HWY_INLINE hn::Vec<D> Metres(D d, const kernel::FrameConstants& frame, hn::Vec<D> steps) {
  if constexpr (kHasHoles) {
    steps = hn::IfThenElse(hn::Eq(steps, hn::Zero(d)), hn::Set(d, float(frame.hole_steps)), steps);
  }
  return hn::Add(hn::Set(d, frame.base_m), hn::Mul(steps, hn::Set(d, frame.step_m)));
}

// Weights of places [first, end) of a row; the greatest of each lane in `greatest`.
template <bool kHasHoles, class D>
HWY_INLINE void WeighPart(D d, const kernel::FrameConstants& frame, const LatticeAxis& x, float z_offset_sq,
                          const float* HWY_RESTRICT anchor, const float* HWY_RESTRICT scale, int first, int end,
                          float* HWY_RESTRICT weights, hn::Vec<D>& greatest) {
  const int lanes = int(hn::Lanes(d));
  for (int i = first; i < end; i += lanes) {
    const auto y = hn::Sub(Metres<kHasHoles>(d, frame, hn::LoadU(d, anchor + i)), hn::Set(d, frame.camera_y));
    const auto plan = hn::Add(hn::LoadU(d, x.offset_sq.data() + i), hn::Set(d, z_offset_sq));
    const auto scaled = hn::Mul(hn::Add(plan, hn::Mul(y, y)), hn::LoadU(d, scale + i));
    auto weight = hn::Mul(hn::Sub(scaled, hn::Set(d, frame.morph_start_sq)), hn::Set(d, frame.morph_scale));
    if (i + lanes > end) {
      weight = hn::IfThenElseZero(hn::FirstN(d, std::size_t(end - i)), weight);
    }
    hn::StoreU(weight, d, weights + i);
    greatest = hn::Max(greatest, weight);
  }
}

template <bool kHasHoles>
HWY_INLINE bool WeighRows(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
                          const GridSamples& samples, const GridScales& scales, float* HWY_RESTRICT weights,
                          std::ptrdiff_t stride) {
  const Whole d;
  const Few few;
  const int whole = x.distinct - x.distinct % int(hn::Lanes(d));
  auto greatest = hn::Zero(d);
  auto greatest_few = hn::Zero(few);
  for (int k = 0; k < z.distinct; ++k) {
    const float* anchor = samples.anchor + k * samples.stride;
    const float* scale = scales.values + k * scales.stride;
    const float z_offset_sq = z.offset_sq[std::size_t(k)];
    float* to = weights + k * stride;
    WeighPart<kHasHoles>(d, frame, x, z_offset_sq, anchor, scale, 0, whole, to, greatest);
    WeighPart<kHasHoles>(few, frame, x, z_offset_sq, anchor, scale, whole, x.distinct, to, greatest_few);
  }
  return !hn::AllFalse(d, hn::Gt(greatest, hn::Zero(d))) || !hn::AllFalse(few, hn::Gt(greatest_few, hn::Zero(few)));
}

bool WeighGrid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
               const GridSamples& samples, const GridScales& scales, float* weights, std::ptrdiff_t stride) {
  return samples.has_holes ? WeighRows<true>(frame, x, z, samples, scales, weights, stride)
                           : WeighRows<false>(frame, x, z, samples, scales, weights, stride);
}

// Vertices in registers.
template <class D>
struct Vertices {
  hn::Vec<D> x, y, z, gradient_x, gradient_z;
  hn::Vec<hn::RebindToSigned<D>> is_hole;
};

// The arrays of a grid, so that no store seems to move them.
struct Arrays {
  explicit Arrays(VertexGrid& grid)
      : x(grid.x.data()),
        y(grid.y.data()),
        z(grid.z.data()),
        gradient_x(grid.gradient_x.data()),
        gradient_z(grid.gradient_z.data()),
        is_hole(grid.is_hole.data()) {}
  float* HWY_RESTRICT x;
  float* HWY_RESTRICT y;
  float* HWY_RESTRICT z;
  float* HWY_RESTRICT gradient_x;
  float* HWY_RESTRICT gradient_z;
  std::int32_t* HWY_RESTRICT is_hole;
};

// What one row of a lattice reads and writes.
struct Row {
  const float* HWY_RESTRICT here;
  std::ptrdiff_t stride;
  float z, inverse_both, inverse_above, inverse_below;
  const float* HWY_RESTRICT weights;
  std::ptrdiff_t target;  // of its targets' row
  std::ptrdiff_t first;   // of its own vertices
};

// axis_gradient() where `here` is no hole; the caller clears holes.
template <bool kHasHoles, class D>
HWY_INLINE hn::Vec<D> Gradient(D d, hn::Vec<D> below, hn::Vec<D> here, hn::Vec<D> above, hn::Vec<D> both,
                               hn::Vec<D> from_here, hn::Vec<D> to_here, hn::Vec<D> step_m) {
  if constexpr (kHasHoles) {
    const auto no_below = hn::Eq(below, hn::Zero(d));
    const auto no_above = hn::Eq(above, hn::Zero(d));
    below = hn::IfThenElse(no_below, here, below);
    above = hn::IfThenElse(no_above, here, above);
    both = hn::IfThenElse(no_above, to_here, hn::IfThenElse(no_below, from_here, both));
  }
  // Steps and their differences are whole numbers below 2^24.
  return hn::Mul(hn::Mul(hn::Sub(above, below), step_m), both);
}

// rest_vertex() of the places from i on.
template <bool kHasHoles, class D>
HWY_INLINE Vertices<D> Rest(D d, const kernel::FrameConstants& frame, const LatticeAxis& x, const Row& row, int i) {
  const hn::RebindToSigned<D> di;
  const float* at = row.here + i;
  const auto here = hn::LoadU(d, at);
  const auto step_m = hn::Set(d, frame.step_m);
  Vertices<D> v;
  v.x = hn::LoadU(d, x.emitted.data() + i);
  v.y = Metres<kHasHoles>(d, frame, here);
  v.z = hn::Set(d, row.z);
  v.gradient_x =
      Gradient<kHasHoles>(d, hn::LoadU(d, at - 1), here, hn::LoadU(d, at + 1), hn::LoadU(d, x.inverse_both.data() + i),
                          hn::LoadU(d, x.inverse_above.data() + i), hn::LoadU(d, x.inverse_below.data() + i), step_m);
  v.gradient_z = Gradient<kHasHoles>(d, hn::LoadU(d, at - row.stride), here, hn::LoadU(d, at + row.stride),
                                     hn::Set(d, row.inverse_both), hn::Set(d, row.inverse_above),
                                     hn::Set(d, row.inverse_below), step_m);
  v.is_hole = hn::Zero(di);
  if constexpr (kHasHoles) {
    const auto is_hole = hn::Eq(here, hn::Zero(d));
    v.gradient_x = hn::IfThenZeroElse(is_hole, v.gradient_x);
    v.gradient_z = hn::IfThenZeroElse(is_hole, v.gradient_z);
    v.is_hole = hn::IfThenElseZero(hn::RebindMask(di, is_hole), hn::Set(di, 1));
  }
  return v;
}

// The slide of cascade_vertex(); `first` is the first place's target.
template <bool kHasHoles, class D>
HWY_INLINE void Slide(D d, const Arrays& target, std::ptrdiff_t first, const std::int32_t* HWY_RESTRICT parents,
                      hn::Vec<D> weight, Vertices<D>& v) {
  const hn::RebindToSigned<D> di;
  const auto zero = hn::Zero(d);
  const auto arrives = hn::Ge(weight, hn::Set(d, 1.0f));
  // What does not move slides by 0: no component is -0, so it keeps its bits.
  weight = hn::Max(weight, zero);
  // The targets of neighbouring places lie within one vector from the first one's on.
  const auto spread = hn::IndicesFromVec(d, hn::Sub(hn::LoadU(di, parents), hn::Set(di, *parents)));
  const auto targets = [&](const float* values)
                           HWY_ATTR { return hn::TableLookupLanes(hn::LoadU(d, values + first), spread); };
  auto rests = hn::FirstN(d, 0);
  if constexpr (kHasHoles) {
    const auto coarse =
        hn::BitCast(di, hn::TableLookupLanes(hn::BitCast(d, hn::LoadU(di, target.is_hole + first)), spread));
    rests = hn::RebindMask(d, hn::Gt(hn::Or(v.is_hole, coarse), hn::Zero(di)));
    v.is_hole = hn::IfThenElse(hn::RebindMask(di, arrives), coarse, v.is_hole);
  }
  const auto slide = [&](hn::Vec<D> coarse, hn::Vec<D>& fine) HWY_ATTR {
    auto between = hn::Add(fine, hn::Mul(hn::Sub(coarse, fine), weight));
    if constexpr (kHasHoles) {
      between = hn::IfThenElse(rests, fine, between);
    }
    fine = hn::IfThenElse(arrives, coarse, between);
  };
  slide(targets(target.x), v.x);
  slide(targets(target.y), v.y);
  slide(targets(target.z), v.z);
  slide(targets(target.gradient_x), v.gradient_x);
  slide(targets(target.gradient_z), v.gradient_z);
}

template <bool kHasHoles, class D>
HWY_INLINE void DrawPart(D d, const kernel::FrameConstants& frame, const LatticeAxis& x, const Row& row,
                         const Arrays& target, int first, int end, const Arrays& grid) {
  const int lanes = int(hn::Lanes(d));
  for (int i = first; i < end; i += lanes) {
    Vertices<D> v = Rest<kHasHoles>(d, frame, x, row, i);
    if (row.weights != nullptr) {
      const auto weight = hn::LoadU(d, row.weights + i);
      if (!hn::AllFalse(d, hn::Gt(weight, hn::Zero(d)))) {
        const std::int32_t* parents = x.parent.data() + i;
        Slide<kHasHoles>(d, target, row.target + *parents, parents, weight, v);
      }
    }
    const std::ptrdiff_t at = row.first + i;
    hn::StoreU(v.x, d, grid.x + at);
    hn::StoreU(v.y, d, grid.y + at);
    hn::StoreU(v.z, d, grid.z + at);
    hn::StoreU(v.gradient_x, d, grid.gradient_x + at);
    hn::StoreU(v.gradient_z, d, grid.gradient_z + at);
    hn::StoreU(v.is_hole, hn::RebindToSigned<D>(), grid.is_hole + at);
  }
}

template <bool kHasHoles>
HWY_INLINE void DrawRows(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
                         const GridSamples& samples, const GridSlide& slide, VertexGrid& grid) {
  const Whole d;
  const int whole = x.distinct - x.distinct % int(hn::Lanes(d));
  const Arrays arrays(grid);
  const Arrays target(slide.target != nullptr ? *slide.target : grid);
  for (std::size_t k = 0; k < std::size_t(z.distinct); ++k) {
    const auto row_of = [&](std::ptrdiff_t stride) { return std::ptrdiff_t(k) * stride; };
    const Row row{.here = samples.drawn + row_of(samples.stride),
                  .stride = samples.stride,
                  .z = z.emitted[k],
                  .inverse_both = z.inverse_both[k],
                  .inverse_above = z.inverse_above[k],
                  .inverse_below = z.inverse_below[k],
                  .weights = slide.weights != nullptr ? slide.weights + row_of(slide.stride) : nullptr,
                  .target = z.parent[k] * slide.target_stride,
                  .first = row_of(x.count)};
    DrawPart<kHasHoles>(d, frame, x, row, target, 0, whole, arrays);
    DrawPart<kHasHoles>(Few(), frame, x, row, target, whole, x.distinct, arrays);
  }
}

void DrawGrid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
              const GridSamples& samples, const GridSlide& slide, VertexGrid& grid) {
  if (grid.has_holes) {
    DrawRows<true>(frame, x, z, samples, slide, grid);
  } else {
    DrawRows<false>(frame, x, z, samples, slide, grid);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::mesh {
HWY_EXPORT(ConvertSteps);
HWY_EXPORT(WeighGrid);
HWY_EXPORT(DrawGrid);

void VertexGrid::reserve(std::size_t count) {
  const std::size_t room = count + 4 * HWY_MAX_BYTES / sizeof(float);
  if (x.size() < room) {
    for (std::vector<float>* values : {&x, &y, &z, &gradient_x, &gradient_z}) {
      values->resize(room);
    }
    is_hole.resize(room);
  }
}

bool convert_steps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                   std::ptrdiff_t to_stride) {
  return HWY_DYNAMIC_DISPATCH(ConvertSteps)(steps, stride, columns, rows, to, to_stride);
}

bool weigh_grid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
                const GridSamples& samples, const GridScales& scales, float* weights, std::ptrdiff_t stride) {
  return HWY_DYNAMIC_DISPATCH(WeighGrid)(frame, x, z, samples, scales, weights, stride);
}

void draw_grid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
               const GridSamples& samples, const GridSlide& slide, VertexGrid& grid) {
  grid.has_holes = samples.has_holes || (slide.weights != nullptr && slide.target->has_holes);
  HWY_DYNAMIC_DISPATCH(DrawGrid)(frame, x, z, samples, slide, grid);
}
}  // namespace arete::mesh
#endif
