// Heights, normals and samples of the surface at single places of a field in memory.
#include "arete/collider.h"
#include "field.h"

namespace arete {
namespace {
collider::Spot spot_of(const HeightfieldView& view, const collider::Field& field, double x_m, double z_m) {
  return collider::view_spot(field, collider::view_samples(view), x_m, z_m);
}

// Where a place is outside, on a rim or its own triangle is missing: rare, and looked up again from its start. What a
// query costs beside its reads is how few instructions stand between them and those of the next one, for a processor
// looks only a few hundred ahead.
[[gnu::noinline]] HeightAnswer height_at_rare_place(const HeightfieldView& view, double x_m, double z_m) {
  return collider::height_answer(view.numbers(), spot_of(view, view.numbers(), x_m, z_m));
}
}  // namespace

const char* ground_name(Ground ground) noexcept {
  switch (ground) {
    case Ground::surface:
      return "surface";
    case Ground::hole:
      return "hole";
    case Ground::outside:
      return "outside";
    case Ground::not_loaded:
      return "not_loaded";
  }
  return "outside";
}

HeightfieldView::HeightfieldView(const Lattice& lattice, std::span<const std::uint16_t> stops)
    : lattice_(lattice),
      data_(stops.data()),
      step_x_(lattice.stops_x > 1 ? 1 : 0),
      step_z_(lattice.stops_z > 1 ? lattice.stops_x : 0),
      numbers_(collider::make_field(lattice)) {
  const std::int32_t least = lattice.is_area() != 0 ? 3 : 1;
  ARETE_ASSERT(lattice.stops_x >= least && lattice.stops_z >= least);
  ARETE_ASSERT(lattice.half_x_m() > 0 && lattice.half_z_m() > 0 && lattice.step_m > 0);
  ARETE_ASSERT(stops.size() == std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z));
}

HeightAnswer height_at(const HeightfieldView& view, double x_m, double z_m) noexcept {
  const collider::Field& field = view.numbers();
  const collider::Samples samples = collider::view_samples(view);
  collider::AxisPlace x;
  collider::AxisPlace z;
  HeightAnswer answer;
  if (collider::locate_within(field.x, x_m, x) && collider::locate_within(field.z, z_m, z) &&
      collider::quick_answer(field, samples, collider::view_corner(samples, x, z), x, z, answer)) {
    return answer;
  }
  return height_at_rare_place(view, x_m, z_m);
}

SurfaceSample sample_at(const HeightfieldView& view, double x_m, double z_m) noexcept {
  const collider::Field& field = view.numbers();
  return collider::sample_answer(field, spot_of(view, field, x_m, z_m));
}

NormalAnswer normal_at(const HeightfieldView& view, double x_m, double z_m) noexcept {
  const collider::Field& field = view.numbers();
  return collider::normal_answer(field, spot_of(view, field, x_m, z_m));
}

void samples_at(const HeightfieldView& view, std::span<const double> x_m, std::span<const double> z_m,
                std::span<SurfaceSample> samples) noexcept {
  ARETE_ASSERT(x_m.size() == samples.size() && z_m.size() == samples.size());
  const collider::Field& field = view.numbers();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = collider::sample_answer(field, spot_of(view, field, x_m[i], z_m[i]));
  }
}

void normals_at(const HeightfieldView& view, std::span<const double> x_m, std::span<const double> z_m,
                std::span<NormalAnswer> normals) noexcept {
  ARETE_ASSERT(x_m.size() == normals.size() && z_m.size() == normals.size());
  const collider::Field& field = view.numbers();
  for (std::size_t i = 0; i < normals.size(); ++i) {
    normals[i] = collider::normal_answer(field, spot_of(view, field, x_m[i], z_m[i]));
  }
}

}  // namespace arete
