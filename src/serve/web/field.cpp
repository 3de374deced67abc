// The ground of one store for a page of the browser: cut, vertices, heights and rays of the library itself, compiled to
// wasm32, behind functions that JavaScript calls (field.js).
//
// The caller fills memory whose address it is given: the bounds once, then pages as they arrive; each frame it writes a
// camera, selects, and builds the words of those drawn nodes whose words have changed; each node keeps its slot of the
// pool while it is drawn. They are word for word those of the library elsewhere (tests: unit/serve). One field at a
// time, one thread.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "arete/collider.h"
#include "arete/cut.h"
#include "arete/mesh.h"
#include "cut/node_rest.h"
#include "mesh/pool_slots.h"
#include "serve/web/resident_pages.h"

#define ARETE_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto web_##name

namespace arete {

// A broken contract ends the call: the page says so and is loaded again.
void detail::assert_failed(const char*, int, const char*) noexcept { __builtin_trap(); }

namespace web {
namespace {

constexpr int kQuads = 32;
constexpr std::uint32_t kMostNodes = 2048;  // rows of the texture that holds the words
constexpr std::uint32_t kLeastSlots = 64;
constexpr int kVertexWords = 4;
constexpr std::size_t kNodeWords = std::size_t(node_slot_vertices(kQuads)) * kVertexWords;
constexpr std::size_t kHeadBytes = 4;

// What JavaScript writes before a call and reads after it.
struct Camera {
  double eye_m[3];
  double pixels_per_radian;
  double max_error_px;
  double draws_max;     // 1: coarse lods keep ridges
  double planes[5][4];  // inward normals and distances: outside any of them nothing is drawn
};
struct Answer {
  double status;  // of Ground or RayStatus
  double x_m, y_m, z_m;
};

struct Field {
  explicit Field(const Lattice& of)
      : lattice(of),
        bounds(of),
        pages(of, kQuads),
        mesher(pages, bounds),
        rest(bounds, kQuads),
        collider(pages, {.budget_bytes = std::size_t(4) << 20, .bounds = &bounds}) {}
  Lattice lattice;
  Bounds bounds;
  ResidentPages pages;
  NodeMesher mesher;
  cut::NodeRest rest;
  mesh::PoolSlots pool{0};
  HeightPlane built = HeightPlane::subsample;  // the plane that the pool's words draw
  PageCollider collider;
  CutWorkspace workspace;
  Cut wanted;
  Cut cut;
  Ranges ranges;
  View view;
  Anchor anchor;
  double scale = 1;  // of all ranges: below 1 where the nodes would be too many
  bool has_stop = false;
  PageKey stop;                        // where the last ray could not go on
  std::vector<std::uint8_t> bytes;     // of the bounds, as they arrive
  std::vector<std::uint32_t> words;    // of all slots
  std::vector<std::uint16_t> drawn;    // slot and lod of each drawn node
  std::vector<std::uint32_t> changed;  // slots whose words the last build wrote
  std::vector<std::uint32_t> missing;  // lod, x, z each
  std::shared_ptr<Page> arriving;
  std::vector<std::uint16_t> planes;
};

std::unique_ptr<Field> field;
Camera camera;
Answer answer;

std::size_t bounds_bytes(const Lattice& lattice) {
  std::size_t bytes = kHeadBytes;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    bytes += std::size_t(lattice.nodes_x(lod, kBoundsQuads)) * std::size_t(lattice.nodes_z(lod, kBoundsQuads)) *
             sizeof(NodeBounds);
  }
  return bytes;
}

View view_of(const Camera& from) {
  View view;
  view.eye_x_m = from.eye_m[0];
  view.eye_y_m = from.eye_m[1];
  view.eye_z_m = from.eye_m[2];
  view.pixels_per_radian = from.pixels_per_radian;
  for (const auto& plane : from.planes) {
    view.frustum.push_back({plane[0], plane[1], plane[2], plane[3]});
  }
  return view;
}

void want_pages(const Cut& cut) {
  ResidentPages& pages = field->pages;
  pages.begin_wants();
  std::size_t next_drawn = 0;
  for (std::size_t i = 0; i < cut.nodes.size(); ++i) {
    const bool is_drawn = next_drawn < cut.drawn.size() && cut.drawn[next_drawn] == i;
    next_drawn += is_drawn ? 1 : 0;
    const Node& node = cut.nodes[i];
    const PageKey key = pages.page_of(node.lod, node.x, node.z);
    const double half = 0.5 * kPageCells * double(std::int64_t(1) << node.lod);
    const double x_m = (2 * key.x + 1) * half * field->lattice.spacing_x_m - field->view.eye_x_m;
    const double z_m = (2 * key.z + 1) * half * field->lattice.spacing_z_m - field->view.eye_z_m;
    pages.want(key, is_drawn ? 0 : 1, x_m * x_m + z_m * z_m);
  }
  if (field->has_stop) {
    pages.want(field->stop, 0, 0);
  }
}

}  // namespace

// ---- Opening --------------------------------------------------------------------------------------------------------

// Begins a field and returns where the bytes of its bounds belong; null where the numbers are no lattice.
ARETE_EXPORT(open)
(int stops_x, int stops_z, int is_area, double spacing_x_m, double spacing_z_m, double base_m, double step_m)
    ->std::uint8_t* {
  const int least = is_area != 0 ? 3 : 1;
  if (stops_x < least || stops_z < least || !(spacing_x_m > 0) || !(spacing_z_m > 0) || !(step_m > 0)) {
    return nullptr;
  }
  field = std::make_unique<Field>(Lattice{stops_x, stops_z, is_area != 0 ? Registration::area : Registration::point,
                                          spacing_x_m, spacing_z_m, base_m, step_m});
  field->bytes.resize(bounds_bytes(field->lattice));
  return field->bytes.data();
}

ARETE_EXPORT(bounds_bytes)()->std::size_t { return field->bytes.size(); }

// Takes up the bounds: 1, or 0 where they are damaged.
ARETE_EXPORT(take_bounds)()->int {
  const std::uint8_t* at = field->bytes.data();
  std::memcpy(&field->bounds.field_min, at, sizeof(std::uint16_t));
  std::memcpy(&field->bounds.field_max, at + sizeof(std::uint16_t), sizeof(std::uint16_t));
  at += kHeadBytes;
  const Lattice& lattice = field->lattice;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x, at += sizeof(NodeBounds)) {
        NodeBounds& node = field->bounds.at(lod, x, z);
        std::memcpy(&node, at, sizeof node);
        if (node.kappa > kernel::kKappaLimit) {
          return 0;
        }
      }
    }
  }
  field->bounds.finish();
  field->bytes = {};
  return 1;
}

