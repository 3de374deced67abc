// Vertices in arrays become the interleaved words of a layout, once for each target that Highway knows. Operation by
// operation they are the kernel's own: the words are equal on every target (tests: unit/mesh, property/mesher_test).
#include "mesh/vertex_words.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/vertex_words.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "mesh/words-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Float = hn::Vec<Floats>;
using Integer = hn::Vec<Integers>;
using Word = hn::Vec<Words>;

// exact_rsqrt() of four vectors in place: a single one would wait for its own last operation all the way.
HWY_INLINE void Rsqrt4(float* HWY_RESTRICT values) {
  const Floats d;
  const Integers di;
  const int lanes = int(hn::Lanes(d));
  const auto half_of = [&](int i) HWY_ATTR { return hn::Mul(hn::Set(d, 0.5f), hn::Load(d, values + i * lanes)); };
  const auto seed_of = [&](int i) HWY_ATTR {
    const Integer bits = hn::BitCast(di, hn::Load(d, values + i * lanes));
    return hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f3759df), hn::ShiftRight<1>(bits)));
  };
  const auto refine = [&](Float half_value, Float y) HWY_ATTR {
    const Float product = hn::Mul(half_value, hn::Mul(y, y));
    return hn::Mul(y, hn::Sub(hn::Set(d, 1.5f), product));
  };
  const Float half0 = half_of(0), half1 = half_of(1), half2 = half_of(2), half3 = half_of(3);
  Float y0 = seed_of(0), y1 = seed_of(1), y2 = seed_of(2), y3 = seed_of(3);
  for (int step = 0; step < 4; ++step) {
    y0 = refine(half0, y0);
    y1 = refine(half1, y1);
    y2 = refine(half2, y2);
    y3 = refine(half3, y3);
  }
  hn::Store(y0, d, values);
  hn::Store(y1, d, values + lanes);
  hn::Store(y2, d, values + 2 * lanes);
  hn::Store(y3, d, values + 3 * lanes);
}

// The scales of surface_frame() for four vectors of vertices.
HWY_INLINE void FrameScales(const VertexGrid& vertices, int first, bool has_tangent, WordRoom& room) {
  const Floats d;
  const int lanes = int(hn::Lanes(d));
  float* const normal = room.normal_scales.data();
  float* const tangent = room.tangent_scales.data();
  for (int i = 0; i < 4 * lanes; i += lanes) {
    const Float gx = hn::LoadU(d, vertices.gradient_x.data() + first + i);
    const Float gz = hn::LoadU(d, vertices.gradient_z.data() + first + i);
    const Float tangent_sq = hn::Add(hn::Mul(gx, gx), hn::Set(d, 1.0f));
    if (has_tangent) {
      hn::Store(tangent_sq, d, tangent + i);
    }
    hn::Store(hn::Add(tangent_sq, hn::Mul(gz, gz)), d, normal + i);
  }
  Rsqrt4(normal);
  if (has_tangent) {
    Rsqrt4(tangent);
  }
}

HWY_INLINE Word HoleOr(Integer is_hole, std::uint32_t hole, Word otherwise) {
  const Words du;
  return hn::IfThenElse(hn::RebindMask(du, hn::Gt(is_hole, hn::Zero(Integers()))), hn::Set(du, hole), otherwise);
}

// Copies words past the caches, whole vectors at their own alignment: a pool of vertices is larger than the caches, and
// a line that is stored whole is not read first. A few at a time, memory takes them while others are made.
class WordStream {
 public:
  // Words that stand in front of those given to it.
  static constexpr std::ptrdiff_t kRoom = kMostLanes;

  explicit WordStream(std::uint32_t* to) : to_(to) {
    const auto in_vector = std::ptrdiff_t(reinterpret_cast<std::uintptr_t>(to) / 4);
    head_ = -in_vector & (std::ptrdiff_t(hn::Lanes(Words())) - 1);
  }

  // Ends what it was given before, but for less than a vector, which is moved in front of these words.
  void give(std::uint32_t* from, std::ptrdiff_t words) {
    copy(left_);
    std::copy_n(from_, left_, from - left_);
    from_ = from - left_;
    left_ += words;
    if (head_ > 0 && left_ >= head_) {
      copy_words(head_);
      head_ = 0;
    }
  }
  HWY_INLINE void copy(std::ptrdiff_t vectors) {
    const Words d;
    const std::ptrdiff_t lanes = std::ptrdiff_t(hn::Lanes(d));
    for (; vectors > 0 && left_ >= lanes; --vectors, from_ += lanes, to_ += lanes, left_ -= lanes) {
      hn::Stream(hn::LoadU(d, from_), d, to_);
    }
  }
  // All words are where they belong, for whoever is told of it.
  void finish() {
    copy(left_);
    copy_words(left_);
    hwy::FlushStream();
  }

 private:
  void copy_words(std::ptrdiff_t words) {
    std::copy_n(from_, words, to_);
    from_ += words;
    to_ += words;
    left_ -= words;
  }

  const std::uint32_t* from_ = nullptr;
  std::uint32_t* to_;
  std::ptrdiff_t left_ = 0;
  std::ptrdiff_t head_;  // words before the first whole vector
};

