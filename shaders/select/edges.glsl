// The edge rule of a leaf: which neighbours are coarser.

// How many lods coarser than `lod` the leaf is that lies where a node of it would, beyond the node's own parent.
uint coarser_at(int lod, ivec2 at) {
  if (!is_in_field(lod, at)) {
    return 0u;
  }
  if (is_split(lod + 1, at >> 1)) {
    return 0u;
  }
  return is_split(lod + 2, at >> 2) ? 1u : 2u;
}

// Coarse edges from bit 8 on, corner lods from bit 16 on.
uint edges_of(int lod, ivec2 at) {
  ivec2 outward = 2 * (at & 1) - 1;
  uint beside_x = coarser_at(lod, at + ivec2(outward.x, 0));
  uint beside_z = coarser_at(lod, at + ivec2(0, outward.y));
  uint across = coarser_at(lod, at + outward);
  bool is_east = outward.x > 0;
  bool is_south = outward.y > 0;
  int outer = is_south ? (is_east ? kCornerSouthEast : kCornerSouthWest)
                       : (is_east ? kCornerNorthEast : kCornerNorthWest);
  uint mask = beside_z * uint(is_south ? kEdgePlusZ : kEdgeMinusZ) | beside_x * uint(is_east ? kEdgePlusX : kEdgeMinusX);
  uint corners = max(max(beside_x, beside_z), across) << (2 * outer) | beside_z << (2 * (outer ^ 1)) |
                 beside_x << (2 * (3 - outer));
  return mask << 8 | corners << 16;
}
