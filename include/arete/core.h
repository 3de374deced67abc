// The words that stages exchange: the lattice of a field, pages of heights, node bounds, cameras, ranges, frames and
// cuts.
//
// Right-handed metres, Y up, +X east along columns, +Z south along rows; the origin is the field's north-west corner
// (area rasters) or first sample (point rasters). Heights are u16 steps, y = base + step h, h = 0 is a hole.
// Every function here is safe to call from several threads on const objects.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arete/result.h"
#include "kernel/lattice.h"
#include "kernel/layout.h"

namespace arete {

// ---- Contract checks ------------------------------------------------------------------------------------------------

// Called with the place and text of a broken caller's contract; the default prints one line and aborts.
using AssertHandler = void (*)(const char* file, int line, const char* expression);
void set_assert_handler(AssertHandler handler) noexcept;
namespace detail {
void assert_failed(const char* file, int line, const char* expression) noexcept;
}
#define ARETE_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::arete::detail::assert_failed(__FILE__, __LINE__, #expression))

// ---- Lattice --------------------------------------------------------------------------------------------------------

enum class Registration : std::uint8_t { point = 0, area = 1 };

// Page constants that the store format fixes.
inline constexpr int kPageCells = 128;
inline constexpr int kPageSamples = kPageCells + 1;   // 129: the border is shared with the neighbours
inline constexpr int kPageStride = kPageSamples + 2;  // 131: and an apron of one
inline constexpr std::size_t kPlaneSamples = std::size_t(kPageStride) * kPageStride;
inline constexpr int kBoundsQuads = 32;  // bounds are kept per node of 32 x 32 quads
inline constexpr int kBoundsPerPage = kPageCells / kBoundsQuads;
inline constexpr std::uint16_t kHole = 0;
// Quads a side that a node may have.
constexpr bool is_node_size(int quads) { return quads >= 4 && quads <= 128 && std::has_single_bit(unsigned(quads)); }

// The stops of a field, their places and the meaning of a height step. Stops are stored: an area raster of W texels has
// W + 2 of them, a point raster W.
struct Lattice {
  std::int32_t stops_x = 0;  // >= 1
  std::int32_t stops_z = 0;
  Registration registration = Registration::point;
  double spacing_x_m = 1.0;  // metres between samples, > 0
  double spacing_z_m = 1.0;
  double base_m = 0.0;  // a multiple of step_m; |y| < 2^24 steps, so y is exact in f32
  double step_m = 1.0;  // a power of two

  int is_area() const { return registration == Registration::area ? 1 : 0; }
  std::int32_t last_stop_x() const { return stops_x - 1; }
  std::int32_t last_stop_z() const { return stops_z - 1; }
  std::int32_t half_x(std::int32_t stop) const { return kernel::stop_half(stop, last_stop_x(), is_area()); }
  std::int32_t half_z(std::int32_t stop) const { return kernel::stop_half(stop, last_stop_z(), is_area()); }
  float half_x_m() const { return static_cast<float>(spacing_x_m / 2); }
  float half_z_m() const { return static_cast<float>(spacing_z_m / 2); }
  // Metres from the origin, as drawn: whole half texels times the f32 half.
  double x_m(std::int32_t stop) const { return double(half_x(stop)) * double(half_x_m()); }
  double z_m(std::int32_t stop) const { return double(half_z(stop)) * double(half_z_m()); }
  double width_m() const { return x_m(last_stop_x()); }
  double depth_m() const { return z_m(last_stop_z()); }
  double height_m(std::uint16_t steps) const { return base_m + step_m * steps; }

  // Lods of the page quadtree: the coarsest is one page. At least 1.
  int lods() const;
  // How many cells, pages or nodes of `quads` quads a lod has along an axis; at least 1 page and 1 node.
  std::int32_t cells_x(int lod) const { return cells(stops_x, lod); }
  std::int32_t cells_z(int lod) const { return cells(stops_z, lod); }
  std::int32_t nodes_x(int lod, int quads) const { return blocks(cells_x(lod), quads); }
  std::int32_t nodes_z(int lod, int quads) const { return blocks(cells_z(lod), quads); }
  std::int32_t pages_x(int lod) const { return nodes_x(lod, kPageCells); }
  std::int32_t pages_z(int lod) const { return nodes_z(lod, kPageCells); }

 private:
  static std::int32_t cells(std::int32_t stops, int lod) {
    return static_cast<std::int32_t>((std::int64_t(stops) - 1 + (std::int64_t(1) << lod) - 1) >> lod);
  }
  static std::int32_t blocks(std::int32_t cells, int side) { return cells <= side ? 1 : (cells + side - 1) / side; }
};

// ---- Pages ----------------------------------------------------------------------------------------------------------

// Interleaves 29 bits of x (even places) and z (odd places).
std::uint64_t morton(std::uint32_t x, std::uint32_t z) noexcept;

struct PageKey {
  std::uint8_t lod = 0;  // 0..29
  std::uint32_t x = 0;   // in pages of its lod, below 2^29
  std::uint32_t z = 0;

