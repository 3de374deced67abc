// Heights and rays beside Embree's robust grid and Bullet's heightfield, in one run, on one pinned core: thread time,
// median of 5.
//
//   bench_collider [rays] [Jacksboro|fractal]    rays a set, 262,144 unless told; one of the terrains, or both
//
// All memory is asked for in huge pages, as Embree's own is.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "collider_fields.h"
#if ARETE_HAS_EMBREE
#include "arete/adapters/embree.h"
#endif
#if ARETE_HAS_BULLET
#include "arete/adapters/bullet.h"
#endif

namespace arete::bench {
namespace {

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double median_seconds(const std::function<void()>& work) {
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    const double start = thread_seconds();
    work();
    seconds.push_back(thread_seconds() - start);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[2];
}

void print_rate(const char* what, double count, double seconds, double check) {
  std::printf("    %-34s %9.3f M/s  %7.1f ns   (%.6g)\n", what, count / seconds * 1e-6, seconds / count * 1e9, check);
  std::fflush(stdout);
}

double sum_t(const std::vector<RayHit>& hits) {
  double sum = 0;
  for (const RayHit& hit : hits) sum += hit.status == RayStatus::surface ? hit.t : 0;
  return sum / double(hits.size());
}

// A function of its own: a lambda's loop would fetch each array's address anew for every place.
[[gnu::noinline]] void single_heights(const HeightfieldView& view, std::span<const double> x_m,
                                      std::span<const double> z_m, std::span<double> y_m) {
  for (std::size_t i = 0; i < y_m.size(); ++i) y_m[i] = height_at(view, x_m[i], z_m[i]).y_m;
}

void measure_heights(const test::TestField& field, const test::FieldPages& pages) {
  constexpr int kPlaces = 1 << 20;
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(0.5, kWorld - 0.5);
  std::vector<double> x, z, y(kPlaces);
  std::vector<Ground> ground(kPlaces);
  for (int i = 0; i < kPlaces; ++i) {
    x.push_back(std::round(place(random) * 1024) / 1024);
    z.push_back(std::round(place(random) * 1024) / 1024);
  }
  const auto mean = [&] {
    double sum = 0;
    for (const double height : y) sum += height;
    return sum / kPlaces;
  };
  std::puts("  heights at random places");
  const HeightfieldView view = field.view();
  // The floor: nothing but the reads of both rows at places that are known, as many at a time as the core can ask for.
  std::vector<std::uint32_t> at;
  for (int i = 0; i < kPlaces; ++i) {
    const auto cell = [&](double place_m, double spacing_m) { return std::uint32_t(place_m / spacing_m); };
    at.push_back(cell(z[std::size_t(i)], field.lattice.spacing_z_m) * std::uint32_t(field.lattice.stops_x) +
                 cell(x[std::size_t(i)], field.lattice.spacing_x_m));
  }
  std::uint64_t sum = 0;
  double seconds = median_seconds([&] {
    for (const std::uint32_t cell : at)
      sum += view.data()[cell] + view.data()[cell + std::uint32_t(view.lattice().stops_x)];
  });
  print_rate("floor: both rows read", kPlaces, seconds, double(sum) / (5.0 * kPlaces));
  seconds = median_seconds([&] { single_heights(view, x, z, y); });
  print_rate("view, single", kPlaces, seconds, mean());
  seconds = median_seconds([&] { heights_at(view, x, z, y, ground); });
  print_rate("view, batch", kPlaces, seconds, mean());
  PageCollider collider(pages, {.budget_bytes = std::size_t(1) << 30});
  if (!collider.heights_at(x, z, y, ground)) std::exit(1);
  seconds = median_seconds([&] {
    for (std::size_t i = 0; i < kPlaces; ++i) y[i] = collider.height_at(x[i], z[i])->y_m;
  });
  print_rate("warm pages, single", kPlaces, seconds, mean());
  seconds = median_seconds([&] {
    if (!collider.heights_at(x, z, y, ground)) std::exit(1);
  });
  print_rate("warm pages, batch", kPlaces, seconds, mean());
}

#if ARETE_HAS_EMBREE
void measure_embree(const HeightfieldView& view, const std::vector<std::vector<Ray>>& sets) {
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  const double start = thread_seconds();
  RTCGeometry geometry = adapters::embree_geometry(device, view);
  rtcAttachGeometry(scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(scene);
  std::printf("  Embree %s, robust grid, built in %.1f ms\n", RTC_VERSION_STRING, (thread_seconds() - start) * 1e3);
  const char* names[] = {"Embree, slanted rays", "Embree, grazing rays"};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    double sum = 0;
    const double seconds = median_seconds([&] {
      sum = 0;
      for (const Ray& ray : sets[set]) {
        RTCRayHit query{};
        query.ray.org_x = float(ray.origin_m[0]), query.ray.org_y = float(ray.origin_m[1]),
        query.ray.org_z = float(ray.origin_m[2]);
        query.ray.dir_x = float(ray.direction[0]), query.ray.dir_y = float(ray.direction[1]),
        query.ray.dir_z = float(ray.direction[2]);
        query.ray.tfar = float(ray.max_t);
        query.ray.mask = ~0u;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(scene, &context, &query);
        sum += query.hit.geomID != RTC_INVALID_GEOMETRY_ID ? double(query.ray.tfar) : 0;
      }
    });
    print_rate(names[set], double(sets[set].size()), seconds, sum / double(sets[set].size()));
  }
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
}
#endif

#if ARETE_HAS_BULLET
class ClosestTriangle final : public btTriangleCallback {
 public:
  ClosestTriangle(const btVector3& from, const btVector3& to) : from_(from), to_(to) {}
  void processTriangle(btVector3* v, int, int) override {
    const btVector3 normal = (v[1] - v[0]).cross(v[2] - v[0]);
    const btScalar a = normal.dot(from_ - v[0]), b = normal.dot(to_ - v[0]);
    if (a * b > 0 || a == b) return;
    const btScalar t = a / (a - b);
    if (t >= t_) return;
    const btVector3 point = from_.lerp(to_, t);
    for (int i = 0; i < 3; ++i) {
      if ((v[(i + 1) % 3] - v[i]).cross(point - v[i]).dot(normal) < btScalar(-1e-4) * normal.length2()) return;
    }
    t_ = t;
  }
  btScalar t() const { return t_; }

