// The vector loops, once for each target that Highway knows.
#include "mesh/vertex_row.h"

#include <algorithm>
#include <cstring>

#include "kernel/attributes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/vertex_row.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Float = hn::Vec<Floats>;
using Integer = hn::Vec<Integers>;

HWY_INLINE Integer load_steps(const std::uint16_t* from) {
  const Integers di;
  return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint16_t, Integers>(), from));
}

// axis_gradient() where `here` is no hole; the caller clears holes.
HWY_INLINE Float gradient(Integer below, Integer here, Integer above, Float both, Float from_here, Float to_here,
                          Float step_m) {
  const Floats d;
  const Integers di;
  const auto zero = hn::Zero(di);
  const auto no_below = hn::Eq(below, zero);
  const auto no_above = hn::Eq(above, zero);
  const Integer low = hn::IfThenElse(no_below, here, below);
  const Integer high = hn::IfThenElse(no_above, here, above);
  Float inverse = hn::IfThenElse(hn::RebindMask(d, no_below), from_here, both);
  inverse = hn::IfThenElse(hn::RebindMask(d, no_above), to_here, inverse);
  const Float rise = hn::Mul(hn::ConvertTo(d, hn::Sub(high, low)), step_m);
  return hn::Mul(rise, inverse);
}

bool RestRow(const kernel::FrameConstants& frame, const LatticeAxis& axis, const RowSamples& samples, VertexRow& row) {
  const Floats d;
  const Integers di;
  const int lanes = int(hn::Lanes(d));
  const auto step_m = hn::Set(d, frame.step_m);
  const auto base_m = hn::Set(d, frame.base_m);
  const auto camera_y = hn::Set(d, frame.camera_y);
  const auto hole_steps = hn::Set(di, std::int32_t(frame.hole_steps));
  const auto start = hn::Set(d, frame.morph_start_sq);
  const auto slope = hn::Set(d, frame.morph_scale);
  const auto zero = hn::Zero(di);
  const auto z_both = hn::Set(d, samples.inverse_both);
  const auto z_above = hn::Set(d, samples.inverse_above);
  const auto z_below = hn::Set(d, samples.inverse_below);
  const auto zz = hn::Set(d, samples.offset_sq);
  const auto row_z = hn::Set(d, samples.z);
  auto greatest = hn::Zero(d);
  for (int i = 0; i < axis.distinct; i += lanes) {
    const Integer here = load_steps(samples.here + 1 + i);
    const auto is_hole = hn::Eq(here, zero);
    const auto f_hole = hn::RebindMask(d, is_hole);
    const Float gx = gradient(load_steps(samples.here + i), here, load_steps(samples.here + 2 + i),
                              hn::Load(d, axis.inverse_both.data() + i), hn::Load(d, axis.inverse_above.data() + i),
                              hn::Load(d, axis.inverse_below.data() + i), step_m);
    const Float gz = gradient(load_steps(samples.north + 1 + i), here, load_steps(samples.south + 1 + i), z_both,
                              z_above, z_below, step_m);
    const auto metres = [&](Integer steps)
                            HWY_ATTR { return hn::Add(base_m, hn::Mul(hn::ConvertTo(d, steps), step_m)); };
    hn::Store(hn::Load(d, axis.emitted.data() + i), d, row.x.data() + i);
    hn::Store(metres(hn::IfThenElse(is_hole, hole_steps, here)), d, row.y.data() + i);
    hn::Store(row_z, d, row.z.data() + i);
    hn::Store(hn::IfThenZeroElse(f_hole, gx), d, row.gradient_x.data() + i);
    hn::Store(hn::IfThenZeroElse(f_hole, gz), d, row.gradient_z.data() + i);
    hn::Store(hn::IfThenElseZero(is_hole, hn::Set(di, 1)), di, row.is_hole.data() + i);
    if (samples.scale != nullptr) {
      const Integer anchor = load_steps(samples.anchor + 1 + i);
      const Float y = hn::Sub(metres(hn::IfThenElse(hn::Eq(anchor, zero), hole_steps, anchor)), camera_y);
      const Float plan = hn::Add(hn::Load(d, axis.offset_sq.data() + i), zz);
      const Float distance_sq = hn::Add(plan, hn::Mul(y, y));
      const Float scaled = hn::Mul(distance_sq, hn::LoadU(d, samples.scale + i));
      const Float weight = hn::Mul(hn::Sub(scaled, start), slope);
      hn::Store(weight, d, row.weight.data() + i);
      greatest = hn::Max(greatest, hn::IfThenElseZero(hn::FirstN(d, std::size_t(axis.distinct - i)), weight));
    }
  }
  return samples.scale != nullptr && !hn::AllFalse(d, hn::Gt(greatest, hn::Zero(d)));
}

