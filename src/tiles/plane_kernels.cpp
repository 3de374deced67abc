// Vector forms of the error, reduction and prediction loops.
//
// Errors: a vector of neighbouring samples needs at most as many neighbouring cells: their corners are loaded once and
// spread over the lanes by a table lookup, so cells of every size share one loop.
#include "tiles/plane_kernels.h"

#include <algorithm>

#include "arete/core.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tiles/plane_kernels.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arete::tiles {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::int32_t RowError(const ErrorRow& row) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const int lanes = int(hn::Lanes(d));
  const int side = 1 << row.shift;
  const auto zero = hn::Zero(d);
  const auto v_side = hn::Set(d, side);
  const auto v_low_bits = hn::Set(d, side - 1);
  const auto v_past = hn::Set(d, side + 1);
  const auto v_phase = hn::Set(d, row.phase);
  const auto v_down = hn::Set(d, row.down);
  const auto v_up = hn::Set(d, side - row.down);
  const auto load = [&](const std::uint16_t* from) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d16, from)); };
  auto worst = zero;
  for (int x = 0; x < row.count; x += lanes) {
    const int start = row.first - row.phase + x;
    const int cell = start >> row.shift;
    const auto place = hn::Iota(d, start);
    const auto along = hn::Add(hn::And(place, v_low_bits), v_phase);
    const auto lookup = hn::IndicesFromVec(d, hn::Sub(hn::ShiftRightSame(place, row.shift), hn::Set(d, cell)));
    const auto c00 = hn::TableLookupLanes(load(row.north + cell), lookup);
    const auto c10 = hn::TableLookupLanes(load(row.north + cell + 1), lookup);
    const auto c01 = hn::TableLookupLanes(load(row.south + cell), lookup);
    const auto c11 = hn::TableLookupLanes(load(row.south + cell + 1), lookup);
    const auto height = hn::ShiftLeftSame(load(row.heights + x), row.shift);
    const auto lower = hn::Add(hn::ShiftLeftSame(c00, row.shift),
                               hn::Add(hn::Mul(v_down, hn::Sub(c01, c00)), hn::Mul(along, hn::Sub(c10, c00))));
    const auto upper =
        hn::Add(hn::ShiftLeftSame(c11, row.shift),
                hn::Add(hn::Mul(v_up, hn::Sub(c10, c11)), hn::Mul(hn::Sub(v_side, along), hn::Sub(c01, c11))));
    const auto diagonal = hn::Min(c10, c01);
    const auto place_sum = hn::Add(along, v_down);
    const auto takes_lower = hn::And(hn::Gt(v_past, place_sum), hn::Gt(hn::Min(c00, diagonal), zero));
    const auto takes_upper = hn::And(hn::Gt(place_sum, v_low_bits), hn::Gt(hn::Min(c11, diagonal), zero));
    const auto distance = hn::Max(hn::IfThenElseZero(takes_lower, hn::Abs(hn::Sub(lower, height))),
                                  hn::IfThenElseZero(takes_upper, hn::Abs(hn::Sub(upper, height))));
    const auto counts = hn::And(hn::Gt(load(row.mask + x), zero), hn::FirstN(d, std::size_t(row.count - x)));
    worst = hn::Max(worst, hn::IfThenElseZero(counts, distance));
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

std::int32_t CellError(const CellSamples& cell) {
  const hn::ScalableTag<std::int32_t> d;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const int lanes = int(hn::Lanes(d));
  const std::int32_t side = 1 << cell.shift;
  const std::int32_t lower_slope = cell.c10 - cell.c00, upper_slope = cell.c11 - cell.c01;
  const auto places = hn::Iota(d, cell.a);
  const auto lower_ramp = hn::Mul(places, hn::Set(d, lower_slope)),
             upper_ramp = hn::Mul(places, hn::Set(d, upper_slope));
  auto worst = hn::Zero(d);
  for (int k = 0; k < cell.rows; ++k) {
    const std::int32_t b = cell.b + k;
    // Both triangles along this row, from the column a = 0.
    const std::int32_t lower = cell.c00 * side + b * (cell.c01 - cell.c00);
    const std::int32_t upper = cell.c11 * side + (side - b) * (cell.c10 - cell.c11) - side * upper_slope;
    const auto diagonal = hn::Set(d, side - b + 1);
    const std::uint16_t* row = cell.heights + std::size_t(k) * cell.stride;
    for (int x = 0; x < cell.columns; x += lanes) {
      const auto on_lower = hn::Add(lower_ramp, hn::Set(d, lower + x * lower_slope));
      const auto on_upper = hn::Add(upper_ramp, hn::Set(d, upper + x * upper_slope));
      const auto is_lower = hn::Gt(diagonal, hn::Add(places, hn::Set(d, x)));
      const auto height = hn::ShiftLeftSame(hn::PromoteTo(d, hn::LoadU(d16, row + x)), cell.shift);
      const auto distance = hn::Abs(hn::Sub(hn::IfThenElse(is_lower, on_lower, on_upper), height));
      worst = hn::Max(worst, x + lanes <= cell.columns
                                 ? distance
                                 : hn::IfThenElseZero(hn::FirstN(d, std::size_t(cell.columns - x)), distance));
    }
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

double RimRowError(const RimRow& row) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::Rebind<std::uint16_t, decltype(d)> d16;
  const int lanes = int(hn::Lanes(d));
  const auto load = [&](const std::uint16_t* from)
                        HWY_ATTR { return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d16, from))); };
  const auto width = hn::Set(d, row.width), depth = hn::Set(d, row.depth);
  const auto diagonal = hn::Set(d, row.width * row.depth), down_by_width = hn::Set(d, row.down * row.width);
  const auto c00 = hn::Set(d, row.c00), c11 = hn::Set(d, row.c11);
  const auto lower_slope = hn::Set(d, row.c10 - row.c00), upper_slope = hn::Set(d, row.c01 - row.c11);
  const auto lower_down = hn::Set(d, (row.c01 - row.c00) * row.down / row.depth);
  const auto upper_down = hn::Set(d, (row.c10 - row.c11) * (row.depth - row.down) / row.depth);
  const auto draws_lower = hn::Set(d, row.draws_lower ? 1.0 : 0.0),
             draws_upper = hn::Set(d, row.draws_upper ? 1.0 : 0.0);
  const auto zero = hn::Zero(d);
  auto worst = zero;
  for (int x = 0; x < row.count; x += lanes) {
    const auto place = hn::LoadU(d, row.places + x);
    const auto side = hn::Add(hn::Mul(place, depth), down_by_width);
    const auto on_lower = hn::Add(hn::Add(c00, hn::Div(hn::Mul(lower_slope, place), width)), lower_down);
    const auto on_upper =
        hn::Add(hn::Add(c11, hn::Div(hn::Mul(upper_slope, hn::Sub(width, place)), width)), upper_down);
    const auto takes_lower = hn::And(hn::Le(side, diagonal), hn::Gt(draws_lower, zero));
    const auto takes_upper = hn::And(hn::Ge(side, diagonal), hn::Gt(draws_upper, zero));
    const auto height = load(row.heights + x);
    const auto distance = hn::IfThenElse(takes_lower, hn::Abs(hn::Sub(on_lower, height)),
                                         hn::IfThenElseZero(takes_upper, hn::Abs(hn::Sub(on_upper, height))));
    const auto counts = hn::And(hn::Gt(load(row.mask + x), zero), hn::FirstN(d, std::size_t(row.count - x)));
    worst = hn::Max(worst, hn::IfThenElseZero(counts, distance));
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

void BoundCells(const CellRow& row, std::uint16_t* cells) {
  const hn::CappedTag<std::uint16_t, 64> d;
  using Vector = hn::Vec<decltype(d)>;
  const auto difference = [&](Vector a, Vector b) HWY_ATTR { return hn::Sub(hn::Max(a, b), hn::Min(a, b)); };
  // The mean of two corners, rounded both ways, has the same distance rounded up.
  const auto half_way = [&](Vector a, Vector b, Vector fine) HWY_ATTR {
    const auto mean_down = hn::Add(hn::And(a, b), hn::ShiftRight<1>(hn::Xor(a, b)));
    return hn::Max(difference(hn::AverageRound(a, b), fine), difference(mean_down, fine));
  };
  for (int i = 0; i < 64; i += int(hn::Lanes(d))) {
    // Samples of three rows: at the cells' western corners, between, and at the eastern corners.
    Vector nw, n, ne, w, middle, e, sw, s, se, unused;
    hn::LoadInterleaved2(d, row.fine[0] + 2 * i, nw, n);
    hn::LoadInterleaved2(d, row.fine[0] + 2 * i + 2, ne, unused);
    hn::LoadInterleaved2(d, row.fine[1] + 2 * i, w, middle);
    hn::LoadInterleaved2(d, row.fine[1] + 2 * i + 2, e, unused);
    hn::LoadInterleaved2(d, row.fine[2] + 2 * i, sw, s);
    hn::LoadInterleaved2(d, row.fine[2] + 2 * i + 2, se, unused);
    const auto least =
        hn::Min(hn::Min(hn::Min(nw, n), hn::Min(ne, w)), hn::Min(hn::Min(hn::Min(middle, e), hn::Min(sw, s)), se));
    const auto c00 = hn::LoadU(d, row.coarse[0] + i), c10 = hn::LoadU(d, row.coarse[0] + i + 1);
    const auto c01 = hn::LoadU(d, row.coarse[1] + i), c11 = hn::LoadU(d, row.coarse[1] + i + 1);
    const auto north = half_way(c00, c10, n), south = half_way(c01, c11, s);
    const auto west = half_way(c00, c01, w), east = half_way(c10, c11, e);
    const auto inner = half_way(c10, c01, middle);
    // The four samples of each fine cell.
    auto north_west = hn::Max(hn::Max(difference(c00, nw), inner), hn::Max(north, west));
    auto north_east = hn::Max(hn::Max(difference(c10, ne), inner), hn::Max(north, east));
    auto south_west = hn::Max(hn::Max(difference(c01, sw), inner), hn::Max(south, west));
    auto south_east = hn::Max(hn::Max(difference(c11, se), inner), hn::Max(south, east));
    if (row.bounds[0] != nullptr) {
      Vector even, odd;
      hn::LoadInterleaved2(d, row.bounds[0] + 2 * i, even, odd);
      north_west = hn::SaturatedAdd(north_west, even);
      north_east = hn::SaturatedAdd(north_east, odd);
      hn::LoadInterleaved2(d, row.bounds[1] + 2 * i, even, odd);
      south_west = hn::SaturatedAdd(south_west, even);
      south_east = hn::SaturatedAdd(south_east, odd);
    }
    const auto worst = hn::Max(hn::Max(north_west, north_east), hn::Max(south_west, south_east));
    hn::StoreU(hn::IfThenElse(hn::Eq(least, hn::Zero(d)), hn::Set(d, 0xffff), worst), d, cells + i);
  }
}

std::uint16_t GreatestBounds(const std::uint16_t* bounds, std::size_t stride, std::uint16_t* columns) {
  constexpr std::size_t kSide = 32;
  const hn::CappedTag<std::uint16_t, kSide> d;
  const auto unbounded = hn::Set(d, 0xffff);
  auto greatest = hn::Zero(d);
  for (std::size_t i = 0; i < kSide; i += hn::Lanes(d)) {
    auto column = hn::Zero(d);
    for (std::size_t k = 0; k < kSide; ++k) {
      const auto bound = hn::LoadU(d, bounds + k * stride + i);
      greatest = hn::Max(greatest, bound);
      column = hn::Max(column, hn::IfThenZeroElse(hn::Eq(bound, unbounded), bound));
    }
    hn::StoreU(column, d, columns + i);
  }
  return hn::GetLane(hn::MaxOfLanes(d, greatest));
}

// Less one, a hole becomes the greatest value and drops out of the minimum. The last vector may do some again.
Extent ExtentOf(const std::uint16_t* samples, std::size_t stride, int columns, int rows) {
  const hn::ScalableTag<std::uint16_t> d;
  const int lanes = int(hn::Lanes(d));
  const auto one = hn::Set(d, 1);
  auto least = hn::Set(d, 0xffff), least_less_one = least, greatest = hn::Zero(d);
  std::uint16_t single_less_one = 0xffff, single_least = 0xffff, single_greatest = 0;
  for (int k = 0; k < rows; ++k, samples += stride) {
    for (int i = 0; i < columns && columns >= lanes; i += lanes) {
      const auto sample = hn::LoadU(d, samples + std::min(i, columns - lanes));
      least = hn::Min(least, sample);
      least_less_one = hn::Min(least_less_one, hn::Sub(sample, one));
      greatest = hn::Max(greatest, sample);
    }
    for (int i = 0; i < columns && columns < lanes; ++i) {
      single_least = std::min(single_least, samples[i]);
      single_less_one = std::min(single_less_one, std::uint16_t(samples[i] - 1));
      single_greatest = std::max(single_greatest, samples[i]);
    }
  }
  const std::uint16_t all_less_one = std::min(single_less_one, hn::GetLane(hn::MinOfLanes(d, least_less_one)));
  const std::uint16_t all_greatest = std::max(single_greatest, hn::GetLane(hn::MaxOfLanes(d, greatest)));
  return {all_greatest == 0 ? std::uint16_t(0) : std::uint16_t(all_less_one + 1), all_greatest,
          std::min(single_least, hn::GetLane(hn::MinOfLanes(d, least))) == 0};
}

void ReduceRow(const std::uint16_t* north, const std::uint16_t* here, const std::uint16_t* south, int m,
               std::uint16_t* coarse) {
  const hn::ScalableTag<std::uint16_t> d;
  const int lanes = int(hn::Lanes(d));
  const auto reduce_at = [&](int i) HWY_ATTR {
    hn::Vec<decltype(d)> west, centre, east, unused, above, above_east, below_west, below;
    hn::LoadInterleaved2(d, here + 2 * i - 1, west, centre);
    hn::LoadInterleaved2(d, here + 2 * i, unused, east);
    hn::LoadInterleaved2(d, north + 2 * i, above, above_east);
    hn::LoadInterleaved2(d, south + 2 * i - 1, below_west, below);
    const auto along = hn::Max(centre, hn::Max(west, east));
    const auto across = hn::Max(hn::Max(above, above_east), hn::Max(below_west, below));
    hn::StoreU(hn::Max(along, across), d, coarse + i);
  };
  int i = 1;
  for (; i + lanes <= m - 1; i += lanes) {
    reduce_at(i);
  }
  if (i < m - 1 && m - 1 - lanes >= 1) {
    reduce_at(m - 1 - lanes);  // again over some that are done
    return;
  }
  for (; i < m - 1; ++i) {
    const std::uint16_t along = std::max(here[2 * i], std::max(here[2 * i - 1], here[2 * i + 1]));
    const std::uint16_t above = std::max(north[2 * i], north[2 * i + 1]);
    const std::uint16_t below = std::max(south[2 * i - 1], south[2 * i]);
    coarse[i] = std::max(along, std::max(above, below));
  }
}

// Row by row, from the first column that has one to its west; the last vector may do some again.
void MakeResiduals(const std::uint16_t* plane, int columns, int rows, std::uint8_t* low, std::uint8_t* high) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const int lanes = int(hn::Lanes(d));
  const std::uint16_t none[kPageStride] = {};
  const std::uint16_t* north = none;
  for (int k = 0; k < rows; ++k, low += columns, high += columns) {
    const auto put = [&](int i, int residual) {
      const std::uint16_t zigzag = std::uint16_t((residual * 2) ^ (residual & 0x8000 ? 0xffff : 0));
      low[i] = std::uint8_t(zigzag);
      high[i] = std::uint8_t(zigzag >> 8);
    };
    const auto put_from = [&](int i) HWY_ATTR {
      const auto here = hn::Sub(hn::LoadU(d, plane + i), hn::LoadU(d, north + i));
      const auto west = hn::Sub(hn::LoadU(d, plane + i - 1), hn::LoadU(d, north + i - 1));
      const auto residual = hn::Sub(here, west);
      const auto sign = hn::Sub(hn::Zero(d), hn::ShiftRight<15>(residual));
      const auto zigzag = hn::Xor(hn::ShiftLeft<1>(residual), sign);
      hn::StoreU(hn::TruncateTo(d8, zigzag), d8, low + i);
      hn::StoreU(hn::TruncateTo(d8, hn::ShiftRight<8>(zigzag)), d8, high + i);
    };
    put(0, plane[0] - north[0]);
    int i = 1;
    for (; i + lanes <= columns; i += lanes) {
      put_from(i);
    }
    if (i < columns && columns > lanes) {
      put_from(columns - lanes);
      i = columns;
    }
    for (; i < columns; ++i) {
      put(i, plane[i] - north[i] - (plane[i - 1] - north[i - 1]));
    }
    north = plane;
    plane += columns;
  }
}

