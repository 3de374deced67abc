// The vector loops over a lattice, once for each target that Highway knows: strips of as many columns as a vector has
// lanes, each from its first row to its last, so that what belongs to columns stays in registers and each sample is
// loaded once for three rows. A lattice has 4 m + 1 columns: the last one is turned, its places lying along vectors.
#include "mesh/vertex_grid.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/vertex_grid.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

#include "mesh/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Float = hn::Vec<Floats>;
static_assert(hn::MaxLanes(Floats()) <= kVectorRoom);
using Integer = hn::Vec<Integers>;

StepRange ConvertSteps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                       std::ptrdiff_t to_stride) {
  const Floats d;
  const Integers di;
  const hn::Rebind<std::uint16_t, Floats> d16;
  const int lanes = int(hn::Lanes(d));
  auto least = hn::Set(di, 65535);
  auto greatest = hn::Zero(di);
  StepRange range;
  for (int k = 0; k < rows; ++k, steps += stride, to += to_stride) {
    const auto convert = [&](int i) HWY_ATTR {
      const auto values = hn::PromoteTo(di, hn::LoadU(d16, steps + i));
      least = hn::Min(least, values);
      greatest = hn::Max(greatest, values);
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
      range.least = std::min<int>(range.least, steps[i]);
      range.greatest = std::max<int>(range.greatest, steps[i]);
    }
  }
  range.least = std::min(range.least, int(hn::GetLane(hn::MinOfLanes(di, least))));
  range.greatest = std::max(range.greatest, int(hn::GetLane(hn::MaxOfLanes(di, greatest))));
  return range;
}

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
        sink.put(coarse, k, first_, valid_);
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
          sink.put(v, k, first_, valid_);
        } else {
          sink.put(v, k, first_, valid_);
        }
      }
      north = here;
      here = south;
    }
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

// Vertices go to arrays. Lanes that are no places land on the next rows' first ones, which come later.
struct ArraySink {
  HWY_INLINE void put(const Vertices& v, std::size_t row, int first, int /*valid*/) const {
    const Floats d;
    const std::ptrdiff_t at = std::ptrdiff_t(row) * stride + first;
    hn::StoreU(v.x, d, to.x + at);
    hn::StoreU(v.y, d, to.y + at);
    hn::StoreU(v.z, d, to.z + at);
    hn::StoreU(v.gradient_x, d, to.gradient_x + at);
    hn::StoreU(v.gradient_z, d, to.gradient_z + at);
    hn::StoreU(v.is_hole, Integers(), to.is_hole + at);
  }

  // Vertices of rows from `row` on.
  HWY_INLINE void put_column(const Vertices& v, std::size_t column, int row, int valid) const {
    const Floats d;
    HWY_ALIGN float lanes[hn::MaxLanes(Floats())];
    HWY_ALIGN std::int32_t holes[hn::MaxLanes(Integers())];
    const auto scatter = [&](Float values, float* array) HWY_ATTR {
      hn::Store(values, d, lanes);
      for (int k = 0; k < valid; ++k) {
        array[(row + k) * stride + std::ptrdiff_t(column)] = lanes[k];
      }
    };
    scatter(v.x, to.x);
    scatter(v.y, to.y);
    scatter(v.z, to.z);
    scatter(v.gradient_x, to.gradient_x);
    scatter(v.gradient_z, to.gradient_z);
    hn::Store(v.is_hole, Integers(), holes);
    for (int k = 0; k < valid; ++k) {
      to.is_hole[(row + k) * stride + std::ptrdiff_t(column)] = holes[k];
    }
  }

  VertexArrays to;
  std::ptrdiff_t stride;
};

