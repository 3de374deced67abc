// Rays against a field in exact integer arithmetic: the judge of the collider.
//
// Places are whole numbers of 2^-kQ cells (in x and z) and steps (in y), so every crossing of a grid line or diagonal
// is a fraction and every comparison is exact in 128 bits. The walk goes from crossing to crossing; between two of them
// the ray lies in one closed triangle (or on an edge of several), found at the middle. It shares no code with the
// collider.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace arete::test {

__extension__ using Int128 = __int128;
inline constexpr int kQ = 28;
inline constexpr std::int64_t kOne = std::int64_t(1) << kQ;

struct Fraction {
  Int128 n;
  Int128 d;  // > 0
};
inline int compare(const Fraction& a, const Fraction& b) {
  const Int128 left = a.n * b.d;
  const Int128 right = b.n * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}
inline double to_double(const Fraction& a) {
  return double(static_cast<long double>(a.n) / static_cast<long double>(a.d));
}

// A point-registered field of unit cells and steps: steps[z * width + x], 0 = hole.
struct ExactField {
  std::int32_t width;
  std::int32_t depth;
  const std::uint16_t* steps;
  std::int64_t at(std::int32_t x, std::int32_t z) const {
    return steps[std::size_t(z) * std::size_t(width) + std::size_t(x)];
  }
};

// In units of 1/kOne; components below 2^52. max_t in whole direction lengths, or negative for infinite.
struct ExactRay {
  std::array<std::int64_t, 3> o;
  std::array<std::int64_t, 3> d;
  std::int64_t max_t = -1;
  bool both_sides = true;
};

struct ExactHit {
  Fraction t;
  bool from_below;
};

class ExactCaster {
 public:
  explicit ExactCaster(const ExactField& field) : field_(field) {}

  std::optional<ExactHit> cast(const ExactRay& ray) const {
    Fraction begin{0, 1};
    Fraction end{ray.max_t < 0 ? Int128(1) << 40 : Int128(ray.max_t), 1};
    if (!clip(ray.o[0], ray.d[0], Int128(field_.width - 1) * kOne, begin, end) ||
        !clip(ray.o[2], ray.d[2], Int128(field_.depth - 1) * kOne, begin, end)) {
      return std::nullopt;
    }
    if (ray.d[0] == 0 && ray.d[2] == 0) {
      return cast_vertical(ray, end);
    }
    if (compare(begin, end) == 0) {  // the ray touches the field in one point
      const auto plane =
          triangle_at(ray.o[0] * begin.d + ray.d[0] * begin.n, ray.o[2] * begin.d + ray.d[2] * begin.n, begin.d);
      return plane && over(ray, *plane, begin).n == 0 ? std::optional(ExactHit{begin, false}) : std::nullopt;
    }
    enum { kUnknown, kAbove, kBelow } side = kUnknown;
    Fraction a = begin;
    for (;;) {
      const Fraction b = next_event(ray, a, end);
      const auto plane = triangle_between(ray, a, b);
      if (!plane) {
        side = kUnknown;
      } else {
        const Fraction over_a = over(ray, *plane, a);
        const Fraction over_b = over(ray, *plane, b);
        if (side == kUnknown) {
          if (over_a.n == 0 && ray.both_sides) {
            return ExactHit{a, false};
          }
          side = over_a.n < 0 ? kBelow : kAbove;
        }
        if (side == kAbove && over_b.n <= 0) {
          return ExactHit{zero_between(a, over_a, b, over_b), false};
        }
        if (side == kBelow && ray.both_sides && over_b.n >= 0) {
          return ExactHit{zero_between(a, over_a, b, over_b), true};
        }
        if (side == kBelow && over_b.n > 0) {
          side = kAbove;
        }
      }
      if (compare(b, end) >= 0) {
        return std::nullopt;
      }
      a = b;
    }
  }

