// Errors on the even part of a lattice, where cells are squares: small integers and lines that are known in advance.
#include "adaptive/error_meter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace arete::adaptive {
namespace {

// A side of a triangle that is not parallel to the rows, and where it crosses them.
struct Side {
  std::int32_t x, z, dx, dz;  // dz > 0
  std::int32_t floor_at(std::int32_t row) const {
    const std::int32_t product = dx * (row - z);
    std::int32_t quotient = product / dz;
    if (product % dz < 0) {
      --quotient;
    }
    return x + quotient;
  }
  std::int32_t ceiling_at(std::int32_t row) const {
    const std::int32_t product = dx * (row - z);
    std::int32_t quotient = product / dz;
    if (product % dz > 0) {
      ++quotient;
    }
    return x + quotient;
  }
};

// The greatest |base + slope i - scale h[i]| for 0 <= i < count.
template <class Number>
Number worst_in_row(const std::uint16_t* h, std::int32_t count, Number base, Number slope, Number scale) {
  Number worst = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    const Number difference = base + slope * Number(i) - scale * Number(h[i]);
    worst = std::max(worst, difference < 0 ? -difference : difference);
  }
  return worst;
}

template <class Number>
std::int64_t worst_inside(const SampleBlock& block, Place top, Place middle, Place bottom, std::int64_t area,
                          std::int64_t slope_x, std::int64_t slope_z, std::int64_t limit) {
  const std::int32_t height = *block.at(top.x, top.z);
  const Side whole{top.x, top.z, bottom.x - top.x, bottom.z - top.z};
  // Positive when the middle corner lies east of the long side.
  const bool is_east = std::int64_t(middle.x - top.x) * whole.dz > std::int64_t(whole.dx) * (middle.z - top.z);
  std::int64_t worst = 0;
  for (std::int32_t z = top.z + 1; z < bottom.z; ++z) {
    const Side part = z < middle.z || middle.z == bottom.z
                          ? Side{top.x, top.z, middle.x - top.x, middle.z - top.z}
                          : Side{middle.x, middle.z, bottom.x - middle.x, bottom.z - middle.z};
    const Side& west_side = is_east ? whole : part;
    const Side& east_side = is_east ? part : whole;
    const std::int32_t west = west_side.floor_at(z) + 1;
    const std::int32_t east = east_side.ceiling_at(z) - 1;
    if (west > east) {
      continue;
    }
    const std::int64_t base = height * area + slope_x * (west - top.x) + slope_z * (z - top.z);
    worst = std::max(worst, std::int64_t(worst_in_row<Number>(block.at(west, z), east - west + 1, Number(base),
                                                              Number(slope_x), Number(area))));
    if (worst > limit) {
      break;
    }
  }
  return worst;
}

}  // namespace

void ErrorMeter::set_limit(double steps) {
  ARETE_ASSERT(steps >= 0);
  steps = std::min(steps, kAnyError);
  float rounded = static_cast<float>(steps);
  if (double(rounded) > steps) {
    rounded = std::nextafter(rounded, 0.0f);
  }
  limit_ = rounded;
}

// 24 bits times a denominator below 2^29 is exact in double.
std::int64_t ErrorMeter::limit_over(std::int64_t denominator) const {
  return static_cast<std::int64_t>(limit_ * double(denominator));
}

double ErrorMeter::along(Place a, Place b) const {
  const bool even = is_even(std::min(a.x, b.x), std::max(a.x, b.x), std::min(a.z, b.z), std::max(a.z, b.z));
  return even ? along_even(a, b) : along_uneven(a, b);
}