  // lod << 58 | morton(x, z): the store's primary key and the order of hashes.
  std::uint64_t packed() const noexcept { return std::uint64_t(lod) << 58 | morton(x, z); }
  static PageKey unpack(std::uint64_t packed) noexcept;
  friend bool operator==(const PageKey&, const PageKey&) = default;
};
// "page (x, z) of lod l", for messages.
std::string describe(PageKey key);

enum class HeightPlane : std::uint8_t { subsample = 0, max = 1 };

// One page decoded: 131 x 131 row-major planes of steps, apron included. Sample (i, k), -1 <= i, k <= 129, of page
// (L, X, Z) stands at stop clamp((128 X + i) 2^L, 0, last) and likewise in z. Lod 0 has one plane, which serves as
// both.
struct Page {
  PageKey key;
  std::uint64_t revision = 0;
  std::vector<std::uint16_t> subsample;  // kPlaneSamples
  std::vector<std::uint16_t> max;        // kPlaneSamples, or empty at lod 0

  const std::vector<std::uint16_t>& plane(HeightPlane which) const {
    return which == HeightPlane::max && !max.empty() ? max : subsample;
  }
  static constexpr std::size_t index(int i, int k) { return std::size_t(k + 1) * kPageStride + std::size_t(i + 1); }
  std::uint16_t at(HeightPlane which, int i, int k) const { return plane(which)[index(i, k)]; }
};

// How any stage asks for heights. Thread-safe: several threads may ask at once. A page of holes alone is returned as
// zeros, one that is not loaded now as a null pointer (by sources of resident pages); any other absent page is an
// error. The page stays valid as long as its pointer is held.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual const Lattice& lattice() const noexcept = 0;
  virtual Result<std::shared_ptr<const Page>> page(PageKey key) const = 0;
  // The same for those who read all of it: never null. Fails (data) where there is none or it is not the page that Page
  // describes.
  Result<std::shared_ptr<const Page>> require_page(PageKey key) const;
};

// ---- Bounds ---------------------------------------------------------------------------------------------------------

// What a cut knows of one node of 32 quads at a lod >= 1. Heights in steps over the closed node's lod-0 samples.
struct NodeBounds {
  std::uint16_t min = 0;        // the field's least where the node holds a hole; 0 in a node of holes alone
  std::uint16_t max = 0;        // 0 in a node of holes alone
  std::uint16_t top = 0;        // the greatest max-plane height its vertices can take at this lod or coarser
  std::uint16_t error = 0;      // vertical distance to the lod-0 surface, steps rounded up: subsample plane
  std::uint16_t error_max = 0;  // likewise, max plane
  std::uint8_t kappa = 0;       // local range of its vertices of lod - 1: R = 2^(lod - 1 - kappa/2) R_0
  std::uint8_t split = 0;       // split range: 2^(lod - 1 - split/2) R_0, the greatest of its vertices' of finer lods
};
static_assert(sizeof(NodeBounds) == 12);

// Node bounds of every lod >= 1 of a field, in memory, row-major per lod.
class Bounds {
 public:
  Bounds() = default;
  explicit Bounds(const Lattice& lattice);

  const Lattice& lattice() const noexcept { return lattice_; }
  // Node (x, z) of 32 quads at `lod` in 1..lods-1.
  NodeBounds& at(int lod, std::int32_t x, std::int32_t z) { return lods_[std::size_t(lod)].nodes[index(lod, x, z)]; }
  const NodeBounds& at(int lod, std::int32_t x, std::int32_t z) const {
    return lods_[std::size_t(lod)].nodes[index(lod, x, z)];
  }
  // The field's least and greatest valid steps; 0 and 0 when every sample is a hole.
  std::uint16_t field_min = 0;
  std::uint16_t field_max = 0;
  // The greatest error of a lod over its nodes, in steps; 0 at lod 0.
  std::uint16_t lod_error(int lod, HeightPlane plane) const;
  // kappa of the lod-`lod` vertex at fine whole index (gx, gz): the greatest of the nodes of lod + 1 whose closed
  // squares hold it; 0 at the coarsest lod.
  int kappa_at(int lod, std::int32_t gx, std::int32_t gz) const noexcept { return kappa_over(lod, gx, gx, gz, gz); }
  // The greatest of the vertices from (first_x, first_z) to (last_x, last_z).
  int kappa_over(int lod, std::int32_t first_x, std::int32_t last_x, std::int32_t first_z,
                 std::int32_t last_z) const noexcept;
  // True when every kappa is 0: one global range a lod.
  bool is_uniform() const noexcept { return is_uniform_; }
  // Fills every node's `split` from the kappas and the per-lod errors from the nodes; call once after filling.
  void finish();

