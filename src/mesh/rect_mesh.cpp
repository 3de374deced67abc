// A single field drawn through a rect whose corner and vertex spacing are free: vertices stand on the nearest stops.
#include <algorithm>
#include <limits>

#include "arete/mesh.h"
#include "kernel/rect.h"
#include "kernel/vertex.h"
#include "write_vertex.h"

namespace arete {
namespace {

class RectSamples {
 public:
  RectSamples(const Lattice& lattice, std::span<const std::uint16_t> stops, const RectGrid& rect)
      : lattice_(lattice), stops_(stops), rect_(rect) {}

  kernel::Sample fetch_sample(const kernel::FrameConstants& frame, int lod, int gx, int gz) const {
    gx = kernel::lod_index(gx, lod, frame.last_stop_x);
    gz = kernel::lod_index(gz, lod, frame.last_stop_z);
    const int x = stop_x(gx);
    const int z = stop_z(gz);
    const int west = std::max(x - stride(rect_.d_x, lod), 0);
    const int east = std::min(x + stride(rect_.d_x, lod), lattice_.last_stop_x());
    const int north = std::max(z - stride(rect_.d_z, lod), 0);
    const int south = std::min(z + stride(rect_.d_z, lod), lattice_.last_stop_z());
    kernel::Sample sample;
    sample.x = kernel::place_at(kernel::frame_axis_x(frame), gx >> lod, lattice_.half_x(x));
    sample.z = kernel::place_at(kernel::frame_axis_z(frame), gz >> lod, lattice_.half_z(z));
    sample.anchor = sample.drawn = at(x, z);
    sample.kappa = 0;
    sample.gradient = {kernel::axis_gradient(at(west, z), at(x, z), at(east, z), lattice_.half_x(west),
                                             lattice_.half_x(x), lattice_.half_x(east), frame.half_x_m, frame.step_m),
                       kernel::axis_gradient(at(x, north), at(x, z), at(x, south), lattice_.half_z(north),
                                             lattice_.half_z(z), lattice_.half_z(south), frame.half_z_m, frame.step_m)};
    return sample;
  }

 private:
  int texels(std::int32_t stops) const { return lattice_.is_area() == 1 ? stops - 2 : stops; }
  int stop_x(int g) const {
    return kernel::nearest_stop(rect_.p0_x + rect_.d_x * g, rect_.q, texels(lattice_.stops_x), lattice_.is_area());
  }
  int stop_z(int g) const {
    return kernel::nearest_stop(rect_.p0_z + rect_.d_z * g, rect_.q, texels(lattice_.stops_z), lattice_.is_area());
  }
  std::uint16_t at(int x, int z) const {
    return stops_[std::size_t(z) * std::size_t(lattice_.stops_x) + std::size_t(x)];
  }
  // Whole stops between neighbouring vertices of a lod.
  int stride(std::int64_t spacing, int lod) const {
    const std::int64_t stops = (spacing << lod) >> rect_.q;
    return static_cast<int>(std::clamp<std::int64_t>(stops, 1, std::numeric_limits<std::int32_t>::max() / 2));
  }

  const Lattice& lattice_;
  std::span<const std::uint16_t> stops_;
  const RectGrid& rect_;
};

}  // namespace

void build_rect_node_vertices(const Lattice& lattice, std::span<const std::uint16_t> stops, const RectGrid& rect,
                              const kernel::FrameConstants& frame, const kernel::NodeRecord& node,
                              const kernel::VertexLayout& layout, std::span<std::uint32_t> words) {
  ARETE_ASSERT(stops.size() == std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z));
  ARETE_ASSERT(words.size() >= std::size_t(node_vertices(node.quads)) * std::size_t(layout.stride_words));
  ARETE_ASSERT(rect.q >= 0 && rect.q <= 20 && rect.d_x > 0 && rect.d_z > 0);
  ARETE_ASSERT(lattice.is_area() == 0 || (lattice.stops_x >= 3 && lattice.stops_z >= 3));
  // A rect's grid has no rim of its own: places beyond the field take its last stop.
  kernel::FrameConstants rimless = frame;
  rimless.last_stop_x = std::numeric_limits<std::int32_t>::max();
  rimless.last_stop_z = std::numeric_limits<std::int32_t>::max();
  const RectSamples samples(lattice, stops, rect);
  std::uint32_t* out = words.data();
  for (int k = 0; k <= node.quads; ++k) {
    for (int i = 0; i <= node.quads; ++i, out += layout.stride_words) {
      mesh::write_vertex(frame, layout, kernel::node_vertex(samples, rimless, node, i, k), out);
    }
  }
}

}  // namespace arete