 private:
  btVector3 from_, to_;
  btScalar t_ = btScalar(2);
};

void measure_bullet(const HeightfieldView& view, const std::vector<std::vector<Ray>>& sets) {
  const double start = thread_seconds();
  const adapters::BulletHeightfield field = adapters::bullet_heightfield(view);
  std::printf("  Bullet, built in %.1f ms\n", (thread_seconds() - start) * 1e3);
  const btVector3 centre{btScalar(field.centre_m[0]), btScalar(field.centre_m[1]), btScalar(field.centre_m[2])};
  const char* names[] = {"Bullet, slanted rays", "Bullet, grazing rays"};
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const std::size_t count = std::min<std::size_t>(sets[set].size(), 16384);
    double sum = 0;
    const double seconds = median_seconds([&] {
      sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Ray& ray = sets[set][i];
        const btVector3 from =
            btVector3{btScalar(ray.origin_m[0]), btScalar(ray.origin_m[1]), btScalar(ray.origin_m[2])} - centre;
        const btVector3 direction{btScalar(ray.direction[0]), btScalar(ray.direction[1]), btScalar(ray.direction[2])};
        const btVector3 to = from + direction * btScalar(ray.max_t);
        ClosestTriangle closest(from, to);
        field.shape->performRaycast(&closest, from, to);
        sum += closest.t() <= 1 ? double(closest.t()) * ray.max_t : 0;
      }
    });
    print_rate(names[set], double(count), seconds, sum / double(count));
  }
}
#endif

