// Walks taken on to the next cell in which they may meet ground, many at a time and cheaply: in f32.
//
// f32 puts a ray a little beside itself, so nothing is decided here but that there is no ground yet. Blocks and cells
// are passed over only where the ray stays over their greatest sample by SkipField::room, and no ground beside them
// stands higher than that over it: none is steeper than RayBounds::steepest.
#pragma once

#include "walks.h"

namespace arete::collider {

// Fields that f32 is for have fewer cells an axis, and no more samples.
inline constexpr std::int32_t kSkipCells = std::int32_t(1) << 20;
inline constexpr std::int64_t kSkipSamples = std::int64_t(1) << 30;

// A ray that comes so close to its end, in cells, is there.
inline constexpr float kNearEnd = 0x1p-8f;

struct SkipField {
  alignas(64) std::int32_t offset[32];  // of level l, in words from `blocks`
  const std::uint32_t* blocks;
  const std::uint16_t* samples;
  std::int32_t stride;  // samples a row
  std::int32_t last_x, last_z;
  std::int32_t turned;  // 2^k - 1, no less than the last cells
  // Just before the end of what is counted along each axis, as the field has it and turned over: rays along the far
  // edge must stand before it.
  float far_x[2], far_z[2];
  int top_level;
  float room;
};
SkipField make_skip_field(const Field& field, const HeightfieldView& view, const RayBounds& bounds);

// Rays in f32, number by number: place(s) = p + d s from where each stood, in cells and steps, the height lowered by
// the field's room. An axis along which a ray falls is turned over, so that all rise: its cells are those of the field
// with their bits up to SkipField::turned inverted, which keeps blocks together. Bits of `ray` tell which.
struct SkipRow {
  static constexpr std::size_t kRays = 1008;
  static constexpr std::size_t kPlaces = kRays + 48;  // room for vectors
  alignas(64) float px[kPlaces], pz[kPlaces], py[kPlaces], dx[kPlaces], dz[kPlaces], dy[kPlaces], ix[kPlaces],
      iz[kPlaces], s[kPlaces], s_end[kPlaces];
  alignas(64) std::int32_t x[kPlaces], z[kPlaces], level[kPlaces], ray[kPlaces];
  std::size_t count = 0;
};
// The rays under way, at most SkipRow::kRays.
struct SkipRows {
  SkipRow over_blocks, over_cells;
  std::size_t count() const { return over_blocks.count + over_cells.count; }
};

// Rays that stand where they were and t = s later, in a cell whose ground they may meet; above it when s > 0.
struct StoppedRays {
  alignas(64) std::int32_t ray[SkipRow::kPlaces];
  alignas(64) float s[SkipRow::kPlaces];
  std::size_t count = 0;
};

// Takes all rays in the rows a few steps on. Rays that come to a cell whose ground they may meet leave the rows for
// `stopped`. Those that come to their ends before leave as well: they have missed.
void skip_space(const SkipField& field, SkipRows& rows, StoppedRays& stopped);

}  // namespace arete::collider
