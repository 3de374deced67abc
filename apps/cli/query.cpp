// arete query: heights, normals, rays, profiles and lines of sight on the surface that is drawn.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/collider.h"
#include "arete/tiles.h"
#include "arguments.h"
#include "query_batch.h"

namespace arete::cli {
namespace {

Json vector_json(const std::array<double, 3>& vector) { return Json(vector); }

int answer_place(PageCollider& collider, const QueryArguments& arguments, bool with_normal, const Globals& globals) {
  const Result<SurfaceSample> sample = collider.sample_at(*arguments.x_m, *arguments.z_m);
  if (!sample) {
    return fail(sample.error());
  }
  const bool is_surface = sample->ground == Ground::surface;
  if (globals.json) {
    Json document;
    document["status"] = ground_name(sample->ground);
    document["x"] = *arguments.x_m;
    document["z"] = *arguments.z_m;
    document["y"] = is_surface ? Json(sample->y_m) : Json(nullptr);
    if (with_normal) {
      document["normal"] = is_surface ? vector_json(sample->normal) : Json(nullptr);
    }
    print_json(document);
    return kDone;
  }
  std::string line = is_surface ? number(sample->y_m) : ground_name(sample->ground);
  if (is_surface && with_normal) {
    line = fmt::format("{} {} {}", number(sample->normal[0]), number(sample->normal[1]), number(sample->normal[2]));
  }
  print_text(globals, line + "\n");
  return kDone;
}

Result<std::array<double, 3>> point(const std::string& text, const char* name) {
  const Result<std::vector<double>> numbers = parse_numbers(text, 3, name);
  if (!numbers) {
    return Unexpected{numbers.error()};
  }
  return std::array<double, 3>{(*numbers)[0], (*numbers)[1], (*numbers)[2]};
}

int answer_ray(PageCollider& collider, const QueryArguments& arguments, bool is_sight, const Globals& globals) {
  const Result<std::array<double, 3>> from = point(arguments.first, is_sight ? "from" : "origin");
  const Result<std::array<double, 3>> second = point(arguments.second, is_sight ? "to" : "direction");
  if (!from || !second) {
    return fail(from ? second.error() : from.error());
  }
  Ray ray{.origin_m = *from, .direction = *second, .max_t = arguments.max_t};
  if (is_sight) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ray.direction[axis] -= ray.origin_m[axis];
    }
    ray.max_t = 1;
  }
  const Result<RayHit> hit = collider.raycast(ray);
  if (!hit) {
    return fail(hit.error());
  }
  const bool is_hit = hit->status == RayStatus::surface;
  const char* status = is_sight ? (is_hit ? "blocked" : "visible") : ray_status_name(hit->status);
  if (globals.json) {
    Json document;
    document["status"] = status;
    document["t"] = is_hit ? Json(hit->t) : Json(nullptr);
    document["position"] = is_hit ? vector_json(hit->position_m) : Json(nullptr);
    document["normal"] = is_hit ? vector_json(hit->normal) : Json(nullptr);
    print_json(document);
    return kDone;
  }
  print_text(globals, is_hit ? fmt::format("{} {} {} {} {}\n", status, number(hit->t), number(hit->position_m[0]),
                                           number(hit->position_m[1]), number(hit->position_m[2]))
                             : fmt::format("{}\n", status));
  return kDone;
}

int answer_profile(PageCollider& collider, const QueryArguments& arguments, const Globals& globals) {
  const Result<std::vector<double>> from = parse_numbers(arguments.first, 2, "from");
  const Result<std::vector<double>> to = parse_numbers(arguments.second, 2, "to");
  if (!from || !to) {
    return fail(from ? to.error() : from.error());
  }
  const auto count = static_cast<std::size_t>(arguments.samples);
  std::vector<double> x(count), z(count), y(count);
  std::vector<Ground> ground(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = double(i) / double(count - 1);
    x[i] = i + 1 == count ? (*to)[0] : (*from)[0] + ((*to)[0] - (*from)[0]) * part;
    z[i] = i + 1 == count ? (*to)[1] : (*from)[1] + ((*to)[1] - (*from)[1]) * part;
  }
  if (const Result<void> answered = collider.heights_at(x, z, y, ground); !answered) {
    return fail(answered.error());
  }
  Json rows = Json::array();
  std::string csv = "distance,x,z,status,y\n";
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = std::hypot(x[i] - x[0], z[i] - z[0]);
    const bool is_surface = ground[i] == Ground::surface;
    if (globals.json) {
      rows.push_back({{"distance", distance},
                      {"x", x[i]},
                      {"z", z[i]},
                      {"status", ground_name(ground[i])},
                      {"y", is_surface ? Json(y[i]) : Json(nullptr)}});
    } else {
      csv += fmt::format("{},{},{},{},{}\n", number(distance), number(x[i]), number(z[i]), ground_name(ground[i]),
                         is_surface ? number(y[i]) : "");
    }
  }
  globals.json ? print_json(rows) : print_text(globals, csv);
  return kDone;
}

}  // namespace

int run_query(const QueryArguments& arguments, const Globals& globals) {
  const std::string& what = arguments.what;
  const bool is_place = what == "height" || what == "normal";
  const bool is_complete = is_place ? arguments.z_m.has_value() : !arguments.second.empty();
  if (!is_complete && arguments.batch.empty()) {
    return fail(
        usage_error(
            fmt::format("query {}: name the places, or a CSV file with --batch; see arete query {} --help", what, what))
            .error);
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  PageCollider collider(**store, {.bounds = &(*store)->bounds()});
  if (!arguments.batch.empty()) {
    if (const Result<void> answered = answer_batch(collider, what, arguments.batch); !answered) {
      return fail(answered.error());
    }
    return kDone;
  }
  if (what == "ray" || what == "sight") {
    return answer_ray(collider, arguments, what == "sight", globals);
  }
  if (what == "profile") {
    return answer_profile(collider, arguments, globals);
  }
  return answer_place(collider, arguments, what == "normal", globals);
}

}  // namespace arete::cli
