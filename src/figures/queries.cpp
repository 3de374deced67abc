// Heights and rays on a window of the field in memory, beside random reads of the same arrays.
#include <cmath>
#include <random>

#include "arete/collider.h"
#include "figures.h"
#include "turns.h"

namespace arete::figures {
namespace {

constexpr std::int32_t kMostStops = 2049;

// Lod 0 around the field's middle, as a point raster.
struct Window {
  Lattice lattice;
  std::vector<std::uint16_t> stops;
};

Result<Window> middle_window(const TileStore& store) {
  const Lattice& field = store.lattice();
  Window window{field, {}};
  Lattice& lattice = window.lattice;
  lattice.registration = Registration::point;
  lattice.stops_x = std::min(field.stops_x, kMostStops);
  lattice.stops_z = std::min(field.stops_z, kMostStops);
  const std::int32_t first_x = (field.stops_x - lattice.stops_x) / 2 / kPageCells * kPageCells;
  const std::int32_t first_z = (field.stops_z - lattice.stops_z) / 2 / kPageCells * kPageCells;
  window.stops.resize(std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z));
  for (std::int32_t z = 0; z < lattice.stops_z; z += kPageCells) {
    for (std::int32_t x = 0; x < lattice.stops_x; x += kPageCells) {
      const auto page_of = [](std::int32_t stop, std::int32_t pages) {
        return std::uint32_t(std::min(stop / kPageCells, pages - 1));
      };
      const PageKey key{0, page_of(first_x + x, field.pages_x(0)), page_of(first_z + z, field.pages_z(0))};
      const Result<std::shared_ptr<const Page>> page = store.page(key);
      if (!page) {
        return Unexpected{page.error()};
      }
      for (std::int32_t k = z; k < std::min(z + kPageCells, lattice.stops_z); ++k) {
        for (std::int32_t i = x; i < std::min(x + kPageCells, lattice.stops_x); ++i) {
          window.stops[std::size_t(k) * std::size_t(lattice.stops_x) + std::size_t(i)] =
              (*page)->at(HeightPlane::subsample, first_x + i - std::int32_t(key.x) * kPageCells,
                          first_z + k - std::int32_t(key.z) * kPageCells);
        }
      }
    }
  }
  return window;
}

// Sums one word at each place.
template <class Word>
std::uint64_t read_at(const Word* words, std::span<const std::uint32_t> places) {
  std::uint64_t sum = 0;
  for (const std::uint32_t place : places) {
    sum += words[place];
  }
  return sum;
}

}  // namespace

Result<void> add_queries(const TileStore& store, std::vector<Figure>& figures) {
  const Result<Window> window = middle_window(store);
  if (!window) {
    return Unexpected{window.error()};
  }
  const Lattice& lattice = window->lattice;
  if (lattice.stops_x < 2 || lattice.stops_z < 2) {
    return {};
  }
  const HeightfieldView field(lattice, window->stops);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  constexpr std::size_t kPlaces = 1 << 16;
  std::vector<double> x(kPlaces), z(kPlaces), y(kPlaces);
  std::vector<Ground> ground(kPlaces);
  std::vector<std::uint32_t> corners;  // the north-western one and the one below it: two lines of memory
  for (std::size_t i = 0; i < kPlaces; ++i) {
    x[i] = unit(random) * lattice.width_m();
    z[i] = unit(random) * lattice.depth_m();
    const auto column = std::min(std::uint32_t(x[i] / lattice.spacing_x_m), std::uint32_t(lattice.stops_x - 2));
    const auto row = std::min(std::uint32_t(z[i] / lattice.spacing_z_m), std::uint32_t(lattice.stops_z - 2));
    corners.push_back(row * std::uint32_t(lattice.stops_x) + column);
    corners.push_back(corners.back() + std::uint32_t(lattice.stops_x));
  }
  std::uint64_t sum = 0;
  figures.push_back(by_turns(
      "heights", double(kPlaces) * 1e-6, "M/s", [&] { heights_at(field, x, z, y, ground); },
      "reading the two rows of each place's cell",
      [&] {
        sum += read_at(window->stops.data(), corners);
        keep(sum);
      }));

  const RayBounds bounds(field);
  constexpr std::size_t kRays = 4096;
  std::vector<Ray> rays;
  std::vector<RayHit> hits(kRays);
  RayCost cost;
  for (std::size_t i = 0; i < kRays; ++i) {
    // From 5 to 150 cells over the ground, a little downwards, as sight and shots go.
    const HeightAnswer at = height_at(field, x[i], z[i]);
    const double heading = 6.283185307179586 * unit(random), fall = -0.2 + 0.23 * unit(random);
    const double over_m = (5 + 145 * unit(random)) * lattice.spacing_x_m;
    rays.push_back({.origin_m = {x[i], (std::isfinite(at.y_m) ? at.y_m : lattice.base_m) + over_m, z[i]},
                    .direction = {std::cos(heading), fall, std::sin(heading)},
                    .max_t = 4096 * lattice.spacing_x_m});
    if (const Result<RayHit> hit = raycast(field, bounds, rays.back(), &cost); !hit) {
      return Unexpected{hit.error()};
    }
  }
  // A read of the bounds for every one that the walks test, and two of the samples for every cell.
  std::vector<std::uint32_t> tested, crossed;
  for (std::int64_t i = 0; i < cost.bounds; ++i) {
    tested.push_back(std::uint32_t(random() % (bounds.bytes() / sizeof(std::uint32_t) - 1)));
  }
  for (std::int64_t i = 0; i < 2 * cost.cells; ++i) {
    crossed.push_back(corners[random() % corners.size()]);
  }
  Result<void> result;
  figures.push_back(by_turns(
      "rays", double(kRays) * 1e-6, "M/s",
      [&] {
        if (Result<void> cast = raycast(field, bounds, rays, hits); !cast) {
          result = std::move(cast);
        }
      },
      "random reads of as many bounds and cells as the walks visit",
      [&] {
        sum += read_at(bounds.level(bounds.top_level() < 2 ? bounds.top_level() : 2), tested);
        sum += read_at(window->stops.data(), crossed);
        keep(sum);
      }));
  return result;
}

}  // namespace arete::figures