RayBounds measure_bounds(const test::TestField& field) {
  RayBounds bounds(field.view());
  const double build = median_seconds([&] { bounds = RayBounds(field.view()); });
  std::vector<std::uint16_t> copied(field.stops.size());
  const double copy = median_seconds([&] { std::copy(field.stops.begin(), field.stops.end(), copied.begin()); });
  const double gigabytes = 2e-9 * double(field.stops.size());
  std::printf("  ray bounds built in %.2f ms, %.3f bytes a sample: %.1f GB/s of samples; floor, a copy: %.1f (%d)\n",
              build * 1e3, double(bounds.bytes()) / double(field.stops.size()), gigabytes / build, gigabytes / copy,
              copied.back());
  return bounds;
}

void measure(const char* name, const std::vector<float>& heights, int rays) {
  const test::TestField fine = field_of(heights, kFinest), coarse = field_of(heights, 1025);
  std::vector<std::vector<Ray>> sets;
  for (const bool is_grazing : {false, true})
    sets.push_back(make_rays(fine.view(), coarse.view(), is_grazing, rays, 12345));
  for (const test::TestField* field : {&coarse, &fine}) {
    const HeightfieldView view = field->view();
    std::printf("%s, %d x %d\n", name, field->lattice.stops_x, field->lattice.stops_z);
    const test::FieldPages pages(*field);
    measure_heights(*field, pages);
    const RayBounds bounds = measure_bounds(*field);
    PageCollider collider(pages, {.budget_bytes = std::size_t(1) << 30});
    const char* names[] = {"slanted rays", "grazing rays"};
    std::vector<RayHit> hits(sets[0].size());
    std::vector<std::uint8_t> is_hit(sets[0].size());
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const std::vector<Ray>& set_rays = sets[set];
      RayCost cost;
      for (const Ray& ray : set_rays) {
        if (!raycast(view, bounds, ray, &cost)) std::exit(1);
      }
      std::printf("  %s: %.1f bounds and %.1f cells a ray\n", names[set], double(cost.bounds) / double(set_rays.size()),
                  double(cost.cells) / double(set_rays.size()));
      double seconds = median_seconds([&] {
        for (std::size_t i = 0; i < set_rays.size(); ++i) hits[i] = *raycast(view, bounds, set_rays[i]);
      });
      print_rate("view, single", double(set_rays.size()), seconds, sum_t(hits));
      seconds = median_seconds([&] {
        if (!raycast(view, bounds, set_rays, hits)) std::exit(1);
      });
      print_rate("view, batch", double(set_rays.size()), seconds, sum_t(hits));
      seconds = median_seconds([&] {
        if (!raycast_any(view, bounds, set_rays, is_hit)) std::exit(1);
      });
      print_rate("view, batch, any", double(set_rays.size()), seconds,
                 double(std::count(is_hit.begin(), is_hit.end(), 1)));
      if (!collider.raycast(set_rays, hits)) std::exit(1);
      seconds = median_seconds([&] {
        for (std::size_t i = 0; i < set_rays.size(); ++i) hits[i] = *collider.raycast(set_rays[i]);
      });
      print_rate("warm pages, single", double(set_rays.size()), seconds, sum_t(hits));
      seconds = median_seconds([&] {
        if (!collider.raycast(set_rays, hits)) std::exit(1);
      });
      print_rate("warm pages, batch", double(set_rays.size()), seconds, sum_t(hits));
    }
#if ARETE_HAS_EMBREE
    measure_embree(view, sets);
#endif
#if ARETE_HAS_BULLET
    measure_bullet(view, sets);
#endif
  }
}

}  // namespace
}  // namespace arete::bench

int main(int argc, char** argv) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  sched_setaffinity(0, sizeof core, &core);
  if (std::getenv("GLIBC_TUNABLES") == nullptr) {  // read before main: start again with it
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
    execv("/proc/self/exe", argv);
  }
  const int rays = argc > 1 ? std::atoi(argv[1]) : 262144;
  const std::string only = argc > 2 ? argv[2] : "";
  if (rays < 1) {
    std::fprintf(stderr, "bench_collider: the number of rays must be 1 or more\n");
    return 2;
  }
  if (only != "fractal") arete::bench::measure("Jacksboro", arete::bench::jacksboro(), rays);
  if (only != "Jacksboro") arete::bench::measure("fractal", arete::bench::fractal(), rays);
}
