#include "ray_answers.h"

namespace arete::collider {

void make_answers(const Field& field, std::span<const Ray> rays, const Walks& walks, std::span<RayHit> hits) {
  for (std::size_t i = 0; i < rays.size(); ++i) {
    if (!walks.is_met[i]) {
      hits[i] = RayHit{};
      continue;
    }
    const std::uint64_t corners = walks.corners[i];
    const auto at = [&](int shift) { return std::uint32_t(corners >> shift & 0xffff); };
    const Meet meet{walks.t[i], std::int32_t(walks.x[i]), std::int32_t(walks.z[i]), walks.is_upper[i],
                    walks.from_below[i]};
    hits[i] = make_hit(field, rays[i], walks.get(i), meet, {at(0), at(16), at(32), at(48)});
  }
}

}  // namespace arete::collider