void MorphRow(const LatticeAxis& axis, const VertexRow& target, VertexRow& row) {
  const Floats d;
  const Integers di;
  const int lanes = int(hn::Lanes(d));
  const auto one = hn::Set(d, 1.0f);
  const auto zero = hn::Zero(d);
  for (int i = 0; i < axis.distinct; i += lanes) {
    const Float weight = hn::Load(d, row.weight.data() + i);
    const auto moves = hn::Gt(weight, zero);
    if (hn::AllFalse(d, moves)) {
      continue;
    }
    const auto arrives = hn::Ge(weight, one);
    // The targets of neighbouring places lie within one vector from the first one's on.
    const std::int32_t first = axis.parent[std::size_t(i)];
    const auto spread = hn::IndicesFromVec(d, hn::Sub(hn::Load(di, axis.parent.data() + i), hn::Set(di, first)));
    const Integer fine_hole = hn::Load(di, row.is_hole.data() + i);
    const Integer coarse_hole =
        hn::BitCast(di, hn::TableLookupLanes(hn::BitCast(d, hn::LoadU(di, target.is_hole.data() + first)), spread));
    const auto blends = hn::RebindMask(d, hn::Eq(hn::Or(fine_hole, coarse_hole), hn::Zero(di)));
    const auto slide = [&](const float* targets, float* own) HWY_ATTR {
      const Float fine = hn::Load(d, own + i);
      const Float coarse = hn::TableLookupLanes(hn::LoadU(d, targets + first), spread);
      const Float between = hn::Add(fine, hn::Mul(hn::Sub(coarse, fine), weight));
      hn::Store(hn::IfThenElse(arrives, coarse, hn::IfThenElse(hn::And(moves, blends), between, fine)), d, own + i);
    };
    slide(target.x.data(), row.x.data());
    slide(target.y.data(), row.y.data());
    slide(target.z.data(), row.z.data());
    slide(target.gradient_x.data(), row.gradient_x.data());
    slide(target.gradient_z.data(), row.gradient_z.data());
    hn::Store(hn::IfThenElse(hn::RebindMask(di, arrives), coarse_hole, fine_hole), di, row.is_hole.data() + i);
  }
}

// exact_rsqrt()
HWY_INLINE Float rsqrt(Float value) {
  const Floats d;
  const Integers di;
  const Float half_value = hn::Mul(hn::Set(d, 0.5f), value);
  const Integer seed = hn::Sub(hn::Set(di, 0x5f3759df), hn::ShiftRight<1>(hn::BitCast(di, value)));
  Float y = hn::BitCast(d, seed);
  for (int step = 0; step < 4; ++step) {
    const Float product = hn::Mul(half_value, hn::Mul(y, y));
    y = hn::Mul(y, hn::Sub(hn::Set(d, 1.5f), product));
  }
  return y;
}

// snorm16()
HWY_INLINE Integer snorm(Float value) {
  const Floats d;
  const Integers di;
  const Float scaled = hn::Mul(value, hn::Set(d, 32767.0f));
  const Float away = hn::IfThenElse(hn::Lt(scaled, hn::Zero(d)), hn::Set(d, -0.5f), hn::Set(d, 0.5f));
  return hn::And(hn::ConvertTo(di, hn::Add(scaled, away)), hn::Set(di, 0xffff));
}

