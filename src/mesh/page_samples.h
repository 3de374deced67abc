// Pages as the vertex function's source of samples: one page of each lod covers all that a node reads.
#pragma once

#include <array>
#include <optional>

#include "arete/core.h"
#include "kernel/page_gradient.h"
#include "kernel/sample.h"

namespace arete::mesh {

// A node's page and its ancestors, read when first asked for. A page that cannot be had, one that is not resident
// included, reads as holes and is remembered as the error of the node.
class PageSamples {
 public:
  PageSamples(const SampleSource& source, const Bounds& bounds) : source_(source), bounds_(bounds) {}

  // Names the node that is read next. Indices asked for must lie in it, its rim included, or in what they cascade to.
  void begin(const Node& node, int quads, HeightPlane plane);
  void clear();
  const std::optional<Error>& error() const { return error_; }

  kernel::Sample fetch_sample(const kernel::FrameConstants& frame, int lod, int gx, int gz) const {
    const kernel::FrameAxis axis_x = kernel::frame_axis_x(frame), axis_z = kernel::frame_axis_z(frame);
    kernel::Sample at;
    at.x = kernel::axis_place(axis_x, lod, gx);
    at.z = kernel::axis_place(axis_z, lod, gz);
    const View& view = view_of(lod);
    const std::size_t index = view.index(at.x.index, at.z.index);
    const std::uint16_t* const drawn = view.drawn + index;
    at.anchor = view.anchor[index];
    at.drawn = *drawn;
    at.kappa = bounds_.kappa_at(lod, at.x.index << lod, at.z.index << lod);
    at.gradient = {gradient(axis_x, lod, at.x.index, drawn, 1, frame.step_m),
                   gradient(axis_z, lod, at.z.index, drawn, kPageStride, frame.step_m)};
    return at;
  }

  // Row-major planes of the lod's page, its first sample (0, 0) and the lod index at which it stands.
  struct View {
    const std::uint16_t* anchor = nullptr;  // null: not read yet
    const std::uint16_t* drawn = nullptr;
    int first_x = 0;
    int first_z = 0;
    // The place in the planes of the sample with lod indices (x, z).
    std::size_t index(int x, int z) const { return std::size_t(z - first_z) * kPageStride + std::size_t(x - first_x); }
  };
  const View& view_of(int lod) const {
    const View& view = views_[std::size_t(lod)];
    return view.anchor != nullptr ? view : read(lod);
  }

 private:
  // The gradient along one axis at lod index `index`, whose samples stand `step` apart in the plane.
  static float gradient(const kernel::FrameAxis& axis, int lod, int index, const std::uint16_t* at, int step,
                        float step_m) {
    const int g = index << lod;
    return kernel::is_inside(axis, lod, g, g) == 1
               ? kernel::inside_gradient(axis, lod, at[-step], at[0], at[step], step_m)
               : kernel::page_axis_gradient(axis, lod, g, at[-step], at[0], at[step], step_m);
  }
  const View& read(int lod) const;

  static constexpr std::size_t kLods = 32;
  const SampleSource& source_;
  const Bounds& bounds_;
  HeightPlane plane_ = HeightPlane::subsample;
  int lod_ = 0;
  std::uint32_t page_x_ = 0;
  std::uint32_t page_z_ = 0;
  mutable std::array<View, kLods> views_;
  mutable std::array<std::shared_ptr<const Page>, kLods> pages_;
  mutable std::optional<Error> error_;
};

}  // namespace arete::mesh