 private:
  struct Lod {
    std::int32_t nodes_x = 0;
    std::int32_t nodes_z = 0;
    std::vector<NodeBounds> nodes;
    std::uint16_t error = 0;
    std::uint16_t error_max = 0;
  };
  std::size_t index(int lod, std::int32_t x, std::int32_t z) const {
    return std::size_t(z) * std::size_t(lods_[std::size_t(lod)].nodes_x) + std::size_t(x);
  }
  Lattice lattice_;
  std::vector<Lod> lods_;  // [0] stays empty
  bool is_uniform_ = true;
};

// Chooses every node's kappa, one for both planes, from the errors of the nodes, and finishes the bounds: the greatest
// for which the node's range under make_ranges covers its error, 0 counting as half a step. So a node whose vertices
// rest is drawn within the wanted error, whatever that is. Whoever changes errors calls this again; until then ranges
// may be too short.
void choose_local_ranges(Bounds& bounds);

// ---- Cameras, ranges and frames -------------------------------------------------------------------------------------

struct Plane {
  double x = 0, y = 0, z = 0, d = 0;  // inside where x px + y py + z pz + d >= 0, metres
};

// Where a picture is taken from. Only the eye and pixels_per_radian choose lods; the frustum drops nodes from emission.
struct View {
  double eye_x_m = 0, eye_y_m = 0, eye_z_m = 0;  // finite
  double pixels_per_radian = 1000;               // viewport height / (2 tan(fov/2)), > 0
  std::vector<Plane> frustum;                    // empty: nothing is culled
};

struct RangeOptions {
  double max_error_px = 1.5;    // > 0
  double morph_fraction = 0.3;  // phi, the part of each range that morphs, 2^-14 <= phi < 1
  double camera_lag_m = 0;      // delta: selection may trail the camera by this much
  double scale = 1;             // budget: one slowly moving number that scales every range, > 0
  int node_quads = 32;          // N: a power of two from 4 to 128
  HeightPlane plane = HeightPlane::subsample;
};

// R_0 and its morph band, squared and rounded for f32: select_sq >= E_0^2, so a leaf's vertices are fully morphed
// by every finer lod.
struct Ranges {
  float select_sq = 0;       // split when the scaled squared distance is below it
  float morph_start_sq = 0;  // M_0^2 rounded up
  float morph_end_sq = 0;    // E_0^2 rounded down
  float morph_scale = 0;     // K_0
  float lag_m = 0;           // selection sees every box grown by this much
  int node_quads = 32;
  HeightPlane plane = HeightPlane::subsample;
};

// R_0 = scale max(2 N max spacing, 2 lag, pixels/(rad px) max over lods of error 2^-lod), from 1e-15 to 1e18 m.
Ranges make_ranges(const Bounds& bounds, double pixels_per_radian, const RangeOptions& options);

// The same from R_0 itself, 1e-15 to 1e18 m, for callers that bring their own range.
Ranges make_ranges(double range_0_m, const RangeOptions& options);

// The frame's origin of emitted positions, in half texels; rebase it rarely, on a coarse grid.
struct Anchor {
  std::int32_t half_x = 0;
  std::int32_t half_z = 0;
};
Anchor anchor_near(const Lattice& lattice, double eye_x_m, double eye_z_m);

// What the vertex function needs of camera and ranges (kernel/layout.h). The camera's place is clamped to the field +-
// 2^24 half texels.
kernel::FrameConstants make_frame(const Bounds& bounds, const View& view, const Ranges& ranges, Anchor anchor);

// ---- Cuts -----------------------------------------------------------------------------------------------------------

// A leaf of a cut: drawn with (quads + 1)^2 vertices.
struct Node {
  std::uint8_t lod = 0;
  std::uint8_t coarse_mask = 0;  // kernel::kEdge bits: the neighbour over that edge is coarser
  std::uint8_t corner_lods = 0;  // two bits a corner, NW NE SE SW: lods up to the coarsest leaf that touches it
  std::uint32_t x = 0;           // in nodes of its lod
  std::uint32_t z = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

// The nodes that cover the field once, in the order (lod, Morton); `drawn` holds those that the frustum keeps.
struct Cut {
  std::vector<Node> nodes;
  std::vector<std::uint32_t> drawn;  // indices into nodes, ascending
};

kernel::NodeRecord node_record(const Node& node, int quads);

}  // namespace arete
