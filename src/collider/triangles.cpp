// The triangles that meet a box, row by row: what contact code needs.
#include <algorithm>

#include "arete/collider.h"
#include "field.h"
#include "triangles.h"

namespace arete {

void triangles(const HeightfieldView& view, const Box& box, const TriangleVisitor& visit) {
  const collider::Field& field = view.numbers();
  const collider::Samples samples = collider::view_samples(view);
  const collider::CellRange range = collider::cells_in(field, view.lattice(), box);
  for (std::int32_t z = range.z_first; z <= range.z_last; ++z) {
    for (std::int32_t x = range.x_first; x <= range.x_last; ++x) {
      const std::uint16_t* corner = samples.data + x * samples.step_x + z * samples.step_z;
      if (!collider::visit_cell(field, view.lattice(), box, collider::corners_at(samples, corner), x, z, visit)) {
        return;
      }
    }
  }
}

}  // namespace arete