// By groups of four words.
void WriteVertices(const kernel::FrameConstants& frame, const WordTable& table, const VertexGrid& vertices, int count,
                   WordRoom& room, std::uint32_t* out) {
  const Floats d;
  const Integers di;
  const Words du;
  const int lanes = int(hn::Lanes(d));
  // Words of groups of zeros stay as they are.
  for (WordRoom::Stage& stage : room.stages) {
    std::fill_n(stage.words.data() + WordStream::kRoom, 2 * lanes * table.stride, 0u);
  }
  std::size_t stage = 0;
  const auto stage_begin = [&] { return room.stages[stage].words.data() + WordStream::kRoom; };
  std::uint32_t* at = stage_begin();
  WordStream stream(out);
  const auto keep = [&](Attribute which, Float value) HWY_ATTR {
    hn::Store(hn::BitCast(du, value), du, room.attributes[which].data());
    stream.copy(1);
  };
  keep(kZero, hn::Zero(d));
  keep(kHandedness, hn::Set(d, kernel::kTangentHandedness));
  for (int i = 0; i < count; i += lanes) {
    const int in_scales = i % (4 * lanes);
    const Float x = hn::LoadU(d, vertices.x.data() + i);
    const Float z = hn::LoadU(d, vertices.z.data() + i);
    keep(kPositionX, x);
    keep(kPositionY, hn::LoadU(d, vertices.y.data() + i));
    keep(kPositionZ, z);
    const Integer is_hole = hn::LoadU(di, vertices.is_hole.data() + i);
    if (table.has_normal || table.has_tangent) {
      // surface_frame()
      if (in_scales == 0) {
        FrameScales(vertices, i, table.has_tangent, room);
      }
      const Float gx = hn::LoadU(d, vertices.gradient_x.data() + i);
      const Float gz = hn::LoadU(d, vertices.gradient_z.data() + i);
      const Float normal_scale = hn::Load(d, room.normal_scales.data() + in_scales);
      keep(kNormalX, hn::Neg(hn::Mul(gx, normal_scale)));
      keep(kNormalY, normal_scale);
      keep(kNormalZ, hn::Neg(hn::Mul(gz, normal_scale)));
      if (table.has_tangent) {
        const Float tangent_scale = hn::Load(d, room.tangent_scales.data() + in_scales);
        keep(kTangentX, tangent_scale);
        keep(kTangentY, hn::Mul(gx, tangent_scale));
      }
    }
    if (table.has_packed_normal) {
      const Word packed =
          PackedNormal(d, hn::LoadU(d, vertices.gradient_x.data() + i), hn::LoadU(d, vertices.gradient_z.data() + i));
      hn::Store(HoleOr(is_hole, kernel::kPackedHole, packed), du, room.attributes[kPackedNormal].data());
    }
    if (table.has_texture) {
      keep(kUv0X, hn::Add(hn::Mul(x, hn::Set(d, frame.uv0_scale_x)), hn::Set(d, frame.uv0_offset_x)));
      keep(kUv0Y, hn::Add(hn::Mul(z, hn::Set(d, frame.uv0_scale_z)), hn::Set(d, frame.uv0_offset_z)));
      keep(kUv1X, hn::Mul(x, hn::Set(d, frame.uv1_scale_x)));
      keep(kUv1Y, hn::Mul(z, hn::Set(d, frame.uv1_scale_z)));
      hn::Store(HoleOr(is_hole, kernel::kColourHole, hn::Set(du, kernel::kColourSurface)), du,
                room.attributes[kColour].data());
    }
    // Downwards: the last group of a vertex may reach into the first one of the next.
    for (int group = table.groups - 1; group >= 0; --group) {
      stream.copy(2);
      const Attribute* words = table.words.data() + 4 * group;
      if (group > 0 && (words[0] | words[1] | words[2] | words[3]) == kZero) {
        continue;
      }
      const auto word = [&](int which) HWY_ATTR { return hn::Load(du, room.attributes[words[which]].data()); };
      StoreWords4(du, word(0), word(1), word(2), word(3), at + 4 * group, table.stride);
    }
    at += table.stride * std::min(lanes, count - i);
    if ((in_scales & lanes) != 0 || i + lanes >= count) {
      stream.give(stage_begin(), at - stage_begin());
      stage = 1 - stage;
      at = stage_begin();
    }
  }
  stream.finish();
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::mesh {
HWY_EXPORT(WriteVertices);

void write_vertices(const kernel::FrameConstants& frame, const WordTable& table, const VertexGrid& vertices, int count,
                    WordRoom& room, std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(WriteVertices)(frame, table, vertices, count, room, out);
}

WordTable word_table(const kernel::VertexLayout& layout) {
  WordTable table;
  table.stride = layout.stride_words;
  table.groups = (layout.stride_words + 3) / 4;
  const auto put = [&](int at, int words, Attribute first) {
    for (int word = 0; at >= 0 && word < words; ++word) {
      table.words[std::size_t(at) + std::size_t(word)] = Attribute(first + word);
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
  table.is_compact = table.stride == 4 && table.words[0] == kPositionX && table.words[3] == kPackedNormal;
  table.has_normal = layout.normal >= 0;
  table.has_tangent = layout.tangent >= 0;
  table.has_packed_normal = layout.packed_normal >= 0;
  table.has_texture = layout.uv0 >= 0 || layout.uv1 >= 0 || layout.colour >= 0;
  return table;
}
}  // namespace arete::mesh
#endif
