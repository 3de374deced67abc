// Heights at arrays of places.
#include "arete/collider.h"

namespace arete {

void heights_at(const HeightfieldView& view, std::span<const double> x_m, std::span<const double> z_m,
                std::span<double> y_m, std::span<Ground> ground) noexcept {
  ARETE_ASSERT(x_m.size() == z_m.size() && x_m.size() == y_m.size() && x_m.size() == ground.size());
  for (std::size_t i = 0; i < x_m.size(); ++i) {
    const HeightAnswer answer = height_at(view, x_m[i], z_m[i]);
    y_m[i] = answer.y_m;
    ground[i] = answer.ground;
  }
}

}  // namespace arete
