// The proof: meshes a field as it is drawn, for many cameras, and counts every way in which a level-of-detail terrain
// can be wrong. All counters are 0 for a right field.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arete/core.h"

namespace arete {

struct CheckOptions {
  int views = 300;
  std::uint64_t seed = 1;
  int node_quads = 32;
  double max_error_px = 1.5;
  double pixels_per_radian = 1000;
};

struct CheckReport {
  std::int64_t views = 0;
  std::int64_t triangles = 0;           // meshed in all, degenerate ones left out
  std::int64_t vertices = 0;
  std::int64_t interiors_checked = 0;   // nodes whose inner edges were checked too, beside every node's border
  std::int64_t cracks = 0;              // border edges without their twin, by exact position bits
  std::int64_t t_junctions = 0;         // a vertex inside another triangle's border edge
  std::int64_t merge_moves = 0;         // places that differ across a merge or split of a bisected camera
  std::int64_t collider_mismatches = 0; // unmorphed lod-0 vertices or triangles off the collider's surface
  std::int64_t border_mismatches = 0;   // shared samples of pages that differ, at any mip
  std::int64_t normal_mismatches = 0;   // shared vertices whose normals differ, or aprons that disagree with the neighbour
  std::int64_t hole_mismatches = 0;     // triangles over holes, or missing where three samples are valid
  std::int64_t balance_violations = 0;  // edge neighbours more than one lod apart
  std::int64_t uncovered = 0;           // cells of the field covered not exactly once by the cut
  std::vector<std::string> first_failures;  // one line each, with the camera that shows it

  std::int64_t failures() const {
    return cracks + t_junctions + merge_moves + collider_mismatches + border_mismatches + normal_mismatches +
           hole_mismatches + balance_violations + uncovered;
  }
};

// How the checker gets a mesh; tests plant faults here. The default is select_cut and NodeMesher.
struct CheckHooks {
  std::function<void(Cut&)> alter_cut;
  std::function<void(kernel::FrameConstants&)> alter_frame;
  // Called for every node's vertices as (node, index of the vertex, words of the vertex in engine layout).
  std::function<void(const Node&, int, std::uint32_t*)> alter_vertex;
  std::function<void(std::vector<std::uint32_t>&)> alter_indices;
};

// Random, adversarial (on stops, edges, at range thresholds) and bisected cameras; plain, over-refined and budgeted cuts; both height
// planes; every page border at every lod.
Result<CheckReport> check_field(const SampleSource& source, const Bounds& bounds, const CheckOptions& options,
                                const std::function<void(double)>& progress = {}, const CheckHooks& hooks = {});

}  // namespace arete
