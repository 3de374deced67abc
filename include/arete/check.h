// The proof: meshes a field as it is drawn, for many cameras, and counts every way in which a level-of-detail terrain
// can be wrong. All counters are 0 for a right field.
//
// Each view draws its own cut (plain, refined beyond the plain one, budgeted, or on both sides of a bisected cut
// change) of one height plane through NodeMesher and the index buffers, as a renderer does, and judges the triangles by
// the exact bits of their positions. Pages are judged once, apart from views. What is judged is docs/surface.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "arete/core.h"

namespace arete {

struct CheckOptions {
  int views = 300;                  // >= 0
  std::uint64_t seed = 1;           // same seed, same views, same counts, whatever the number of jobs
  int node_quads = 32;              // a power of two from 4 to 128
  double max_error_px = 1.5;        // of the finest views; others ask for up to 32 times as much
  double pixels_per_radian = 1000;  // > 0
  int jobs = 0;                     // threads; 0: one a processor
};

struct CheckReport {
  std::int64_t views = 0;
  std::int64_t nodes = 0;                // meshed in all
  std::int64_t triangles = 0;            // meshed in all, degenerate ones left out
  std::int64_t vertices = 0;             // meshed in all
  std::int64_t interiors_checked = 0;    // nodes whose inner edges were judged too, beside every node's border
  std::int64_t collider_nodes = 0;       // lod-0 nodes that held unmorphed cells to compare with the collider's
  std::int64_t changes_bisected = 0;     // cut changes that merges and splits were judged on
  std::int64_t pages = 0;                // pages whose borders and aprons were compared
  std::int64_t cracks = 0;               // border edges without their twin, by exact position bits
  std::int64_t t_junctions = 0;          // vertices inside another triangle's unmatched border edge, seen from above
  std::int64_t merge_moves = 0;          // triangles that differ across a merge or split, or under needless refinement
  std::int64_t collider_mismatches = 0;  // unmorphed lod-0 vertices or triangles off the collider's surface
  std::int64_t border_mismatches = 0;    // shared samples of pages that differ, at any mip
  std::int64_t normal_mismatches =
      0;                             // shared vertices whose normals differ, or aprons that disagree with the neighbour
  std::int64_t hole_mismatches = 0;  // vertices or triangles that hide ground or cover holes
  std::int64_t balance_violations = 0;      // edge neighbours more than one lod apart
  std::int64_t uncovered = 0;               // cells of the field covered not exactly once by the cut
  std::vector<std::string> first_failures;  // one line each, in the order of views, with the camera that shows it

  std::int64_t failures() const {
    return cracks + t_junctions + merge_moves + collider_mismatches + border_mismatches + normal_mismatches +
           hole_mismatches + balance_violations + uncovered;
  }
};

// How the checker gets a mesh; tests plant faults here. The default is select_cut and NodeMesher. Called from several
// threads at once.
struct CheckHooks {
  std::function<void(Cut&)> alter_cut{};
  std::function<void(kernel::FrameConstants&)> alter_frame{};
  // Called for every node's vertices as (node, index of the vertex, words of the vertex in engine layout).
  std::function<void(const Node&, int, std::uint32_t*)> alter_vertex{};
  // Called for every index buffer when a thread makes it: the plain one, and the sewn ones of each mask and node
  // extent.
  std::function<void(std::vector<std::uint32_t>&)> alter_indices{};
};

// Random, adversarial (on stops, edges, at range thresholds, inside the ground, far outside) and bisected cameras;
// plain, over-refined and budgeted cuts; plain and sewn index buffers; both height planes; every page border at every
// lod. Memory is bounded by the greatest cut. `progress` (0..1) is called from one thread at a time. Fails only where
// `source` does.
Result<CheckReport> check_field(const SampleSource& source, const Bounds& bounds, const CheckOptions& options,
                                const std::function<void(double)>& progress = {}, const CheckHooks& hooks = {});

}  // namespace arete
