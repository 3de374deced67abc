// A node against the samples: which vertices may be holes, and drawn = collided where nothing morphs.
//
// Places and heights are computed here in double from the lattice and the pages, apart from the mesher; the collider's
// surface is kernel/height.h, evaluated at the middle of every drawn edge, where a wrong diagonal shows.
#include <algorithm>
#include <cmath>

#include "check/findings.h"
#include "check/node_mesh.h"
#include "kernel/vertex.h"

namespace arete::check {
namespace {
class SurfaceJudge {
 public:
  SurfaceJudge(const Scene& scene, const NodeMesh& mesh, PageReader& pages, CheckReport& report)
      : scene_(scene), mesh_(mesh), pages_(pages), report_(report), record_(node_record(mesh.node, mesh.quads())) {}

  void run() {
    const int side = mesh_.quads() + 1;
    at_rest_.assign(std::size_t(side * side), 0);
    for (int k = 0; k < side; ++k) {
      for (int i = 0; i < side; ++i) {
        judge_vertex(i, k);
      }
    }
    if (record_.lod == 0) {
      judge_cells();
    }
  }

 private:
  std::uint32_t index(int i, int k) const { return static_cast<std::uint32_t>(k * (mesh_.quads() + 1) + i); }

  // The sample that stands for fine whole indices (gx, gz) at a lod.
  kernel::Sample sample(int lod, int gx, int gz) {
    const Lattice& lattice = scene_.lattice;
    gx = kernel::lod_index(gx, lod, lattice.last_stop_x());
    gz = kernel::lod_index(gz, lod, lattice.last_stop_z());
    kernel::Sample at;
    at.x = kernel::axis_place(kernel::frame_axis_x(scene_.frame), lod, gx);
    at.z = kernel::axis_place(kernel::frame_axis_z(scene_.frame), lod, gz);
    at.gradient = {0, 0};  // not asked for
    at.anchor = pages_.steps(HeightPlane::subsample, lod, gx >> lod, gz >> lod);
    at.drawn = pages_.steps(scene_.ranges.plane, lod, gx >> lod, gz >> lod);
    at.kappa = scene_.bounds.kappa_at(lod, gx, gz);
    return at;
  }

  // Whether V(lod, g) is a hole: the target's flag behind the band, the lod's own up to there.
  bool expects_hole(int lod, int gx, int gz) {
    const kernel::Sample at = sample(lod, gx, gz);
    const float weight = kernel::sample_weight(scene_.frame, at, lod);
    return weight < 1.0f ? at.drawn == 0 : expects_hole(lod + 1, gx, gz);
  }

  void judge_vertex(int i, int k) {
    const std::uint32_t vertex = index(i, k);
    const kernel::DrawnIndex drawn = kernel::drawn_index(scene_.frame, record_, i, k);
    const bool is_hole = mesh_.is_hole(vertex);
    const bool should_be_hole = scene_.has_holes && expects_hole(drawn.lod, drawn.gx, drawn.gz);
    if (is_hole != should_be_hole) {
      count_failure(report_, &CheckReport::hole_mismatches, 1,
                    where(i, k) + (is_hole ? ": a hole where the ground is known" : ": ground over a hole"));
    }
    if (drawn.lod != 0) {
      return;
    }
    const kernel::Sample at = sample(0, drawn.gx, drawn.gz);
    if (kernel::sample_weight(scene_.frame, at, 0) > 0.0f) {
      return;
    }
    at_rest_[vertex] = 1;
    any_at_rest_ = true;
    if (at.anchor == kHole) {
      return;
    }
    const Lattice& lattice = scene_.lattice;
    const auto metres = [](int half, int anchor, float half_m) {
      return static_cast<float>((double(half) - double(anchor)) * double(half_m));
    };
    const int half_x = lattice.half_x(kernel::stop_of(at.x.index, lattice.last_stop_x()));
    const int half_z = lattice.half_z(kernel::stop_of(at.z.index, lattice.last_stop_z()));
    const std::array<float, 3> place = {metres(half_x, scene_.frame.anchor_half_x, lattice.half_x_m()),
                                        static_cast<float>(lattice.height_m(static_cast<std::uint16_t>(at.anchor))),
                                        metres(half_z, scene_.frame.anchor_half_z, lattice.half_z_m())};
    const Words3 found = mesh_.position(vertex);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::bit_cast<float>(found[axis]) != place[axis]) {
        count_failure(report_, &CheckReport::collider_mismatches, 1,
                      where(i, k) + text(": %c is %.9g, the sample's is %.9g", "xyz"[axis],
                                         double(std::bit_cast<float>(found[axis])), double(place[axis])));
        return;
      }
    }
  }

  // Steps at a node vertex, 0 at a hole.
  double steps(int i, int k) {
    return pages_.steps(HeightPlane::subsample, 0, record_.x * record_.quads + i, record_.z * record_.quads + k);
  }

