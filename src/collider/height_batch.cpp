// Heights at arrays of places of a field in memory.
#include "arete/collider.h"
#include "height_lanes.h"

namespace arete {
namespace {
class ViewHeights final : public collider::HeightLaneUser {
 public:
  explicit ViewHeights(const HeightfieldView& view) : view_(view) {}
  void corners(const std::int32_t*, const std::int32_t*, std::size_t, const std::uint16_t**) override {}
  bool single(double x_m, double z_m, double& y_m, Ground& ground) override {
    const HeightAnswer answer = height_at(view_, x_m, z_m);
    y_m = answer.y_m;
    ground = answer.ground;
    return true;
  }

 private:
  const HeightfieldView& view_;
};
}  // namespace

void heights_at(const HeightfieldView& view, std::span<const double> x_m, std::span<const double> z_m,
                std::span<double> y_m, std::span<Ground> ground) noexcept {
  ARETE_ASSERT(x_m.size() == z_m.size() && x_m.size() == y_m.size() && x_m.size() == ground.size());
  ViewHeights user(view);
  if (view.lattice().stops_x < 2 || view.lattice().stops_z < 2) {  // lanes read whole cells
    for (std::size_t i = 0; i < x_m.size(); ++i) {
      user.single(x_m[i], z_m[i], y_m[i], ground[i]);
    }
    return;
  }
  const collider::Field& field = view.numbers();
  collider::height_lanes(field, view.data(), view.lattice().stops_x, user, x_m.size(), x_m.data(), z_m.data(),
                         y_m.data(), ground.data());
}

}  // namespace arete
