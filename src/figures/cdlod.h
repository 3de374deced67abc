// A bare selection after Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps" (2009), as a
// measure for the cut: ranges that double, boxes, a sphere test a node, frustum culling; neither masks nor balance.
#pragma once

#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::figures {

class CdlodSelection {
 public:
  struct Selected {
    std::uint32_t x, z;
    std::uint8_t lod;
    std::uint8_t parts;  // the quarters drawn: all, or those whose children lie out of range
  };

  // Boxes of nodes of 32 quads from bounds; lod 0 takes its parent's heights.
  explicit CdlodSelection(const Bounds& bounds) : lods_(bounds.lattice().lods()) {
    const Lattice& lattice = bounds.lattice();
    for (int lod = 0; lod < lods_; ++lod) {
      Level level;
      level.width = lattice.nodes_x(lod, 32);
      level.depth = lattice.nodes_z(lod, 32);
      for (int z = 0; z < level.depth; ++z) {
        for (int x = 0; x < level.width; ++x) {
          const int from = lod > 0 ? lod : 1;
          const NodeBounds& node = bounds.at(from, lod > 0 ? x : x / 2, lod > 0 ? z : z / 2);
          level.heights.push_back({float(lattice.height_m(node.min)), float(lattice.height_m(node.max))});
        }
      }
      levels_.push_back(std::move(level));
    }
    spacing_x_ = float(lattice.spacing_x_m);
    spacing_z_ = float(lattice.spacing_z_m);
    end_x_ = float(lattice.width_m());
    end_z_ = float(lattice.depth_m());
  }

  const std::vector<Selected>& select(const View& view, float range_0_m) {
    selected_.clear();
    eye_x_ = float(view.eye_x_m);
    eye_y_ = float(view.eye_y_m);
    eye_z_ = float(view.eye_z_m);
    planes_ = view.frustum.empty() ? nullptr : &view.frustum;
    for (int lod = 0; lod < lods_; ++lod) {
      range_sq_[lod] = range_0_m * range_0_m * float(std::uint64_t(1) << (2 * lod));
    }
    range_sq_[lods_ - 1] = 3e38f;
    visited_ = 0;
    const Level& top = levels_[std::size_t(lods_) - 1];
    for (int z = 0; z < top.depth; ++z) {
      for (int x = 0; x < top.width; ++x) {
        select_node(lods_ - 1, x, z);
      }
    }
    return selected_;
  }
  std::uint64_t visited() const { return visited_; }

 private:
  struct Heights {
    float min, max;
  };
  struct Level {
    int width = 0, depth = 0;
    std::vector<Heights> heights;
  };

  bool select_node(int lod, int x, int z) {
    ++visited_;
    const Level& level = levels_[std::size_t(lod)];
    const Heights& heights = level.heights[std::size_t(z) * std::size_t(level.width) + std::size_t(x)];
    const float side_x = spacing_x_ * float(32 << lod), side_z = spacing_z_ * float(32 << lod);
    const float min_x = float(x) * side_x, min_z = float(z) * side_z;
    const float max_x = min_x + side_x < end_x_ ? min_x + side_x : end_x_;
    const float max_z = min_z + side_z < end_z_ ? min_z + side_z : end_z_;
    const auto away = [](float eye, float low, float high) {
      return eye < low ? low - eye : eye > high ? eye - high : 0;
    };
    const float dx = away(eye_x_, min_x, max_x), dy = away(eye_y_, heights.min, heights.max);
    const float dz = away(eye_z_, min_z, max_z);
    const float distance_sq = dx * dx + dy * dy + dz * dz;
    if (distance_sq > range_sq_[lod]) {
      return false;  // the parent draws this area
    }
    if (planes_ != nullptr) {
      for (const Plane& plane : *planes_) {
        if (plane.x * double(plane.x >= 0 ? max_x : min_x) +
                plane.y * double(plane.y >= 0 ? heights.max : heights.min) +
                plane.z * double(plane.z >= 0 ? max_z : min_z) + plane.d <
            0) {
          return true;
        }
      }
    }
    if (lod == 0 || distance_sq > range_sq_[lod - 1]) {
      selected_.push_back({std::uint32_t(x), std::uint32_t(z), std::uint8_t(lod), 15});
      return true;
    }
    int parts = 0;
    const Level& finer = levels_[std::size_t(lod) - 1];
    for (int child = 0; child < 4; ++child) {
      const int cx = 2 * x + (child & 1), cz = 2 * z + (child >> 1);
      if (cx < finer.width && cz < finer.depth && !select_node(lod - 1, cx, cz)) {
        parts |= 1 << child;
      }
    }
    if (parts != 0) {
      selected_.push_back({std::uint32_t(x), std::uint32_t(z), std::uint8_t(lod), std::uint8_t(parts)});
    }
    return true;
  }

  int lods_;
  std::vector<Level> levels_;
  std::vector<Selected> selected_;
  std::uint64_t visited_ = 0;
  const std::vector<Plane>* planes_ = nullptr;
  float eye_x_ = 0, eye_y_ = 0, eye_z_ = 0;
  float spacing_x_ = 1, spacing_z_ = 1, end_x_ = 0, end_z_ = 0;
  float range_sq_[32] = {};
};

}  // namespace arete::figures
