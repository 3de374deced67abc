// arete query: heights, normals, rays, profiles and lines of sight on the surface that is drawn.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/collider.h"
#include "arete/tiles.h"
#include "arguments.h"
#include "places.h"
#include "query_batch.h"

namespace arete::cli {
namespace {

Json vector_json(const std::array<double, 3>& vector) { return Json(vector); }

int answer_place(PageCollider& collider, const QueryArguments& arguments, const Places& places, bool with_normal,
                 const Globals& globals) {
  const Result<std::array<double, 2>> place = places.place_m(*arguments.x, *arguments.z);
  if (!place) {
    return fail(place.error());
  }
  const Result<SurfaceSample> sample = collider.sample_at((*place)[0], (*place)[1]);
  if (!sample) {
    return fail(sample.error());
  }
  const bool is_surface = sample->ground == Ground::surface;
  if (globals.json) {
    Json document;
    document["status"] = ground_name(sample->ground);
    document["x"] = (*place)[0];
    document["z"] = (*place)[1];
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

int answer_ray(PageCollider& collider, const QueryArguments& arguments, const Places& places, const Globals& globals) {
  const Result<std::array<double, 3>> origin = places.parse_point(arguments.first, "origin");
  const Result<std::vector<double>> direction = parse_numbers(arguments.second, 3, "direction");
  if (!origin || !direction) {
    return fail(origin ? direction.error() : origin.error());
  }
  const Result<RayHit> hit = collider.raycast({.origin_m = *origin,
                                               .direction = {(*direction)[0], (*direction)[1], (*direction)[2]},
                                               .max_t = arguments.max_t});
  if (!hit) {
    return fail(hit.error());
  }
  const bool is_hit = hit->status == RayStatus::surface;
  const char* status = ray_status_name(hit->status);
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

int answer_sight(PageCollider& collider, const QueryArguments& arguments, const Places& places,
                 const Globals& globals) {
  const Result<std::array<double, 3>> from = places.parse_point(arguments.first, "from");
  const Result<std::array<double, 3>> to = places.parse_point(arguments.second, "to");
  if (!from || !to) {
    return fail(from ? to.error() : from.error());
  }
  const Result<Sight> sight = collider.sight(*from, *to);
  if (!sight) {
    return fail(sight.error());
  }
  const char* status = sight_status_name(sight->status);
  const std::array<double, 3>& p = sight->position_m;
  if (globals.json) {
    print_json({{"status", status}, {"part", sight->part}, {"position", vector_json(p)}});
  } else {
    print_text(globals, sight->status == SightStatus::clear
                            ? fmt::format("{}\n", status)
                            : fmt::format("{} {} {} {} {}\n", status, number(sight->part), number(p[0]), number(p[1]),
                                          number(p[2])));
  }
  return kDone;
}

int answer_profile(PageCollider& collider, const QueryArguments& arguments, const Places& places,
                   const Globals& globals) {
  const Result<std::array<double, 2>> from = places.parse_place(arguments.first, "from");
  const Result<std::array<double, 2>> to = places.parse_place(arguments.second, "to");
  if (!from || !to) {
    return fail(from ? to.error() : from.error());
  }
  Json rows = Json::array();
  std::string csv = "distance,x,z,status,y,onward\n";
  const Result<void> walked = collider.profile(*from, *to, [&](const ProfilePoint& point) {
    const double distance = std::hypot(point.x_m - (*from)[0], point.z_m - (*from)[1]);
    const bool is_surface = point.ground == Ground::surface;
    if (globals.json) {
      rows.push_back({{"distance", distance},
                      {"x", point.x_m},
                      {"z", point.z_m},
                      {"status", ground_name(point.ground)},
                      {"y", is_surface ? Json(point.y_m) : Json(nullptr)},
                      {"onward", ground_name(point.onward)}});
    } else {
      csv += fmt::format("{},{},{},{},{},{}\n", number(distance), number(point.x_m), number(point.z_m),
                         ground_name(point.ground), is_surface ? number(point.y_m) : "", ground_name(point.onward));
    }
    return true;
  });
  if (!walked) {
    return fail(walked.error());
  }
  globals.json ? print_json(rows) : print_text(globals, csv);
  return kDone;
}

}  // namespace

int run_query(const QueryArguments& arguments, const Globals& globals) {
  const std::string& what = arguments.what;
  const bool is_place = what == "height" || what == "normal";
  const bool is_complete = is_place ? arguments.z.has_value() : !arguments.second.empty();
  const bool is_batch = !arguments.batch.empty();
  const bool is_begun = is_place ? arguments.x.has_value() : !arguments.first.empty();
  if (is_batch ? is_begun || globals.json : !is_complete) {
    const std::string wanted = is_place ? "X and Z" : what == "ray" ? "ORIGIN and DIRECTION" : "FROM and TO";
    const bool takes_batch = is_place || what == "ray";
    const std::string problem = is_batch && is_begun ? fmt::format("expected {} or --batch, found both", wanted)
                                : is_batch           ? "--batch answers in CSV; leave out --json"
                                : takes_batch        ? fmt::format("expected {}, or a CSV file with --batch", wanted)
                                                     : "expected " + wanted;
    return fail(usage_error(fmt::format("query {}: {}; see arete query {} --help", what, problem, what)).error);
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  const Result<Places> places = Places::of(**store, arguments.lonlat);
  if (!places) {
    return fail({places.error().kind, arguments.store + ": " + places.error().message});
  }
  PageCollider collider(**store, {.bounds = &(*store)->bounds()});
  if (is_batch) {
    if (const Result<void> answered = answer_batch(collider, *places, what, arguments.batch); !answered) {
      return fail(answered.error());
    }
    return kDone;
  }
  if (what == "ray") {
    return answer_ray(collider, arguments, *places, globals);
  }
  if (what == "sight") {
    return answer_sight(collider, arguments, *places, globals);
  }
  if (what == "profile") {
    return answer_profile(collider, arguments, *places, globals);
  }
  return answer_place(collider, arguments, *places, what == "normal", globals);
}

}  // namespace arete::cli