// The most bytes of pages.
ARETE_EXPORT(set_budget)(double bytes)->void { field->pages.set_budget(static_cast<std::size_t>(bytes)); }

// ---- Pages ----------------------------------------------------------------------------------------------------------

ARETE_EXPORT(page_bytes)(int lod)->std::size_t { return (lod == 0 ? 1 : 2) * kPlaneSamples * sizeof(std::uint16_t); }

// Where the planes of a page belong: the subsample, from lod 1 on the maximum behind it.
ARETE_EXPORT(page_room)()->std::uint16_t* {
  field->planes.resize(2 * kPlaneSamples);
  return field->planes.data();
}

// Takes up the page whose planes stand there: 1, or 0 where the budget has no room for it now.
ARETE_EXPORT(place_page)(int lod, std::uint32_t x, std::uint32_t z)->int {
  auto page = std::make_shared<Page>();
  page->key = {std::uint8_t(lod), x, z};
  const auto first = field->planes.begin();
  page->subsample.assign(first, first + kPlaneSamples);
  if (lod > 0) {
    page->max.assign(first + kPlaneSamples, first + 2 * kPlaneSamples);
  }
  return field->pages.place(std::move(page)) ? 1 : 0;
}

ARETE_EXPORT(has_page)(int lod, std::uint32_t x, std::uint32_t z)->int {
  return *field->pages.page({std::uint8_t(lod), x, z}) != nullptr ? 1 : 0;
}
ARETE_EXPORT(page_count)()->std::size_t { return field->pages.count(); }
ARETE_EXPORT(held_bytes)()->std::size_t { return field->pages.bytes(); }

// How many pages the last cut wants, in the order in which to fetch them; where their lod, x and z stand.
ARETE_EXPORT(missing_count)()->std::size_t {
  field->missing.clear();
  for (const PageKey& key : field->pages.missing()) {
    field->missing.insert(field->missing.end(), {key.lod, key.x, key.z});
  }
  return field->missing.size() / 3;
}
ARETE_EXPORT(missing)()->const std::uint32_t* { return field->missing.data(); }

// ---- Frames ---------------------------------------------------------------------------------------------------------

ARETE_EXPORT(camera)()->Camera* { return &camera; }

// Selects the cut of the camera over the pages that are here, and says what it would want. Returns how many nodes are
// drawn; 0 before the coarsest page has come.
ARETE_EXPORT(select)()->std::size_t {
  field->view = view_of(camera);
  RangeOptions options;
  options.max_error_px = camera.max_error_px;
  options.node_quads = kQuads;
  options.plane = camera.draws_max != 0 ? HeightPlane::max : HeightPlane::subsample;
  do {
    options.scale = field->scale;
    field->ranges = make_ranges(field->bounds, camera.pixels_per_radian, options);
    select_cut(field->bounds, field->view, field->ranges, field->workspace, field->wanted);
    field->scale *= field->wanted.drawn.size() > kMostNodes ? 0.95 : 1;
  } while (field->wanted.drawn.size() > kMostNodes);
  if (field->wanted.drawn.size() < kMostNodes * 3 / 4) {
    field->scale = std::min(1.0, field->scale * 1.01);
  }
  want_pages(field->wanted);
  field->cut.nodes.clear();
  field->cut.drawn.clear();
  if (field->pages.is_resident(field->lattice.lods() - 1, 0, 0)) {
    select_cut(field->bounds, field->view, field->ranges, field->workspace, field->cut, &field->pages);
  }
  return field->cut.drawn.size();
}

