// The vector loops over a lattice, once for each target that Highway knows: strips of as many columns as a vector has
// lanes. A lattice has 4 m + 1 columns: the last one is turned, its places lying along vectors.
#include "mesh/vertex_grid.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/vertex_grid.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

#include "mesh/strip-inl.h"
#include "mesh/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {

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
  static constexpr std::ptrdiff_t kWordsAhead = 3072;  // 12 KB, most of a node of 32 quads

  HWY_INLINE void put(const Vertices& v, std::size_t row, int first, int valid) const {
    std::uint32_t* const to = words + 4 * (std::ptrdiff_t(row) * stride + first);
    // A pool that the caches have lost is read before it is written. To the second cache: the first one has a few
    // requests under way at most.
    for (std::ptrdiff_t line = 0; line < 4; ++line) {
      __builtin_prefetch(to + kWordsAhead + 16 * line, 1, 2);
    }
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
  constexpr int kLead = 16;
  using Places = std::array<float, kLead + kRowRoom>;
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
                      .stride = std::ptrdiff_t(drawn[0].size()),
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
  const std::size_t room = count + 4 * kMostLanes;
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