  // The ray's height over the ground at t, in steps, in long double; nothing outside or over a hole.
  std::optional<long double> height_over(const ExactRay& ray, double t) const {
    const long double x = place(ray.o[0], ray.d[0], t);
    const long double y = place(ray.o[1], ray.d[1], t);
    const long double z = place(ray.o[2], ray.d[2], t);
    return height_over(x, y, z);
  }
  std::optional<long double> height_over(long double x, long double y, long double z) const {
    const long double slack = 1e-6L;
    if (!(x >= -slack && z >= -slack && x <= field_.width - 1 + slack && z <= field_.depth - 1 + slack)) {
      return std::nullopt;
    }
    std::optional<long double> best;
    // Every closed triangle that holds the place, give or take rounding.
    for (int cz = int(std::floor(z - slack)); cz <= int(std::floor(z + slack)); ++cz) {
      for (int cx = int(std::floor(x - slack)); cx <= int(std::floor(x + slack)); ++cx) {
        if (cx < 0 || cz < 0 || cx > field_.width - 2 || cz > field_.depth - 2) continue;
        const long double fx = x - cx;
        const long double fz = z - cz;
        const long double h10 = field_.at(cx + 1, cz), h01 = field_.at(cx, cz + 1);
        const auto consider = [&](long double own, long double a, long double b) {
          if (own == 0 || h10 == 0 || h01 == 0) return;
          const long double value = y - (own + a + b);
          if (!best || std::abs(value) < std::abs(*best)) best = value;
        };
        const long double h00 = field_.at(cx, cz), h11 = field_.at(cx + 1, cz + 1);
        if (fx + fz <= 1 + slack) consider(h00, fx * (h10 - h00), fz * (h01 - h00));
        if (fx + fz >= 1 - slack) consider(h11, (1 - fx) * (h01 - h11), (1 - fz) * (h10 - h11));
      }
    }
    return best;
  }

 private:
  // h(x, z) = own + (x - at_x) rise_x + (z - at_z) rise_z, in cells and steps.
  struct Triangle {
    Int128 own, at_x, at_z, rise_x, rise_z;
  };

  static long double place(std::int64_t o, std::int64_t d, double t) {
    return (static_cast<long double>(o) + static_cast<long double>(d) * t) / kOne;
  }

  static bool clip(Int128 o, Int128 d, Int128 high, Fraction& begin, Fraction& end) {
    if (d == 0) {
      return o >= 0 && o <= high;
    }
    Fraction low_t{d > 0 ? -o : o, d > 0 ? d : -d};
    Fraction high_t{d > 0 ? high - o : o - high, d > 0 ? d : -d};
    if (d < 0) std::swap(low_t, high_t);
    if (compare(low_t, begin) > 0) begin = low_t;
    if (compare(high_t, end) < 0) end = high_t;
    return compare(begin, end) <= 0;
  }

  static Int128 floor_div(Int128 n, Int128 d) { return n >= 0 ? n / d : -((-n + d - 1) / d); }

  // The first t after `from` at which o + d t is a whole number.
  static void consider_line(Int128 o, Int128 d, const Fraction& from, Fraction& next) {
    if (d == 0) return;
    const Int128 numerator = o * from.d + d * from.n;  // place * kOne * from.d
    const Int128 unit = Int128(kOne) * from.d;
    const Int128 line = d > 0 ? floor_div(numerator, unit) + 1 : -floor_div(-numerator, unit) - 1;
    const Int128 distance = line * kOne - o;
    const Fraction t{d > 0 ? distance : -distance, d > 0 ? d : -d};
    if (compare(t, next) < 0) next = t;
  }

  static Fraction next_event(const ExactRay& ray, const Fraction& from, const Fraction& end) {
    Fraction next = end;
    consider_line(ray.o[0], ray.d[0], from, next);
    consider_line(ray.o[2], ray.d[2], from, next);
    consider_line(Int128(ray.o[0]) + ray.o[2], Int128(ray.d[0]) + ray.d[2], from, next);
    return next;
  }