ARETE_EXPORT(node_count)()->std::size_t { return field->cut.nodes.size(); }

// Builds the words of the drawn nodes that do not stand in the pool yet, a slot of node_words() each: 4 words a vertex,
// rows of 33. Returns where the slots stand until the next call; null where a node cannot be built.
ARETE_EXPORT(build)()->const std::uint32_t* {
  const Cut& cut = field->cut;
  field->anchor = anchor_near(field->lattice, field->view.eye_x_m, field->view.eye_z_m);
  const kernel::FrameConstants frame = make_frame(field->bounds, field->view, field->ranges, field->anchor);
  const kernel::VertexLayout layout = compact_layout();
  const auto drawn = std::uint32_t(cut.drawn.size());
  if (field->pool.count() < drawn || field->pool.count() == 0) {
    field->pool = mesh::PoolSlots(std::min(kMostNodes, std::bit_ceil(std::max(2 * drawn, kLeastSlots))));
    field->words.resize(field->pool.count() * kNodeWords);
  }
  if (field->built != field->ranges.plane) {
    field->pool.forget();
    field->built = field->ranges.plane;
  }
  field->pool.begin(frame);
  field->drawn.clear();
  field->changed.clear();
  field->mesher.clear();
  for (const std::uint32_t index : cut.drawn) {
    const Node& node = cut.nodes[index];
    const auto [slot, is_built] = field->pool.claim(node, {.is_at_rest = field->rest.is_at_rest(frame, node)});
    field->drawn.insert(field->drawn.end(), {std::uint16_t(slot), node.lod});
    if (is_built) {
      continue;
    }
    const std::span words = std::span(field->words).subspan(slot * kNodeWords, kNodeWords);
    if (!field->mesher.build(frame, field->ranges, node, layout, words)) {
      field->pool.forget();
      return nullptr;
    }
    field->changed.push_back(slot);
  }
  return field->words.data();
}

ARETE_EXPORT(slots)()->std::uint32_t { return field->pool.count(); }
ARETE_EXPORT(drawn)()->const std::uint16_t* { return field->drawn.data(); }
// Slots whose words the last build wrote, in no order.
ARETE_EXPORT(changed_count)()->std::size_t { return field->changed.size(); }
ARETE_EXPORT(changed)()->const std::uint32_t* { return field->changed.data(); }

ARETE_EXPORT(node_words)()->std::size_t { return kNodeWords; }
ARETE_EXPORT(anchor_x)()->double { return field->anchor.half_x * double(field->lattice.half_x_m()); }
ARETE_EXPORT(anchor_z)()->double { return field->anchor.half_z * double(field->lattice.half_z_m()); }

// The 6 kQuads^2 indices of every node's triangles.
ARETE_EXPORT(indices)()->const std::uint32_t* {
  static const std::vector<std::uint32_t> indices = node_indices(kQuads);
  return indices.data();
}

// ---- Queries --------------------------------------------------------------------------------------------------------

ARETE_EXPORT(answer)()->Answer* { return &answer; }

// The height at a place; returns its Ground.
ARETE_EXPORT(height)(double x_m, double z_m)->int {
  const Result<HeightAnswer> height = height_at(field->pages, x_m, z_m);
  answer = {double(height->ground), x_m, height->y_m, z_m};
  return int(height->ground);
}

// The first ground on a ray, or how far it came; returns its RayStatus. Where `wants` is 1 and a page is not here, cuts
// want it from now on.
ARETE_EXPORT(ray)(double x_m, double y_m, double z_m, double x, double y, double z, int wants)->int {
  field->collider.forget_replaced();
  field->has_stop = field->has_stop && wants == 0;
  const Result<RayHit> hit = field->collider.raycast({.origin_m = {x_m, y_m, z_m}, .direction = {x, y, z}});
  if (!hit) {
    return -1;
  }
  answer = {double(hit->status), hit->position_m[0], hit->position_m[1], hit->position_m[2]};
  if (wants != 0 && hit->status == RayStatus::not_loaded) {
    field->stop = {0, std::uint32_t(hit->x_cell / kPageCells), std::uint32_t(hit->z_cell / kPageCells)};
    field->has_stop = true;
  }
  return int(hit->status);
}

}  // namespace web
}  // namespace arete