// A step is the sum of all residuals north-west of it: sums down the columns first, for as many columns as there are
// lanes, then along the row, eight steps at a time.
void UndoResiduals(const std::uint8_t* low, const std::uint8_t* high, int columns, int rows, std::uint16_t* plane) {
  const hn::ScalableTag<std::uint16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const int lanes = int(hn::Lanes(d));
  HWY_ALIGN std::uint16_t sums[kPageStride + 1] = {};
  for (int k = 0; k < rows; ++k, low += columns, high += columns, plane += columns) {
    int i = 0;
    for (; i + lanes <= columns; i += lanes) {
      const auto zigzag =
          hn::Or(hn::PromoteTo(d, hn::LoadU(d8, low + i)), hn::ShiftLeft<8>(hn::PromoteTo(d, hn::LoadU(d8, high + i))));
      const auto sign = hn::Sub(hn::Zero(d), hn::And(zigzag, hn::Set(d, 1)));
      const auto residual = hn::Xor(hn::ShiftRight<1>(zigzag), sign);
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), residual), d, sums + i);
    }
    for (; i < columns; ++i) {
      const std::uint16_t zigzag = std::uint16_t(low[i] | high[i] << 8);
      sums[i] = std::uint16_t(sums[i] + ((zigzag >> 1) ^ (zigzag & 1 ? 0xffff : 0)));
    }
    std::uint16_t step = 0;
    i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<std::uint16_t, 8> eight;
    auto west = hn::Zero(eight);
    for (; i + 8 <= columns; i += 8) {
      auto row = hn::LoadU(eight, sums + i);
      row = hn::Add(row, hn::ShiftLeftLanes<1>(eight, row));
      row = hn::Add(row, hn::ShiftLeftLanes<2>(eight, row));
      row = hn::Add(row, hn::ShiftLeftLanes<4>(eight, row));
      row = hn::Add(row, west);
      west = hn::Broadcast<7>(row);
      hn::StoreU(row, eight, plane + i);
    }
    step = hn::GetLane(west);
