// The vertices of a strip of columns, row after row in registers, for whatever takes them. Included once for each
// target that Highway knows.
//
// What belongs to columns stays in registers from the first row to the last, and each sample is loaded once for three
// rows. Operations stand in the order of the kernel's: rest_vertex(), sample_weight(), blend_vertices().
#if defined(ARETE_MESH_STRIP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_MESH_STRIP_INL_H
#undef ARETE_MESH_STRIP_INL_H
#else
#define ARETE_MESH_STRIP_INL_H
#endif

#include <hwy/highway.h>

#include "mesh/vertex_grid.h"

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Float = hn::Vec<Floats>;
static_assert(hn::MaxLanes(Floats()) <= kMostLanes);
using Integer = hn::Vec<Integers>;

// Vertices in registers.
struct Vertices {
  Float x, y, z, gradient_x, gradient_z;
  Integer is_hole;
};

// The gradients of a step of rise, as LatticeAxis has them.
struct Slopes {
  Float both, above, below;
};

// A strip of as many columns as a vector has lanes, from `first` on, of which `valid` are places. kPlain: no sample and
// no target is a hole and the anchors are drawn.
template <bool kPlain>
class Strip {
 public:
  HWY_INLINE Strip(const GridDraw& of, int first, int valid)
      : of_(of),
        base_m_(hn::Set(Floats(), of.frame.base_m)),
        step_m_(hn::Set(Floats(), of.frame.step_m)),
        hole_steps_(hn::Set(Floats(), float(of.frame.hole_steps))),
        x_(hn::LoadU(Floats(), of.x.emitted.data() + first)),
        slope_x_{hn::LoadU(Floats(), of.x.slope_both.data() + first),
                 hn::LoadU(Floats(), of.x.slope_above.data() + first),
                 hn::LoadU(Floats(), of.x.slope_below.data() + first)},
        first_(first),
        valid_(valid) {}

  // Gives rows [row, end) to the sink; the lattice's samples begin at `row`.
  template <class Sink>
  HWY_INLINE void draw(std::size_t row, std::size_t end, const Sink& sink) const {
    const Floats d;
    const kernel::FrameConstants& frame = of_.frame;
    const GridSlide& slide = of_.slide;
    const LatticeAxis& z = of_.z;
    const std::ptrdiff_t stride = of_.samples.stride;
    const bool has_edge = slide.has_target && (of_.x.least_weight[std::size_t(first_)] > 0 ||
                                               of_.x.least_weight[std::size_t(first_ + valid_ - 1)] > 0);
    const float* at = of_.samples.drawn + first_;
    const float* anchor = of_.samples.anchor + first_;
    const Float camera_y = hn::Set(d, frame.camera_y);
    const Float morph_start_sq = hn::Set(d, frame.morph_start_sq);
    const Float morph_scale = hn::Set(d, slide.morph_scale);
    const Float plan_x = hn::LoadU(d, of_.x.offset_sq.data() + first_);
    const Float least_x = hn::LoadU(d, of_.x.least_weight.data() + first_);
    Float north = hn::LoadU(d, at - stride);
    Float here = hn::LoadU(d, at);
    Vertices coarse{};
    Vertices before{};  // the row before's: its words are made while this row waits for its own last operations
    std::int32_t coarse_row = -1;
    for (std::size_t k = row; k < end; ++k, at += stride, anchor += stride) {
      const Float south = hn::LoadU(d, at + stride);
      Vertices v;
      v.x = x_;
      v.y = metres(here);
      v.z = hn::Set(d, z.emitted[k]);
      v.is_hole = hn::Zero(Integers());
      bool has_arrived = false, slides = false;
      Float weight = hn::Zero(d);
      if (slide.rows[k] || has_edge) {
        // sample_weight()
        const Float y = hn::Sub(kPlain ? v.y : metres(hn::LoadU(d, anchor)), camera_y);
        const Float plan = hn::Add(plan_x, hn::Set(d, z.offset_sq[k]));
        const Float scaled = hn::Mul(hn::Add(plan, hn::Mul(y, y)), hn::LoadU(d, slide.scales[k] + first_));
        weight = hn::Mul(hn::Sub(scaled, morph_start_sq), morph_scale);
        // What does not move slides by 0: no component is -0, so it keeps its bits.
        weight = hn::Max(weight, hn::Max(least_x, hn::Set(d, z.least_weight[k])));
        slides = !hn::AllFalse(d, hn::Gt(weight, hn::Zero(d)));
        has_arrived = hn::AllTrue(d, hn::Ge(weight, hn::Set(d, 1.0f)));
        if (slides && z.parent[k] != coarse_row) {
          coarse_row = z.parent[k];
          coarse = targets(coarse_row);
        }
      }
      if (has_arrived) {
        v = coarse;
      } else {
        v.gradient_x = gradient(hn::LoadU(d, at - 1), here, hn::LoadU(d, at + 1), slope_x_);
        v.gradient_z =
            gradient(north, here, south,
                     {hn::Set(d, z.slope_both[k]), hn::Set(d, z.slope_above[k]), hn::Set(d, z.slope_below[k])});
        if constexpr (!kPlain) {
          const auto is_hole = hn::Eq(here, hn::Zero(d));
          v.gradient_x = hn::IfThenZeroElse(is_hole, v.gradient_x);
          v.gradient_z = hn::IfThenZeroElse(is_hole, v.gradient_z);
          v.is_hole = hn::IfThenElseZero(hn::RebindMask(Integers(), is_hole), hn::Set(Integers(), 1));
        }
        if (slides) {
          blend(coarse, weight, v);
        }
      }
      if (k > row) {
        sink.put(before, k - 1, first_, valid_);
      }
      before = v;
      north = here;
      here = south;
    }
    sink.put(before, end - 1, first_, valid_);
  }

