// The other way to keep local ranges, for comparison: one kappa for each block of ground, the same at every lod,
// instead of one for each node of every lod. Cut and vertices by the library's own rules; doubles choose the cut.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "arete/cut.h"
#include "arete/tiles.h"
#include "kernel/vertex.h"

namespace arete::bench {

// Kappas of blocks of 32 x 32 cells from the exact errors of both planes' cells at every lod, as the library's rule has
// it: the greatest that covers each cell that touches the closed block.
class BlockRanges final : public SplitPredicate {
 public:
  BlockRanges(const MemorySource& source, std::span<const std::uint16_t> stops)
      : source_(source), lattice_(source.lattice()), stops_(stops) {
    width_ = lattice_.nodes_x(0, kBoundsQuads);
    depth_ = lattice_.nodes_z(0, kBoundsQuads);
    kappas_.assign(std::size_t(width_) * std::size_t(depth_), kernel::kKappaLimit);
    for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
      double roughest_sq = 0;
      for (int lod = 1; lod < lattice_.lods(); ++lod) {
        roughest_sq = std::max(roughest_sq, std::ldexp(squared(source.bounds().lod_error(lod, plane)), 2 - 2 * lod));
      }
      for (int lod = 1; lod < lattice_.lods(); ++lod) {
        read_plane(lod, plane);
        for (std::int32_t k = 0; k < lattice_.cells_z(lod); ++k) {
          for (std::int32_t i = 0; i < lattice_.cells_x(lod); ++i) {
            const double error_sq = squared(std::ceil(cell_error(lod, i, k) - 1e-6));
            lower(lod, i, k, std::min(std::ilogb(std::ldexp(roughest_sq, 2 * lod - 2) / error_sq), 60));
          }
        }
      }
    }
    find_splits();
  }

