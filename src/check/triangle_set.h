// The triangles of some nodes as a set, by exact position bits: two cuts draw the same world when their sets are equal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "check/node_mesh.h"

namespace arete::check {

class TriangleSet {
 public:
  void clear() { triangles_.clear(); }
  // Adds the drawn triangles of a judged mesh, each turned to begin with its least corner.
  void add(const NodeMesh& mesh) {
    for (std::size_t t = 0; t < mesh.fates.size(); ++t) {
      if (mesh.fates[t] != Fate::drawn) {
        continue;
      }
      std::array<Words3, 3> corners;
      for (std::size_t c = 0; c < 3; ++c) {
        corners[c] = mesh.position(mesh.triangles->indices[3 * t + c]);
      }
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      triangles_.push_back(corners);
    }
  }
  std::size_t size() const { return triangles_.size(); }
  // Triangles that only one of the sets holds. Sorts both.
  static std::int64_t count_differing(TriangleSet& a, TriangleSet& b) {
    std::sort(a.triangles_.begin(), a.triangles_.end());
    std::sort(b.triangles_.begin(), b.triangles_.end());
    Counter counter;
    std::set_symmetric_difference(a.triangles_.begin(), a.triangles_.end(), b.triangles_.begin(), b.triangles_.end(),
                                  std::back_inserter(counter));
    return counter.count;
  }

 private:
  using Triangle = std::array<Words3, 3>;
  struct Counter {  // counts what is put into it
    using value_type = Triangle;
    void push_back(const Triangle&) { ++count; }
    std::int64_t count = 0;
  };
  std::vector<Triangle> triangles_;
};

}  // namespace arete::check
