// The collider: heights, normals, rays and triangles on the very cells that the finest mesh draws, without a camera or
// a GPU.
//
// Two kinds of field answer alike: a HeightfieldView of samples that the caller holds, and a PageCollider over any
// SampleSource (a store, resident pages). Both use the split contract of kernel/height.h in double. A triangle exists
// exactly when its three samples are valid, and is closed: its edges and corners belong to it, the field's far edges
// too. Answers never come from a coarser lod. Metres as in core.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete {

// ---- Places ---------------------------------------------------------------------------------------------------------

// What stands at a place. `not_loaded`: the source has no page there now (it answered with a null pointer).
enum class Ground : std::uint8_t { surface = 0, hole = 1, outside = 2, not_loaded = 3 };
// "surface", "hole", "outside" or "not_loaded".
const char* ground_name(Ground ground) noexcept;

// y_m is a quiet NaN unless ground is surface.
struct HeightAnswer {
  Ground ground = Ground::outside;
  double y_m = std::numeric_limits<double>::quiet_NaN();
};

// One place on the surface: its cell, triangle and weights.
//
// The cell's corners are stops (x_cell, z_cell) = 00, one further along +X = 10, along +Z = 01, both = 11. Triangles
// run counter-clockwise seen from above: the lower one is (00, 01, 10), the upper one (11, 10, 01); barycentrics follow
// that order.
struct SurfaceSample {
  Ground ground = Ground::outside;
  bool is_upper = false;
  std::int32_t x_cell = 0;
  std::int32_t z_cell = 0;
  double fx = 0;  // place within the cell, 0..1 from 00 towards 10
  double fz = 0;  // 0..1 from 00 towards 01
  std::array<double, 3> barycentrics{};
  double y_m = std::numeric_limits<double>::quiet_NaN();
  std::array<double, 3> normal{0, 0, 0};  // the triangle's own, unit length, y > 0; zero unless ground is surface
};

namespace detail {
// A lattice's numbers, ready for queries.
struct QueryAxis {
  double half_m;             // metres a half texel
  double cells_per_m;        // 1 / (2 half_m)
  double last_half;          // the far edge in half texels
  double whole_from;         // the first half texel in a cell of whole width
  std::uint64_t whole_bits;  // the half texels from there on in such cells: a double's bits
  std::int32_t last_cell;    // the last cell; 0 as well when a single stop gives no width
  std::int32_t is_area;
};
struct QueryField {
  QueryAxis x;
  QueryAxis z;
  double base_m;
  double step_m;
  double steps_per_m;  // exact: a power of two
  double slope_x;      // the slope of a rise of one step over half a texel
  double slope_z;
};
}  // namespace detail

// A whole field of samples in the caller's memory; nothing is copied. Row-major, stops_x * stops_z steps. Cheap to
// copy.
class HeightfieldView {
 public:
  // The caller's contract: stops >= 1 an axis (>= 3 for area registration), spacings > 0, `stops` of the lattice's size
  // and alive as long as the view is used.
  HeightfieldView(const Lattice& lattice, std::span<const std::uint16_t> stops);

  const Lattice& lattice() const noexcept { return lattice_; }
  const std::uint16_t* data() const noexcept { return data_; }
  const detail::QueryField& numbers() const noexcept { return numbers_; }
  // Samples from a cell's corner to the next one along each axis: 0 along an axis of a single stop.
  std::ptrdiff_t step_x() const noexcept { return step_x_; }
  std::ptrdiff_t step_z() const noexcept { return step_z_; }
  std::uint16_t at(std::int32_t x_stop, std::int32_t z_stop) const {
    return data_[std::size_t(z_stop) * std::size_t(lattice_.stops_x) + std::size_t(x_stop)];
  }

 private:
  Lattice lattice_;
  const std::uint16_t* data_;
  std::ptrdiff_t step_x_, step_z_;
  detail::QueryField numbers_;
};

// The height of the surface at a place. Infinite and NaN places are outside. At a stop with ground the answer is the
// sample's own value, bit for bit. A field of one stop along an axis has cells without width: it has ground on that
// line alone.
//
// The place within a cell is u = x_m / double(half_x_m) half texels, rounded once, less the cell's first stop (exact).
HeightAnswer height_at(const HeightfieldView& field, double x_m, double z_m) noexcept;
SurfaceSample sample_at(const HeightfieldView& field, double x_m, double z_m) noexcept;

// The unit normal of the triangle at a place; where several meet, of the one that sample_at names.
struct NormalAnswer {
  Ground ground = Ground::outside;
  std::array<double, 3> normal{0, 0, 0};
};
NormalAnswer normal_at(const HeightfieldView& field, double x_m, double z_m) noexcept;

// The same for arrays of places, all spans of one length: bit for bit what single calls answer.
void heights_at(const HeightfieldView& field, std::span<const double> x_m, std::span<const double> z_m,
                std::span<double> y_m, std::span<Ground> ground) noexcept;
void samples_at(const HeightfieldView& field, std::span<const double> x_m, std::span<const double> z_m,
                std::span<SurfaceSample> samples) noexcept;
