// Rays over a field in memory, arrays at a time.
#include <string>

#include "arete/collider.h"

namespace arete {

Result<void> raycast(const HeightfieldView& field, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    auto hit = raycast(field, bounds, rays[i]);
    if (!hit) {
      return Unexpected{hit.error()};
    }
    hits[i] = *hit;
  }
  return {};
}

Result<void> raycast_any(const HeightfieldView& field, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    auto hit = raycast_any(field, bounds, rays[i]);
    if (!hit) {
      return Unexpected{hit.error()};
    }
    is_hit[i] = *hit ? 1 : 0;
  }
  return {};
}

}  // namespace arete