  std::optional<Triangle> triangle(std::int32_t x, std::int32_t z, bool upper) const {
    if (x < 0 || z < 0 || x > field_.width - 2 || z > field_.depth - 2) return std::nullopt;
    const Int128 h10 = field_.at(x + 1, z), h01 = field_.at(x, z + 1);
    const Int128 own = upper ? field_.at(x + 1, z + 1) : field_.at(x, z);
    if (own == 0 || h10 == 0 || h01 == 0) return std::nullopt;
    if (upper) return Triangle{own, x + 1, z + 1, own - h01, own - h10};
    return Triangle{own, x, z, h10 - own, h01 - own};
  }

  // A valid closed triangle that holds the place n / (d kOne).
  std::optional<Triangle> triangle_at(Int128 x_n, Int128 z_n, Int128 d) const {
    const Int128 unit = Int128(kOne) * d;
    const std::int32_t x = std::int32_t(floor_div(x_n, unit));
    const std::int32_t z = std::int32_t(floor_div(z_n, unit));
    const bool on_x = x_n == x * unit;
    const bool on_z = z_n == z * unit;
    for (int dz = 0; dz >= (on_z ? -1 : 0); --dz) {
      for (int dx = 0; dx >= (on_x ? -1 : 0); --dx) {
        const Int128 sum = (x_n - (x + dx) * unit) + (z_n - (z + dz) * unit);
        for (int upper = 0; upper < 2; ++upper) {
          if (upper == 0 ? sum > unit : sum < unit) continue;
          if (const auto found = triangle(x + dx, z + dz, upper == 1)) return found;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<Triangle> triangle_between(const ExactRay& ray, const Fraction& a, const Fraction& b) const {
    const Int128 d = 2 * a.d * b.d;
    const Int128 n = a.n * b.d + b.n * a.d;
    return triangle_at(ray.o[0] * d + ray.d[0] * n, ray.o[2] * d + ray.d[2] * n, d);
  }

  // Height over the plane at t; its denominator is kOne * t.d.
  static Fraction over(const ExactRay& ray, const Triangle& plane, const Fraction& t) {
    const Int128 unit = Int128(kOne) * t.d;
    const Int128 x = ray.o[0] * t.d + ray.d[0] * t.n - plane.at_x * unit;
    const Int128 z = ray.o[2] * t.d + ray.d[2] * t.n - plane.at_z * unit;
    const Int128 y = ray.o[1] * t.d + ray.d[1] * t.n - plane.own * unit;
    return {y - x * plane.rise_x - z * plane.rise_z, unit};
  }

  // The zero of a linear function; only as exact as long double.
  static Fraction zero_between(const Fraction& a, const Fraction& over_a, const Fraction& b, const Fraction& over_b) {
    if (over_a.n == 0) return a;
    if (over_b.n == 0) return b;
    const auto real = [](const Fraction& f) { return static_cast<long double>(f.n) / static_cast<long double>(f.d); };
    const long double part = real(over_a) / (real(over_a) - real(over_b));
    const long double t = real(a) + (real(b) - real(a)) * part;
    return {Int128(std::round(t * 0x1p62L)), Int128(1) << 62};
  }

  std::optional<ExactHit> cast_vertical(const ExactRay& ray, const Fraction& end) const {
    const auto plane = triangle_at(ray.o[0], ray.o[2], 1);
    if (!plane || (!ray.both_sides && ray.d[1] > 0)) return std::nullopt;
    const Fraction start = over(ray, *plane, {0, 1});
    // over(t) = (start.n + d t) / kOne
    const Int128 d = ray.d[1];
    const Fraction t{d < 0 ? start.n : -start.n, d < 0 ? -d : d};
    if (t.n < 0 || compare(t, end) > 0) return std::nullopt;
    return ExactHit{t, start.n < 0};
  }

  ExactField field_;
};

}  // namespace arete::test