void normals_at(const HeightfieldView& field, std::span<const double> x_m, std::span<const double> z_m,
                std::span<NormalAnswer> normals) noexcept;

// The same over a source, each call reading the one lod-0 page that holds the place; an error is the source's own. For
// many places keep a PageCollider.
Result<HeightAnswer> height_at(const SampleSource& source, double x_m, double z_m);
Result<SurfaceSample> sample_at(const SampleSource& source, double x_m, double z_m);
Result<NormalAnswer> normal_at(const SampleSource& source, double x_m, double z_m);

// ---- Rays -----------------------------------------------------------------------------------------------------------

// Which sides of the ground a ray meets. A ray meets the front (upper) side where it comes to the surface from above,
// touching counted, or starts on it without rising; `both` adds the way out from below.
enum class Sides : std::uint8_t { front, both };

// The points origin + t direction, 0 <= t <= max_t.
struct Ray {
  std::array<double, 3> origin_m{};
  std::array<double, 3> direction{};                       // finite, not all zero, any length
  double max_t = std::numeric_limits<double>::infinity();  // >= 0, may be infinite
  Sides sides = Sides::both;
};

// Refused (usage): an origin that is not finite, a direction that is zero or not finite, a length that is negative or
// NaN. Every cast refuses the same.
Result<void> check_ray(const Ray& ray);

// `not_loaded`: the ray came to a page that the source does not have now, before it met ground; t says where.
enum class RayStatus : std::uint8_t { miss = 0, surface = 1, not_loaded = 2 };
const char* ray_status_name(RayStatus status) noexcept;

struct RayHit {
  RayStatus status = RayStatus::miss;
  bool is_upper = false;    // the triangle, as in SurfaceSample
  bool from_below = false;  // the ray came out of the ground
  std::int32_t x_cell = 0;
  std::int32_t z_cell = 0;
  double t = std::numeric_limits<double>::infinity();
  std::array<double, 3> position_m{};  // origin + t direction
  std::array<double, 3> barycentrics{};
  std::array<double, 3> normal{0, 0, 0};  // upwards, unit length
};

// How much work a cast was: bounds tested and cells whose triangles were tested.
struct RayCost {
  std::int64_t bounds = 0;
  std::int64_t cells = 0;
};

// Least and greatest steps over blocks of 4 x 4 cells, 8 x 8, and so on up to the field: 4 bytes a block, a third of a
// byte a sample. A block with a hole has least 0. Made by this class alone, so the bounds always hold; call update()
// after an edit.
class RayBounds {
 public:
  explicit RayBounds(const HeightfieldView& field);
  // Takes up changed rows of stops z_begin..z_end (the end excluded) of the field that it was made from.
  void update(const HeightfieldView& field, std::int32_t z_begin, std::int32_t z_end);
  std::size_t bytes() const noexcept { return blocks_.size() * sizeof(std::uint32_t); }

  // Level l >= 2 holds blocks of 2^l cells; a block's word is its greatest steps | least steps << 16.
  int top_level() const noexcept { return top_level_; }
  const std::uint32_t* level(int l) const noexcept { return blocks_.data() + offset_[std::size_t(l)]; }
  std::int32_t blocks_x(int l) const noexcept { return blocks_x_[std::size_t(l)]; }
  std::int32_t blocks_z(int l) const noexcept { return blocks_z_[std::size_t(l)]; }
  // No two neighbouring samples with ground along an axis differ by more steps: the most within a finest block. Edits
  // never lower it.
  std::uint16_t steepest() const noexcept { return steepest_; }

 private:
  static constexpr int kLevels = 32;
  std::vector<std::uint32_t> blocks_;  // and one word more, which batches may read
  std::array<std::size_t, kLevels> offset_{};
  std::array<std::int32_t, kLevels> blocks_x_{};
  std::array<std::int32_t, kLevels> blocks_z_{};
  int top_level_ = 2;
  std::uint16_t steepest_ = 0;
};

// The first point of the ray on the ground. Watertight: the side of the surface is carried from cell to cell, so
// nothing slips through an edge or a corner. Never meets a hole. Refused as check_ray() says.
Result<RayHit> raycast(const HeightfieldView& field, const RayBounds& bounds, const Ray& ray, RayCost* cost = nullptr);
// Whether the ray meets ground at all; true exactly when raycast() finds a hit.
Result<bool> raycast_any(const HeightfieldView& field, const RayBounds& bounds, const Ray& ray);

// The same for arrays, several rays at a time: answers equal raycast()'s. `hits` is as long as `rays`. One bad ray
// refuses the batch and is named.
Result<void> raycast(const HeightfieldView& field, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits);
Result<void> raycast_any(const HeightfieldView& field, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit);

// ---- Lines over the ground ------------------------------------------------------------------------------------------