double ErrorMeter::along_even(Place a, Place b) const {
  const std::int32_t dx = b.x - a.x, dz = b.z - a.z;
  const std::int32_t from = height(a), rise = height(b) - from;
  std::int64_t worst_ratio_top = 0, worst_ratio_bottom = 1;
  // `count` crossings apart, each between the samples at `low` and `low + beyond`, `rest` / count of the way.
  const auto family = [&](std::int32_t count, auto&& sample_pair) {
    const std::int64_t limit = limit_over(count);
    std::int32_t worst = 0;
    for (std::int32_t k = 1; k < count; ++k) {
      const std::int32_t on_edge = from * count + rise * k;
      worst = std::max(worst, std::abs(on_edge - sample_pair(k)));
      if (worst > limit) {
        return false;
      }
    }
    if (worst * worst_ratio_bottom > worst_ratio_top * count) {
      worst_ratio_top = worst;
      worst_ratio_bottom = count;
    }
    return true;
  };
  const auto blend = [](const std::uint16_t* low, std::ptrdiff_t beyond, std::int32_t rest, std::int32_t count) {
    return rest == 0 ? *low * count : *low * (count - rest) + low[beyond] * rest;
  };
  // floor and rest of a + d k / count.
  const auto divide = [](std::int32_t product, std::int32_t count, std::int32_t& rest) {
    std::int32_t quotient = product / count;
    rest = product % count;
    if (rest < 0) {
      rest += count;
      --quotient;
    }
    return quotient;
  };
  const std::ptrdiff_t stride = block_->stride;
  const std::uint16_t* origin = block_->at(a.x, a.z);
  std::int32_t rest = 0;
  bool is_near = true;
  if (dx != 0) {
    const std::int32_t count = std::abs(dx), sign = dx < 0 ? -1 : 1;
    is_near = family(count, [&](std::int32_t k) {
      const std::int32_t row = divide(dz * k, count, rest);
      return blend(origin + row * stride + sign * k, stride, rest, count);
    });
  }
  if (is_near && dz != 0 && dx != -dz && std::abs(dx) != std::abs(dz)) {
    const std::int32_t count = std::abs(dz), sign = dz < 0 ? -1 : 1;
    is_near = family(count, [&](std::int32_t k) {
      const std::int32_t column = divide(dx * k, count, rest);
      return blend(origin + sign * k * stride + column, 1, rest, count);
    });
  }
  if (is_near && dx != 0 && dz != 0 && dx + dz != 0) {
    const std::int32_t count = std::abs(dx + dz), sign = dx + dz < 0 ? -1 : 1;
    is_near = family(count, [&](std::int32_t k) {
      const std::int32_t column = divide(dx * k, count, rest);
      return blend(origin + (sign * k - column) * stride + column, 1 - stride, rest, count);
    });
  }
  return is_near ? double(worst_ratio_top) / double(worst_ratio_bottom) : kTooFar;
}

double ErrorMeter::inside(Place a, Place b, Place c) const {
  if (a.z > b.z) std::swap(a, b);
  if (b.z > c.z) std::swap(b, c);
  if (a.z > b.z) std::swap(a, b);
  const auto [west, east] = std::minmax({a.x, b.x, c.x});
  if (c.z - a.z < 2 || east - west < 2) {
    return 0;
  }
  if (!is_even(west, east, a.z, c.z)) {
    return inside_uneven(a, b, c);
  }
  std::int64_t area = std::int64_t(b.x - a.x) * (c.z - a.z) - std::int64_t(c.x - a.x) * (b.z - a.z);
  const std::int64_t rise_b = height(b) - height(a), rise_c = height(c) - height(a);
  std::int64_t slope_x = rise_b * (c.z - a.z) - rise_c * (b.z - a.z);
  std::int64_t slope_z = rise_c * (b.x - a.x) - rise_b * (c.x - a.x);
  if (area < 0) {
    area = -area;
    slope_x = -slope_x;
    slope_z = -slope_z;
  }
  const std::int64_t limit = limit_over(area);
  // Between the samples of a row area T stays within 0 .. 65,535 area, so 32 bits hold every term up to this area.
  const std::int64_t worst = area <= 16384 ? worst_inside<std::int32_t>(*block_, a, b, c, area, slope_x, slope_z, limit)
                                           : worst_inside<double>(*block_, a, b, c, area, slope_x, slope_z, limit);
  return worst > limit ? kTooFar : double(worst) / double(area);
}

double ErrorMeter::triangle(Place a, Place b, Place c) const {
  double worst = 0;
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
    worst = std::max(worst, along(from, to));
    if (worst == kTooFar) {
      return kTooFar;
    }
  }
  return std::max(worst, inside(a, b, c));
}

}  // namespace arete::adaptive