 private:
  HWY_INLINE Float metres(Float steps) const {
    if constexpr (!kPlain) {
      steps = hn::IfThenElse(hn::Eq(steps, hn::Zero(Floats())), hole_steps_, steps);
    }
    return hn::Add(base_m_, hn::Mul(steps, step_m_));
  }

  // axis_gradient() where `here` is no hole; the caller clears holes. Steps and their differences are whole numbers
  // below 2^24.
  static HWY_INLINE Float gradient(Float below, Float here, Float above, const Slopes& slope) {
    Float run = slope.both;
    if constexpr (!kPlain) {
      const auto no_below = hn::Eq(below, hn::Zero(Floats()));
      const auto no_above = hn::Eq(above, hn::Zero(Floats()));
      below = hn::IfThenElse(no_below, here, below);
      above = hn::IfThenElse(no_above, here, above);
      run = hn::IfThenElse(no_above, slope.below, hn::IfThenElse(no_below, slope.above, run));
    }
    return hn::Mul(hn::Sub(above, below), run);
  }

  // The vertices in a row of targets: those of neighbouring places lie within one vector from the first one's on.
  HWY_INLINE Vertices targets(std::int32_t row) const {
    const Floats d;
    const Integers di;
    const VertexArrays& target = of_.slide.target;
    const std::int32_t* parents = of_.x.parent.data() + first_;
    const std::ptrdiff_t from = row * of_.slide.target_stride + *parents;
    const auto spread = hn::IndicesFromVec(d, hn::Sub(hn::LoadU(di, parents), hn::Set(di, *parents)));
    const auto of = [&](const float* values)
                        HWY_ATTR { return hn::TableLookupLanes(hn::LoadU(d, values + from), spread); };
    Vertices v{of(target.x), of(target.y), of(target.z), of(target.gradient_x), of(target.gradient_z), hn::Zero(di)};
    if constexpr (!kPlain) {
      v.is_hole = hn::BitCast(di, hn::TableLookupLanes(hn::BitCast(d, hn::LoadU(di, target.is_hole + from)), spread));
    }
    return v;
  }

  // blend_vertices(), or the coarse vertex where it arrives.
  static HWY_INLINE void blend(const Vertices& coarse, Float weight, Vertices& v) {
    const Floats d;
    const Integers di;
    const auto arrives = hn::Ge(weight, hn::Set(d, 1.0f));
    auto rests = hn::FirstN(d, 0);
    if constexpr (!kPlain) {
      rests = hn::RebindMask(d, hn::Gt(hn::Or(v.is_hole, coarse.is_hole), hn::Zero(di)));
      v.is_hole = hn::IfThenElse(hn::RebindMask(di, arrives), coarse.is_hole, v.is_hole);
    }
    const auto slide = [&](Float to, Float& fine) HWY_ATTR {
      Float between = hn::Add(fine, hn::Mul(hn::Sub(to, fine), weight));
      if constexpr (!kPlain) {
        between = hn::IfThenElse(rests, fine, between);
      }
      fine = hn::IfThenElse(arrives, to, between);
    };
    slide(coarse.x, v.x);
    slide(coarse.y, v.y);
    slide(coarse.z, v.z);
    slide(coarse.gradient_x, v.gradient_x);
    slide(coarse.gradient_z, v.gradient_z);
  }

  const GridDraw& of_;
  const Float base_m_, step_m_, hole_steps_;
  const Float x_;
  const Slopes slope_x_;
  const int first_;
  const int valid_;
};

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#endif