// Position and packed normal: interleaved, they are the vertices as they stand.
template <bool kPlain>
struct CompactSink {
  HWY_INLINE void put(const Vertices& v, std::size_t row, int first, int valid) const {
    std::uint32_t* const to = words + 4 * (std::ptrdiff_t(row) * stride + first);
    if (HWY_LIKELY(valid == int(hn::Lanes(Floats())))) {
      write(v, to);
    } else {
      HWY_ALIGN std::uint32_t vertices[4 * hn::MaxLanes(Words())];
      write(v, vertices);
      std::memcpy(to, vertices, 16 * std::size_t(valid));
    }
  }

  HWY_INLINE void put_column(const Vertices& v, std::size_t column, int row, int valid) const {
    HWY_ALIGN std::uint32_t vertices[4 * hn::MaxLanes(Words())];
    write(v, vertices);
    std::uint32_t* to = words + 4 * (row * stride + std::ptrdiff_t(column));
    for (int k = 0; k < valid; ++k, to += 4 * stride) {
      std::memcpy(to, vertices + 4 * k, 16);
    }
  }

  HWY_INLINE void write(const Vertices& v, std::uint32_t* to) const {
    const Words du;
    auto normal = PackedNormal(Floats(), v.gradient_x, v.gradient_z);
    if constexpr (!kPlain) {
      const auto is_hole = hn::RebindMask(du, hn::Gt(v.is_hole, hn::Zero(Integers())));
      normal = hn::IfThenElse(is_hole, hn::Set(du, kernel::kPackedHole), normal);
    }
    StoreWords4(du, hn::BitCast(du, v.x), hn::BitCast(du, v.y), hn::BitCast(du, v.z), normal, to);
  }

  std::uint32_t* words;
  std::ptrdiff_t stride;
};

// A turned lattice's vertices, turned back.
template <class Sink>
struct TurnedSink {
  HWY_INLINE void put(const Vertices& v, std::size_t row, int first, int valid) const {
    sink.put_column({v.z, v.y, v.x, v.gradient_z, v.gradient_x, v.is_hole}, row, first, valid);
  }
  const Sink& sink;
};

// Turns one column: a lattice of one row, X and Z exchanged. Sums of squares commute, so its weights keep their bits.
template <bool kPlain, class Sink>
HWY_INLINE void DrawColumn(const GridDraw& lattice, int column, const Sink& sink) {
  using Places = std::array<float, kRowRoom>;
  constexpr int kLead = 16;
  const GridSamples& from = lattice.samples;
  const int places = lattice.z.distinct;
  const int lanes = int(hn::Lanes(Floats()));
  alignas(64) std::array<Places, 3> drawn;
  alignas(64) Places anchor;
  const float* at = from.drawn + column - from.stride;
  for (std::size_t k = kLead - 1; k <= std::size_t(kLead + places); ++k, at += from.stride) {
    drawn[0][k] = at[-1];
    drawn[1][k] = at[0];
    drawn[2][k] = at[1];
  }
  // Lanes that are no places.
  hn::StoreU(hn::Zero(Floats()), Floats(), drawn[1].data() + kLead + places + 1);
  GridSamples samples{.anchor = drawn[1].data() + kLead,
                      .drawn = drawn[1].data() + kLead,
                      .stride = std::ptrdiff_t(kRowRoom),
                      .has_holes = from.has_holes};
  if constexpr (!kPlain) {
    for (int k = 0; k < places; ++k) {
      anchor[std::size_t(k)] = from.anchor[k * from.stride + column];
    }
    hn::StoreU(hn::Zero(Floats()), Floats(), anchor.data() + places);
    samples.anchor = anchor.data();
  }
  GridSlide slide;
  slide.rows[std::size_t(column)] = lattice.slide.has_target;
  alignas(64) Places scales;
  alignas(64) Places x, y, z, gradient_x, gradient_z;
  alignas(64) std::array<std::int32_t, kRowRoom> is_hole;
  if (lattice.slide.has_target) {
    const GridSlide& across = lattice.slide;
    for (std::size_t k = 0; k < std::size_t(places); ++k) {
      scales[k] = across.scales[k][column];
    }
    hn::StoreU(hn::Zero(Floats()), Floats(), scales.data() + places);
    std::ptrdiff_t target = lattice.x.parent[std::size_t(column)];
    const int targets = lattice.z.parent[std::size_t(places) - 1] + 1;
    for (std::size_t k = 0; k < std::size_t(targets); ++k, target += across.target_stride) {
      x[k] = across.target.x[target];
      y[k] = across.target.y[target];
      z[k] = across.target.z[target];
      gradient_x[k] = across.target.gradient_x[target];
      gradient_z[k] = across.target.gradient_z[target];
      is_hole[k] = across.target.is_hole[target];
    }
    slide.scales[std::size_t(column)] = scales.data();
    slide.morph_scale = across.morph_scale;
    slide.has_target = true;
    slide.target = {z.data(), y.data(), x.data(), gradient_z.data(), gradient_x.data(), is_hole.data()};
  }
  const GridDraw turned{lattice.frame, lattice.z, lattice.x, samples, slide};
  for (int first = 0; first < places; first += lanes) {
    Strip<kPlain>(turned, first, std::min(lanes, places - first))
        .draw(std::size_t(column), std::size_t(column) + 1, TurnedSink<Sink>{sink});
  }
}