  void look(const View& view, double range_0_m) {
    view_ = view;
    range_sq_ = range_0_m * range_0_m;
  }
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    if (lod == 0) {
      return false;
    }
    const Level& level = levels_[std::size_t(lod)];
    const std::size_t at = std::size_t(z) * std::size_t(level.width) + x;
    const NodeBox& box = level.boxes[at];
    const auto away = [](double low, double high, double eye) { return std::max({low - eye, 0.0, eye - high}); };
    const double dx = away(box.min_x_m, box.max_x_m, view_.eye_x_m), dy = away(box.min_y_m, box.max_y_m, view_.eye_y_m),
                 dz = away(box.min_z_m, box.max_z_m, view_.eye_z_m);
    return std::ldexp(dx * dx + dy * dy + dz * dz, level.splits[at] - 2 * (lod - 1)) < range_sq_ * (1 + 1e-5);
  }

  // The vertex function's source of samples: positions in the subsample plane.
  kernel::Sample fetch_sample(const kernel::FrameConstants& frame, int lod, int gx, int gz) const {
    kernel::Sample at;
    at.x = kernel::axis_place(kernel::frame_axis_x(frame), lod, gx);
    at.z = kernel::axis_place(kernel::frame_axis_z(frame), lod, gz);
    gx = at.x.index << lod;
    gz = at.z.index << lod;
    const int x = kernel::stop_of(gx, lattice_.last_stop_x()), z = kernel::stop_of(gz, lattice_.last_stop_z());
    at.anchor = at.drawn = stops_[std::size_t(z) * std::size_t(lattice_.stops_x) + std::size_t(x)];
    at.kappa = 0;
    for (int k = first_block(gz, depth_); lod + 1 < lattice_.lods() && k <= last_block(gz, depth_); ++k) {
      for (int i = first_block(gx, width_); i <= last_block(gx, width_); ++i) {
        at.kappa = std::max(at.kappa, kappas_[std::size_t(k) * std::size_t(width_) + std::size_t(i)]);
      }
    }
    at.gradient = {0, 0};
    return at;
  }

 private:
  struct Level {
    std::int32_t width = 0;
    std::vector<NodeBox> boxes;
    std::vector<int> splits;
  };
  static constexpr int kShift = 5;
  static int first_block(int index, int blocks) { return kernel::first_range_node(index, kShift, blocks); }
  static int last_block(int index, int blocks) { return kernel::last_range_node(index, kShift, blocks); }
  static double squared(double error) { return error == 0 ? 0.25 : error * error; }

  void read_plane(int lod, HeightPlane plane) {
    plane_width_ = lattice_.pages_x(lod) * kPageCells + 1;
    plane_.assign(std::size_t(plane_width_) * std::size_t(lattice_.pages_z(lod) * kPageCells + 1), 0);
    for (std::int32_t z = 0; z < lattice_.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice_.pages_x(lod); ++x) {
        const auto page = *source_.page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
        for (int k = 0; k < kPageSamples; ++k) {
          std::copy_n(page->plane(plane).begin() + std::ptrdiff_t(Page::index(0, k)), kPageSamples,
                      plane_.begin() + std::ptrdiff_t(z * kPageCells + k) * plane_width_ + x * kPageCells);
        }
      }
    }
  }

  // Steps between a cell and the samples under its triangles.
  double cell_error(int lod, std::int32_t i, std::int32_t k) const {
    const std::int32_t x0 = i << lod, x1 = std::min((i + 1) << lod, lattice_.last_stop_x());
    const std::int32_t z0 = k << lod, z1 = std::min((k + 1) << lod, lattice_.last_stop_z());
    const std::uint16_t* corner = plane_.data() + std::ptrdiff_t(k) * plane_width_ + i;
    const double h00 = corner[0], h10 = corner[1], h01 = corner[plane_width_], h11 = corner[plane_width_ + 1];
    const bool is_lower = h00 != 0 && h10 != 0 && h01 != 0, is_upper = h10 != 0 && h11 != 0 && h01 != 0;
    double worst = 0;
    for (std::int32_t z = z0; z <= z1; ++z) {
      const double fz = double(lattice_.half_z(z) - lattice_.half_z(z0)) / (lattice_.half_z(z1) - lattice_.half_z(z0));
      for (std::int32_t x = x0; x <= x1; ++x) {
        const double steps = stops_[std::size_t(z) * std::size_t(lattice_.stops_x) + std::size_t(x)];
        const double fx =
            double(lattice_.half_x(x) - lattice_.half_x(x0)) / (lattice_.half_x(x1) - lattice_.half_x(x0));
        if (steps == 0 || !(fx + fz <= 1 ? is_lower : is_upper)) {
          continue;
        }
        const double height = fx + fz <= 1 ? h00 + fx * (h10 - h00) + fz * (h01 - h00)
                                           : h11 + (1 - fx) * (h01 - h11) + (1 - fz) * (h10 - h11);
        worst = std::max(worst, std::abs(height - steps));
      }
    }
    return worst;
  }

  // Lowers the kappa of every block that a cell touches.
  void lower(int lod, std::int32_t i, std::int32_t k, int kappa) {
    const int last_x = last_block((i + 1) << lod, width_), last_z = last_block((k + 1) << lod, depth_);
    for (int z = first_block(k << lod, depth_); z <= last_z; ++z) {
      for (int x = first_block(i << lod, width_); x <= last_x; ++x) {
        int& held = kappas_[std::size_t(z) * std::size_t(width_) + std::size_t(x)];
        held = std::min(held, kappa);
      }
    }
  }

  void find_splits() {
    levels_.resize(std::size_t(lattice_.lods()));
    for (int lod = 1; lod < lattice_.lods(); ++lod) {
      Level& level = levels_[std::size_t(lod)];
      level.width = lattice_.nodes_x(lod, kBoundsQuads);
      for (std::int32_t z = 0; z < lattice_.nodes_z(lod, kBoundsQuads); ++z) {
        for (std::int32_t x = 0; x < level.width; ++x) {
          level.boxes.push_back(node_box(source_.bounds(), kBoundsQuads, lod, std::uint32_t(x), std::uint32_t(z),
                                         HeightPlane::subsample));
          // The blocks in the node; a range of a finer lod is never the greater.
          int split = kernel::kKappaLimit;
          for (std::int32_t k = z << lod; k < std::min((z + 1) << lod, depth_); ++k) {
            for (std::int32_t i = x << lod; i < std::min((x + 1) << lod, width_); ++i) {
              split = std::min(split, kappas_[std::size_t(k) * std::size_t(width_) + std::size_t(i)]);
            }
          }
          level.splits.push_back(split);
        }
      }
    }
  }

  const MemorySource& source_;
  const Lattice lattice_;
  std::span<const std::uint16_t> stops_;
  std::int32_t width_ = 0, depth_ = 0;  // blocks
  std::vector<int> kappas_;
  std::vector<Level> levels_;  // [0] stays empty
  std::vector<std::uint16_t> plane_;
  std::int32_t plane_width_ = 0;
  View view_;
  double range_sq_ = 0;
};

}  // namespace arete::bench