  // Triangles between unmorphed vertices lie on the collider's planes, and both of a cell's are there unless a corner
  // is a hole.
  void judge_cells() {
    if (!any_at_rest_) {
      return;
    }
    ++report_.collider_nodes;
    const int quads = record_.quads;
    std::vector<int> drawn_in_cell(std::size_t(quads * quads), 0);
    const std::vector<std::uint32_t>& indices = mesh_.triangles->indices;
    for (std::size_t t = 0; t < mesh_.fates.size(); ++t) {
      if (mesh_.fates[t] != Fate::drawn) {
        continue;
      }
      std::array<int, 3> column{};
      std::array<int, 3> row{};
      bool rests = true;
      for (std::size_t corner = 0; corner < 3; ++corner) {
        const std::uint32_t vertex = indices[3 * t + corner];
        column[corner] = static_cast<int>(vertex) % (quads + 1);
        row[corner] = static_cast<int>(vertex) / (quads + 1);
        rests = rests && at_rest_[vertex] != 0;
      }
      if (rests) {
        judge_triangle(column, row, drawn_in_cell);
      }
    }
    for (int k = 0; k < quads; ++k) {
      for (int i = 0; i < quads; ++i) {
        judge_cell(i, k, drawn_in_cell[std::size_t(k * quads + i)]);
      }
    }
  }

  void judge_triangle(const std::array<int, 3>& column, const std::array<int, 3>& row,
                      std::vector<int>& drawn_in_cell) {
    const int i = *std::min_element(column.begin(), column.end());
    const int k = *std::min_element(row.begin(), row.end());
    const bool in_one_cell =
        *std::max_element(column.begin(), column.end()) == i + 1 && *std::max_element(row.begin(), row.end()) == k + 1;
    if (!in_one_cell) {
      count_failure(report_, &CheckReport::collider_mismatches, 1,
                    where(i, k) + ": a triangle that is no half of a cell");
      return;
    }
    ++drawn_in_cell[std::size_t(k * record_.quads + i)];
    const double h00 = steps(i, k), h10 = steps(i + 1, k), h01 = steps(i, k + 1), h11 = steps(i + 1, k + 1);
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t b = (a + 1) % 3;
      const double fx = 0.5 * (column[a] + column[b]) - i;
      const double fz = 0.5 * (row[a] + row[b]) - k;
      const double drawn = 0.5 * (steps(column[a], row[a]) + steps(column[b], row[b]));
      const double collided = kernel::cell_height(h00, h10, h01, h11, fx, fz);
      if (drawn != collided) {
        count_failure(report_, &CheckReport::collider_mismatches, 1,
                      where(i, k) + text(": drawn %.9g, collided %.9g steps in the cell's middle", drawn, collided));
        return;
      }
    }
  }

  void judge_cell(int i, int k, int drawn) {
    const bool is_flat = record_.x * record_.quads + i >= scene_.lattice.last_stop_x() ||
                         record_.z * record_.quads + k >= scene_.lattice.last_stop_z();
    const bool rests = at_rest_[index(i, k)] && at_rest_[index(i + 1, k)] && at_rest_[index(i, k + 1)] &&
                       at_rest_[index(i + 1, k + 1)];
    if (is_flat || !rests) {
      return;
    }
    const bool diagonal = steps(i + 1, k) != 0 && steps(i, k + 1) != 0;
    const int expected = diagonal ? (steps(i, k) != 0 ? 1 : 0) + (steps(i + 1, k + 1) != 0 ? 1 : 0) : 0;
    if (drawn != expected) {
      count_failure(report_, &CheckReport::hole_mismatches, std::abs(drawn - expected),
                    where(i, k) + text(": %d triangles in the cell, %d have three samples", drawn, expected));
    }
  }

  std::string where(int i, int k) const {
    return text("node lod %d x %d z %d vertex (%d, %d)", record_.lod, record_.x, record_.z, i, k);
  }

  const Scene& scene_;
  const NodeMesh& mesh_;
  PageReader& pages_;
  CheckReport& report_;
  const kernel::NodeRecord record_;
  std::vector<char> at_rest_;  // unmorphed vertices drawn at lod 0
  bool any_at_rest_ = false;
};
}  // namespace

void judge_surface(const Scene& scene, const NodeMesh& mesh, PageReader& pages, CheckReport& report) {
  if (scene.has_holes || mesh.node.lod == 0) {
    SurfaceJudge(scene, mesh, pages, report).run();
    return;
  }
  for (std::uint32_t vertex = 0; vertex < std::uint32_t(node_vertices(mesh.quads())); ++vertex) {
    if (mesh.is_hole(vertex)) {
      count_failure(
          report, &CheckReport::hole_mismatches, 1,
          text("node lod %d x %u z %u: a hole in a field without holes", int(mesh.node.lod), mesh.node.x, mesh.node.z));
    }
  }
}

}  // namespace arete::check