template <bool kPlain, class Sink>
HWY_INLINE void DrawStrips(const GridDraw& lattice, const Sink& sink) {
  const int lanes = int(hn::Lanes(Floats()));
  const int rest = lattice.x.distinct % lanes;
  const int whole = lattice.x.distinct - rest;
  // From the last one to the first: lanes that are no places are overwritten.
  for (int first = rest > 1 ? whole : whole - lanes; first >= 0; first -= lanes) {
    Strip<kPlain>(lattice, first, std::min(lanes, lattice.x.distinct - first))
        .draw(0, std::size_t(lattice.z.distinct), sink);
  }
  if (rest == 1) {
    DrawColumn<kPlain>(lattice, whole, sink);
  }
}

bool IsPlain(const GridDraw& lattice) {
  return !lattice.has_holes() && lattice.samples.anchor == lattice.samples.drawn;
}

void DrawGrid(const GridDraw& lattice, VertexGrid& grid) {
  const ArraySink sink{grid.arrays(), lattice.x.count};
  if (IsPlain(lattice)) {
    DrawStrips<true>(lattice, sink);
  } else {
    DrawStrips<false>(lattice, sink);
  }
}

void DrawCompact(const GridDraw& lattice, std::uint32_t* words) {
  if (IsPlain(lattice)) {
    DrawStrips<true>(lattice, CompactSink<true>{words, lattice.x.count});
  } else {
    DrawStrips<false>(lattice, CompactSink<false>{words, lattice.x.count});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::mesh {
HWY_EXPORT(ConvertSteps);
HWY_EXPORT(DrawGrid);
HWY_EXPORT(DrawCompact);

void VertexGrid::reserve(std::size_t count) {
  const std::size_t room = count + 4 * kVectorRoom;
  if (x.size() < room) {
    for (std::vector<float>* values : {&x, &y, &z, &gradient_x, &gradient_z}) {
      values->resize(room);
    }
    is_hole.resize(room);
  }
}

StepRange convert_steps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                        std::ptrdiff_t to_stride) {
  return HWY_DYNAMIC_DISPATCH(ConvertSteps)(steps, stride, columns, rows, to, to_stride);
}

void draw_grid(const GridDraw& lattice, VertexGrid& grid) {
  grid.has_holes = lattice.has_holes();
  HWY_DYNAMIC_DISPATCH(DrawGrid)(lattice, grid);
}

void draw_compact(const GridDraw& lattice, std::uint32_t* words) { HWY_DYNAMIC_DISPATCH(DrawCompact)(lattice, words); }
}  // namespace arete::mesh
#endif