void WriteRow(const kernel::FrameConstants& frame, const WordTable& table, const VertexRow& row, int count, bool is_end,
              std::uint32_t* out) {
  const Floats d;
  const Integers di;
  const hn::RebindToUnsigned<Floats> du;
  constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(float);
  const int lanes = int(hn::Lanes(d));
  HWY_ALIGN std::uint32_t attributes[kAttributes][kLanes];
  HWY_ALIGN std::uint32_t interleaved[8][4 * kLanes];
  const auto keep = [&](Attribute which, Float value)
                        HWY_ATTR { hn::Store(hn::BitCast(du, value), du, attributes[which]); };
  keep(kZero, hn::Zero(d));
  keep(kHandedness, hn::Set(d, kernel::kTangentHandedness));
  std::array<bool, 8> is_zero{};
  for (int group = 0; group < table.groups; ++group) {
    const auto first = table.words.begin() + 4 * group;
    is_zero[std::size_t(group)] = std::all_of(first, first + 4, [](Attribute word) { return word == kZero; });
    if (is_zero[std::size_t(group)]) {
      std::memset(interleaved[group], 0, sizeof(interleaved[group]));
    }
  }
  for (int i = 0; i < count; i += lanes) {
    const Float x = hn::Load(d, row.x.data() + i);
    const Float z = hn::Load(d, row.z.data() + i);
    keep(kPositionX, x);
    keep(kPositionY, hn::Load(d, row.y.data() + i));
    keep(kPositionZ, z);
    const auto is_hole = hn::RebindMask(di, hn::Gt(hn::Load(di, row.is_hole.data() + i), hn::Zero(di)));
    if (table.has_normal || table.has_tangent) {
      // surface_frame()
      const Float gx = hn::Load(d, row.gradient_x.data() + i);
      const Float gz = hn::Load(d, row.gradient_z.data() + i);
      const Float tangent_sq = hn::Add(hn::Mul(gx, gx), hn::Set(d, 1.0f));
      if (table.has_tangent) {
        const Float tangent_scale = rsqrt(tangent_sq);
        keep(kTangentX, tangent_scale);
        keep(kTangentY, hn::Mul(gx, tangent_scale));
      }
      const Float normal_scale = rsqrt(hn::Add(tangent_sq, hn::Mul(gz, gz)));
      const Float normal_x = hn::Neg(hn::Mul(gx, normal_scale));
      const Float normal_z = hn::Neg(hn::Mul(gz, normal_scale));
      keep(kNormalX, normal_x);
      keep(kNormalY, normal_scale);
      keep(kNormalZ, normal_z);
      if (table.has_packed_normal) {
        const Integer packed = hn::Or(snorm(normal_x), hn::ShiftLeft<16>(snorm(normal_z)));
        const auto hole_word = hn::Set(di, std::int32_t(kernel::kPackedHole));
        hn::Store(hn::BitCast(du, hn::IfThenElse(is_hole, hole_word, packed)), du, attributes[kPackedNormal]);
      }
    }
    if (table.has_texture) {
      keep(kUv0X, hn::Add(hn::Mul(x, hn::Set(d, frame.uv0_scale_x)), hn::Set(d, frame.uv0_offset_x)));
      keep(kUv0Y, hn::Add(hn::Mul(z, hn::Set(d, frame.uv0_scale_z)), hn::Set(d, frame.uv0_offset_z)));
      keep(kUv1X, hn::Mul(x, hn::Set(d, frame.uv1_scale_x)));
      keep(kUv1Y, hn::Mul(z, hn::Set(d, frame.uv1_scale_z)));
      const auto colour = hn::IfThenElse(is_hole, hn::Set(di, std::int32_t(kernel::kColourHole)),
                                         hn::Set(di, std::int32_t(kernel::kColourSurface)));
      hn::Store(hn::BitCast(du, colour), du, attributes[kColour]);
    }
    if (table.stride == 4 && i + lanes <= count) {
      // One group: the vertices are the interleaved words as they stand.
      const Attribute* words = table.words.data();
      hn::StoreInterleaved4(hn::Load(du, attributes[words[0]]), hn::Load(du, attributes[words[1]]),
                            hn::Load(du, attributes[words[2]]), hn::Load(du, attributes[words[3]]), du, out);
      out += 4 * lanes;
      continue;
    }
    for (int group = 0; group < table.groups; ++group) {
      if (!is_zero[std::size_t(group)]) {
        const Attribute* words = table.words.data() + 4 * group;
        hn::StoreInterleaved4(hn::Load(du, attributes[words[0]]), hn::Load(du, attributes[words[1]]),
                              hn::Load(du, attributes[words[2]]), hn::Load(du, attributes[words[3]]), du,
                              interleaved[group]);
      }
    }
    const int vertices = std::min(lanes, count - i);
    const bool has_end = is_end && i + lanes >= count;
    for (int v = 0; v < vertices - (has_end ? 1 : 0); ++v, out += table.stride) {
      for (int group = 0; group < table.groups; ++group) {
        std::memcpy(out + 4 * group, interleaved[group] + 4 * v, 16);
      }
    }
    if (has_end) {
      for (int word = 0; word < table.stride; ++word) {
        out[word] = attributes[table.words[std::size_t(word)]][vertices - 1];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::mesh {
HWY_EXPORT(RestRow);
HWY_EXPORT(MorphRow);
HWY_EXPORT(WriteRow);

bool rest_row(const kernel::FrameConstants& frame, const LatticeAxis& axis, const RowSamples& samples, VertexRow& row) {
  return HWY_DYNAMIC_DISPATCH(RestRow)(frame, axis, samples, row);
}

void morph_row(const LatticeAxis& axis, const VertexRow& target, VertexRow& row) {
  HWY_DYNAMIC_DISPATCH(MorphRow)(axis, target, row);
}

void write_row(const kernel::FrameConstants& frame, const WordTable& table, const VertexRow& row, int count,
               bool is_end, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(WriteRow)(frame, table, row, count, is_end, out);
}

WordTable word_table(const kernel::VertexLayout& layout) {
  WordTable table;
  table.stride = layout.stride_words;
  table.groups = (layout.stride_words + 3) / 4;
  const auto put = [&](int at, int words, Attribute first) {
    for (int word = 0; at >= 0 && word < words; ++word) {
      table.words[std::size_t(at + word)] = Attribute(first + word);
    }
  };
  put(layout.packed_normal, 1, kPackedNormal);
  put(layout.colour, 1, kColour);
  put(layout.uv1, 2, kUv1X);
  put(layout.uv0, 2, kUv0X);
  put(layout.tangent, 2, kTangentX);
  if (layout.tangent >= 0) {
    table.words[std::size_t(layout.tangent) + 2] = kZero;
    table.words[std::size_t(layout.tangent) + 3] = kHandedness;
  }
  put(layout.normal, 3, kNormalX);
  put(layout.position, 3, kPositionX);
  table.has_normal = layout.normal >= 0 || layout.packed_normal >= 0;
  table.has_tangent = layout.tangent >= 0;
  table.has_packed_normal = layout.packed_normal >= 0;
  table.has_texture = layout.uv0 >= 0 || layout.uv1 >= 0 || layout.colour >= 0;
  return table;
}
}  // namespace arete::mesh
#endif
