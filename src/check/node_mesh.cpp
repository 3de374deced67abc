// Which triangles of a node are drawn, and which of its edges must meet a reverse elsewhere.
#include "check/node_mesh.h"

#include "kernel/vertex.h"

namespace arete::check {

void NodeMesh::judge(const Triangles& buffer) {
  triangles = &buffer;
  fates.resize(buffer.count());
  for (std::size_t t = 0; t < buffer.count(); ++t) {
    const std::uint32_t* corner = &buffer.indices[3 * t];
    const std::array<bool, 3> hole = {is_hole(corner[0]), is_hole(corner[1]), is_hole(corner[2])};
    const auto same = [&](int a, int b) {
      return hole[std::size_t(a)] == hole[std::size_t(b)] && position(corner[a]) == position(corner[b]);
    };
    if (same(0, 1) || same(1, 2) || same(2, 0)) {
      fates[t] = Fate::degenerate;
    } else {
      fates[t] = hole[0] || hole[1] || hole[2] ? Fate::over_hole : Fate::drawn;
    }
  }
}

void NodeMesh::add_edges(EdgeNet& net) const {
  for (std::size_t t = 0; t < fates.size(); ++t) {
    if (fates[t] == Fate::degenerate) {
      continue;
    }
    for (std::size_t h = 3 * t; h < 3 * t + 3; ++h) {
      const std::int32_t across = triangles->across[h];
      if (across >= 0 && fates[std::size_t(across) / 3] != Fate::degenerate) {
        continue;
      }
      const std::uint32_t from = triangles->indices[h];
      const std::uint32_t to = triangles->indices[Triangles::next(h)];
      const std::uint32_t a = net.vertex(position(from), is_hole(from));
      const std::uint32_t b = net.vertex(position(to), is_hole(to));
      fates[t] == Fate::drawn ? net.add_drawn(a, b) : net.add_hole(a, b);
    }
  }
}

std::int64_t NodeMesh::compare_normals(const kernel::FrameConstants& frame, NormalMap& normals) const {
  const kernel::NodeRecord record = node_record(node, quads_);
  std::int64_t differing = 0;
  for (int k = 0; k <= quads_; ++k) {
    for (int i = 0; i <= quads_; i += k == 0 || k == quads_ ? 1 : quads_) {
      const auto vertex = static_cast<std::uint32_t>(k * (quads_ + 1) + i);
      if (is_hole(vertex)) {
        continue;
      }
      const kernel::DrawnIndex drawn = kernel::drawn_index(frame, record, i, k);
      const auto stop = [&](int g, int last_stop) {
        return std::uint64_t(kernel::stop_of(kernel::lod_index(g, drawn.lod, last_stop), last_stop));
      };
      const std::uint64_t place = stop(drawn.gx, frame.last_stop_x) << 32 | stop(drawn.gz, frame.last_stop_z);
      const auto [at, is_first] = normals.emplace(place, normal(vertex));
      differing += !is_first && at->second != normal(vertex) ? 1 : 0;
    }
  }
  return differing;
}

}  // namespace arete::check
