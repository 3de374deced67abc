// The collider against exact arithmetic, at length: every ray of the benchmark's sets, and 10^7 of all kinds.
//
//   bench_collider_exact [rays a set] [rays of all kinds]    262,144 and 10^7 unless told; exit 1 on any leak
//
// A leak is a ray that goes on where the exact one meets ground, although lifted or lowered by 4 nanosteps it meets it
// as well.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "collider_fields.h"
#include "support/ray_kinds.h"

namespace arete::bench {
namespace {

struct Verdict {
  std::int64_t rays = 0, hits = 0, differing = 0, touches = 0, leaks = 0;
  double worst_m = 0;  // vertical distance of a hit from the exact surface over max(1, coordinate)

  void print(const char* what) const {
    std::printf("%-44s %9lld rays %9lld hits: %lld differ, of them %lld touch only; %lld leaks; worst %.2g m\n", what,
                static_cast<long long>(rays), static_cast<long long>(hits), static_cast<long long>(differing),
                static_cast<long long>(touches), static_cast<long long>(leaks), worst_m);
    std::fflush(stdout);
  }
};

void judge(const test::ExactCaster& caster, const test::ExactRay& exact, const Ray& ray, const RayHit& hit,
           double step_m, Verdict& verdict) {
  const bool is_met = hit.status == RayStatus::surface;
  const auto goes_through = [&](std::int64_t lift) {
    test::ExactRay lifted = exact;
    lifted.o[1] += lift;
    const auto expected = caster.cast(lifted);
    return expected && (!is_met || test::to_double(expected->t) < hit.t - 1e-6 * (1 + hit.t));
  };
  ++verdict.rays;
  verdict.hits += is_met ? 1 : 0;
  const auto expected = caster.cast(exact);
  const bool agrees = expected.has_value() == is_met &&
                      (!is_met || std::abs(test::to_double(expected->t) - hit.t) <= 1e-6 * (1 + hit.t));
  if (!agrees) {
    ++verdict.differing;
    if (goes_through(0) && goes_through(1) && goes_through(-1)) {
      ++verdict.leaks;
    } else {
      ++verdict.touches;
    }
  }
  if (is_met) {
    const auto over = caster.height_over(exact, hit.t);
    const double scale =
        std::max({1.0, std::abs(ray.origin_m[0]), std::abs(ray.origin_m[1]), std::abs(ray.origin_m[2])});
    verdict.worst_m = std::max(verdict.worst_m, over ? std::abs(double(*over)) * step_m / scale : 1e300);
  }
}

std::int64_t judge_sets(const char* name, const std::vector<float>& heights, int rays) {
  std::int64_t faults = 0;
  const test::TestField fine = field_of(heights, kFinest), coarse = field_of(heights, 1025);
  for (const bool is_grazing : {false, true}) {
    const std::vector<Ray> set = make_rays(fine.view(), coarse.view(), is_grazing, rays, 12345);
    for (const test::TestField* field : {&coarse, &fine}) {
      const Lattice& lattice = field->lattice;
      std::vector<RayHit> hits(set.size());
      if (!raycast(field->view(), field->bounds(), set, hits)) std::exit(1);
      const test::ExactField exact_field{lattice.stops_x, lattice.stops_z, field->stops.data()};
      const test::ExactCaster caster(exact_field);
      Verdict verdict;
      for (std::size_t i = 0; i < set.size(); ++i) {
        const std::array<double, 3> unit{lattice.spacing_x_m, lattice.step_m, lattice.spacing_z_m};
        test::ExactRay exact{};
        for (std::size_t k = 0; k < 3; ++k) {
          const double origin = set[i].origin_m[k] - (k == 1 ? lattice.base_m : 0);
          exact.o[k] = std::int64_t(origin / unit[k] * double(test::kOne));
          exact.d[k] = std::int64_t(set[i].direction[k] / unit[k] * double(test::kOne));
        }
        exact.max_t = std::int64_t(set[i].max_t);
        judge(caster, exact, set[i], hits[i], lattice.step_m, verdict);
      }
      verdict.print(
          (std::string(name) + (is_grazing ? " grazing " : " slanted ") + std::to_string(lattice.stops_x)).c_str());
      faults += verdict.differing + (verdict.worst_m > 1e-9 ? 1 : 0);
    }
  }
  return faults;
}

std::int64_t judge_kinds(std::int64_t rays) {
  Verdict verdict;
  const std::int64_t share = rays / (7 * 4 * int(test::RayKind::count)) + 1;
  for (const auto terrain : {test::Terrain::random, test::Terrain::cliff, test::Terrain::fractal, test::Terrain::smooth,
                             test::Terrain::holes, test::Terrain::flat, test::Terrain::checkerboard}) {
    for (const auto& [stops_x, stops_z] : {std::pair{21, 21}, {37, 20}, {65, 129}, {257, 257}}) {
      const Lattice lattice{
          .stops_x = stops_x, .stops_z = stops_z, .spacing_x_m = 4, .spacing_z_m = 2, .base_m = -16, .step_m = 0.25};
      test::TestField field(lattice, test::terrain_field(terrain, std::uint64_t(stops_x), lattice));
      if (terrain == test::Terrain::random) {
        for (std::uint16_t& steps : field.stops) steps = std::uint16_t(1 + steps % 9);
      }
      const HeightfieldView view = field.view();
      const RayBounds bounds(view);
      const test::ExactField exact_field{stops_x, stops_z, field.stops.data()};
      const test::ExactCaster caster(exact_field);
      test::RayMaker maker(exact_field, std::uint64_t(stops_x) + 1000);
      for (int kind = 0; kind < int(test::RayKind::count); ++kind) {
        std::vector<test::ExactRay> exact;
        std::vector<Ray> batch;
        for (std::int64_t i = 0; i < share; ++i) {
          exact.push_back(maker.make(test::RayKind(kind)));
          batch.push_back(test::ray_in_metres(exact.back(), lattice));
        }
        std::vector<RayHit> hits(batch.size());
        if (!raycast(view, bounds, batch, hits)) std::exit(1);
        for (std::size_t i = 0; i < batch.size(); ++i) {
          judge(caster, exact[i], batch[i], hits[i], lattice.step_m, verdict);
        }
      }
    }
  }
  verdict.print("random and adversarial");
  return verdict.leaks + (verdict.worst_m > 1e-9 ? 1 : 0);
}

}  // namespace
}  // namespace arete::bench

int main(int argc, char** argv) {
  using namespace arete::bench;
  const int rays = argc > 1 ? std::atoi(argv[1]) : 262144;
  const std::int64_t kinds = argc > 2 ? std::atoll(argv[2]) : 10'000'000;
  std::int64_t faults = 0;
  if (rays > 0) {
    faults += judge_sets("Jacksboro", jacksboro(), rays);
    faults += judge_sets("fractal", fractal(), rays);
  }
  if (kinds > 0) {
    faults += judge_kinds(kinds);
  }
  std::printf("%lld faults\n", static_cast<long long>(faults));
  return faults == 0 ? 0 : 1;
}
