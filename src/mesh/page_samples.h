// Pages as the vertex function's source of samples: one page of each lod covers all that a node reads.
#pragma once

#include <array>
#include <optional>

#include "arete/core.h"
#include "kernel/page_gradient.h"
#include "kernel/sample.h"

namespace arete::mesh {

// A node's page and its ancestors, read when first asked for. A page that cannot be had reads as holes and is
// remembered as the error of the node.
class PageSamples {
 public:
  PageSamples(const SampleSource& source, const Bounds& bounds) : source_(source), bounds_(bounds) {}

  // Names the node that is read next. Indices asked for must lie in it, its rim included, or in what they cascade to.
  void begin(const kernel::FrameConstants& frame, const Node& node, int quads, HeightPlane plane);
  void clear();
  const std::optional<Error>& error() const { return error_; }

  kernel::Sample fetch_sample(int lod, int gx, int gz) const {
    const View& view = view_of(lod);
    const std::size_t at = view.index(lod, gx, gz);
    const int last_x = frame_->last_stop_x;
    const int last_z = frame_->last_stop_z;
    return {kernel::stop_half(kernel::stop_of(gx, last_x), last_x, frame_->is_area),
            kernel::stop_half(kernel::stop_of(gz, last_z), last_z, frame_->is_area), view.anchor[at], view.drawn[at],
            bounds_.kappa_at(lod, gx, gz)};
  }

  kernel::Gradient fetch_gradient(int lod, int gx, int gz) const {
    const View& view = view_of(lod);
    const std::uint16_t* at = view.drawn + view.index(lod, gx, gz);
    return {axis(at, 1, gx, lod, frame_->last_stop_x, frame_->half_x_m, frame_->inverse_half_x),
            axis(at, kPageStride, gz, lod, frame_->last_stop_z, frame_->half_z_m, frame_->inverse_half_z)};
  }

  // Row-major planes of the lod's page, its first sample (0, 0) and the lod index at which it stands.
  struct View {
    const std::uint16_t* anchor = nullptr;  // null: not read yet
    const std::uint16_t* drawn = nullptr;
    int first_x = 0;
    int first_z = 0;
    std::size_t index(int lod, int gx, int gz) const {
      return std::size_t((gz >> lod) - first_z) * kPageStride + std::size_t((gx >> lod) - first_x);
    }
  };
  const View& view_of(int lod) const {
    const View& view = views_[std::size_t(lod)];
    return view.anchor != nullptr ? view : read(lod);
  }

 private:
  // The gradient along one axis, `step` samples apart in the plane.
  float axis(const std::uint16_t* at, int step, int g, int lod, int last, float half_m, float inverse_half) const {
    return kernel::page_axis_gradient(at[-step], at[0], at[step], g, lod, last, frame_->is_area, half_m, inverse_half,
                                      frame_->step_m);
  }
  const View& read(int lod) const;

  static constexpr std::size_t kLods = 32;
  const SampleSource& source_;
  const Bounds& bounds_;
  const kernel::FrameConstants* frame_ = nullptr;
  HeightPlane plane_ = HeightPlane::subsample;
  int lod_ = 0;
  std::uint32_t page_x_ = 0;
  std::uint32_t page_z_ = 0;
  mutable std::array<View, kLods> views_;
  mutable std::array<std::shared_ptr<const Page>, kLods> pages_;
  mutable std::optional<Error> error_;
};

}  // namespace arete::mesh