#endif
    for (; i < columns; ++i) {
      step = std::uint16_t(step + sums[i]);
      plane[i] = step;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::tiles
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::tiles {
HWY_EXPORT(RowError);
HWY_EXPORT(CellError);
HWY_EXPORT(RimRowError);
HWY_EXPORT(BoundCells);
HWY_EXPORT(GreatestBounds);
HWY_EXPORT(ExtentOf);
HWY_EXPORT(ReduceRow);
HWY_EXPORT(MakeResiduals);
HWY_EXPORT(UndoResiduals);

std::int32_t row_error(const ErrorRow& row) { return HWY_DYNAMIC_DISPATCH(RowError)(row); }

std::int32_t cell_error(const CellSamples& cell) { return HWY_DYNAMIC_DISPATCH(CellError)(cell); }

double rim_row_error(const RimRow& row) { return HWY_DYNAMIC_DISPATCH(RimRowError)(row); }

void bound_cells(const CellRow& row, std::uint16_t* cells) { HWY_DYNAMIC_DISPATCH(BoundCells)(row, cells); }

std::uint16_t greatest_bounds(const std::uint16_t* bounds, std::size_t stride, std::uint16_t* columns) {
  return HWY_DYNAMIC_DISPATCH(GreatestBounds)(bounds, stride, columns);
}

Extent extent_of(const std::uint16_t* samples, std::size_t stride, int columns, int rows) {
  return HWY_DYNAMIC_DISPATCH(ExtentOf)(samples, stride, columns, rows);
}

void reduce_row(const std::uint16_t* north, const std::uint16_t* here, const std::uint16_t* south, int m,
                std::uint16_t* coarse) {
  HWY_DYNAMIC_DISPATCH(ReduceRow)(north, here, south, m, coarse);
}

void make_residuals(const std::uint16_t* plane, int columns, int rows, std::uint8_t* low, std::uint8_t* high) {
  HWY_DYNAMIC_DISPATCH(MakeResiduals)(plane, columns, rows, low, high);
}

void undo_residuals(const std::uint8_t* low, const std::uint8_t* high, int columns, int rows, std::uint16_t* plane) {
  HWY_DYNAMIC_DISPATCH(UndoResiduals)(low, high, columns, rows, plane);
}
}  // namespace arete::tiles
#endif