// A point of a profile: an end of the line, or where it crosses a line of stops or a cell's diagonal. Between two
// points the ground is straight, so the points are the whole profile.
struct ProfilePoint {
  double part = 0;  // 0 at the start, 1 at the end of the line
  double x_m = 0;
  double z_m = 0;
  Ground ground = Ground::outside;
  double y_m = std::numeric_limits<double>::quiet_NaN();  // as in HeightAnswer
  Ground onward = Ground::outside;  // what lies between here and the next point; at the end, `ground`
};
// Return false to stop.
using ProfileVisitor = std::function<bool(const ProfilePoint&)>;
// Visits the points of the line from (x, z) `from_m` to `to_m` in order. Refused (usage): ends that are not finite.
Result<void> profile(const HeightfieldView& field, std::array<double, 2> from_m, std::array<double, 2> to_m,
                     const ProfileVisitor& visit);

// Whether the straight line between two points is free of ground. Ground blocks where it stands more than kSightSlack_m
// over the line, from within as well: a point under ground sees nothing. Holes do not block.
inline constexpr double kSightSlack_m = 1e-6;
enum class SightStatus : std::uint8_t { clear = 0, blocked = 1, not_loaded = 2 };
const char* sight_status_name(SightStatus status) noexcept;
struct Sight {
  SightStatus status = SightStatus::clear;
  double part = 1;                     // how far the line is free: 1 when clear
  std::array<double, 3> position_m{};  // the place there
};
// Refused (usage): points that are not finite.
Result<Sight> sight(const HeightfieldView& field, const RayBounds& bounds, std::array<double, 3> from_m,
                    std::array<double, 3> to_m);

// ---- Triangles ------------------------------------------------------------------------------------------------------

struct Box {
  std::array<double, 3> min_m{};
  std::array<double, 3> max_m{};
};

// id = 2 (z_cell * cells_x + x_cell) + is_upper: 64 bits, the same for view, store and pages.
struct Triangle {
  std::uint64_t id = 0;
  std::int32_t x_cell = 0;
  std::int32_t z_cell = 0;
  bool is_upper = false;
  std::array<std::array<double, 3>, 3> vertices_m{};  // counter-clockwise from above, in SurfaceSample's order
};

// Visits every triangle with valid samples and some width whose own box meets `box` (both closed), row by row from the
// north-west, the lower triangle of a cell first: ascending ids. Return false to stop.
using TriangleVisitor = std::function<bool(const Triangle&)>;
void triangles(const HeightfieldView& field, const Box& box, const TriangleVisitor& visit);

// ---- Sources of pages -----------------------------------------------------------------------------------------------

struct PageColliderOptions {
  std::size_t budget_bytes = std::size_t(64)
                             << 20;  // decoded pages and their ray bounds; at least a few pages are kept
  // Of the same field: lets rays pass over pages without loading them. A page whose heights leave its bounds is
  // refused.
  const Bounds* bounds = nullptr;
};

// Queries over a source. Keeps lod-0 pages and their ray bounds at hand, least recently used out first. A kept page is
// answered from until it is forgotten: see forget() and forget_replaced(). One per thread; the source and bounds must
// outlive it.
class PageCollider {
 public:
  explicit PageCollider(const SampleSource& source, const PageColliderOptions& options = {});
  ~PageCollider();
  PageCollider(PageCollider&&) noexcept;
  PageCollider& operator=(PageCollider&&) noexcept;

  const Lattice& lattice() const noexcept;
  Result<HeightAnswer> height_at(double x_m, double z_m);
  Result<SurfaceSample> sample_at(double x_m, double z_m);
  Result<NormalAnswer> normal_at(double x_m, double z_m);
  Result<void> heights_at(std::span<const double> x_m, std::span<const double> z_m, std::span<double> y_m,
                          std::span<Ground> ground);
  Result<void> samples_at(std::span<const double> x_m, std::span<const double> z_m, std::span<SurfaceSample> samples);
  Result<void> normals_at(std::span<const double> x_m, std::span<const double> z_m, std::span<NormalAnswer> normals);
  Result<RayHit> raycast(const Ray& ray, RayCost* cost = nullptr);
  Result<RayStatus> raycast_any(const Ray& ray);
  Result<void> raycast(std::span<const Ray> rays, std::span<RayHit> hits);
  Result<void> raycast_any(std::span<const Ray> rays, std::span<RayStatus> statuses);
  // As for views; the result counts the pages under the box that are not loaded and were passed over.
  Result<std::int64_t> triangles(const Box& box, const TriangleVisitor& visit);

  Result<void> profile(std::array<double, 2> from_m, std::array<double, 2> to_m, const ProfileVisitor& visit);
  Result<Sight> sight(std::array<double, 3> from_m, std::array<double, 3> to_m);

  void forget(PageKey key);
  void forget_all();
  // Forgets the kept pages for which the source now gives others or none; for sources that give what they hold without
  // copying, as an atlas does. Call it after a streamer's update(): edits show then, and pages that left the atlas are
  // not held any longer.
  void forget_replaced();
  std::size_t resident_pages() const noexcept;
  std::size_t resident_bytes() const noexcept;

  struct State;
  State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// One cast over a source by a collider of its own; keep a PageCollider for more.
Result<RayHit> raycast(const SampleSource& source, const Ray& ray);

}  // namespace arete
