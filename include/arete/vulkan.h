// Vulkan: an offscreen renderer that draws a field's meshes under sun and sky, and a mesher that builds node vertices
// inside the caller's own frame.
//
// Heights come through SampleSource and Bounds, meshes from select_cut and NodeMesher; pixels go out as RGBA8. The same
// scene, camera and device give the same bytes. Works on any Vulkan 1.3 device, software ones included; the loader is
// opened at run time, so linking this library pulls in no libvulkan.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "arete/core.h"
#include "arete/cut.h"
#include "arete/mesh.h"
#include "kernel/layout.h"

namespace arete::vulkan {

// ---- Devices --------------------------------------------------------------------------------------------------------

struct DeviceOptions {
  std::string device;       // part of a device's name; empty: discrete, else integrated, virtual, software
  bool software = false;    // software devices alone
  bool validation = false;  // validation layers, synchronisation included; messages go to stderr and are counted
};

// A device that its owner lends. It must have been made for Vulkan 1.3 with synchronization2 and bufferDeviceAddress
// enabled, and `queue_family` must offer compute.
struct BorrowedDevice {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  // unset: the system loader's
  bool has_draw_indirect_count = false;  // the device was made with drawIndirectCount: one call draws a selected cut
};

// ---- Pictures -------------------------------------------------------------------------------------------------------

// Row-major RGBA8, sRGB, opaque, the top row first.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  // 4 width height
};

// A pinhole camera. World metres, Y up; eye and target must differ.
struct Camera {
  double eye_x_m = 0, eye_y_m = 0, eye_z_m = 0;
  double target_x_m = 0, target_y_m = 0, target_z_m = 0;
  double vertical_fov_rad = 0.7;  // above 0, below pi
};

struct LightMap;
struct MeshedNodes;
class TerrainMesher;

enum class Colour { relief, slope, lod, contour, drape };

// Who builds the nodes' vertices; the picture is the same, byte for byte.
enum class MesherKind { cpu, vulkan };

struct PictureOptions {
  int width = 1280;  // 1..16384
  int height = 720;
  Colour colour = Colour::relief;
  bool wireframe = false;                // every triangle's edges over the shading
  double sun_azimuth_deg = 312;          // clockwise from north (-Z)
  double sun_altitude_deg = 34;          // above the horizon, -90..90
  double haze = 1;                       // 0: none; 1: natural for the field's size
  bool shadows = true;                   // the sun's (on relief and drape), and the sky's ambient occlusion
  bool walls = true;                     // closes the field's rim down to its floor
  std::optional<double> sea_level_m;     // unset: 0 where the field reaches from below 0 to above it
  std::optional<double> contour_step_m;  // unset: a round step, about 24 over the field
  // For Colour::drape: an sRGB image stretched over the whole field, north up.
  const Picture* drape = nullptr;
  MesherKind mesher = MesherKind::cpu;
};

// One node's vertices inside a scene's words, drawn by sew_indices(quads, coarse_mask, cells).
struct SceneNode {
  std::uint32_t first_vertex = 0;
  std::uint8_t lod = 0;
  std::uint8_t coarse_mask = 0;
  std::uint8_t rim_mask = 0;  // kernel::kEdge bits: edges on the field's rim, under which a wall may stand
  NodeCells cells{};          // that lie in the field
};

// How much of sun and sky each place of a field sees, up to 2048 texels a side.
// Reads the field once at the finest lod that fits. Safe to use from several threads and for any number of pictures.
Result<std::shared_ptr<const LightMap>> make_light_map(const SampleSource& source, const Bounds& bounds,
                                                       double sun_azimuth_deg, double sun_altitude_deg);

// What a picture shows. `words` holds vertices in `layout`, which must have position, normal, uv0 and colour;
// positions are metres from the anchor.
struct Scene {
  const Bounds* bounds = nullptr;
  Anchor anchor;
  kernel::VertexLayout layout{};
  std::span<const std::uint32_t> words;
  int node_quads = 32;
  std::vector<SceneNode> nodes;
  // Where the nodes' vertices stand on the renderer's own device (Renderer::build_nodes); 0: in `words`.
  VkDeviceAddress node_words = 0;
  double floor_m = 0;                     // where walls end, which hang from the rim's own vertices
  std::shared_ptr<const LightMap> light;  // unset: nothing casts a shadow
  // Where the finest nodes end, metres from the eye: shadows lose detail with the ground beyond it. 0: they never do.
  double finest_range_m = 0;
};

// Draws scenes into memory. One per thread.
class Renderer {
 public:
  // Errors (gpu) in one line: no loader, no device, or what the device lacks.
  static Result<std::unique_ptr<Renderer>> create(const DeviceOptions& options = {});
  ~Renderer();
  // Errors: options out of range (usage), pages that cannot be read, out of memory or a lost device (gpu).
  Result<Picture> render(const Scene& scene, const Camera& camera, const PictureOptions& options);
  // Builds the cut's drawn nodes by a mesher on the renderer's own device(): for Scene::node_words and
  // SceneNode::first_vertex, valid until the mesher's next frame. Errors as TerrainMesher::record's.
  Result<MeshedNodes> build_nodes(TerrainMesher& mesher, const SampleSource& pages, const Cut& cut,
                                  const kernel::FrameConstants& frame);
  BorrowedDevice device() const noexcept;
  const std::string& device_name() const noexcept;
  // Warnings and errors of the validation layers so far.
  std::int64_t validation_messages() const noexcept;

 private:
  Renderer();
  struct State;
  std::unique_ptr<State> state_;
};

// ---- From a field to a picture --------------------------------------------------------------------------------------

// A view over the field's most rugged part as from an aircraft, with the rest of the field behind it. `orbit_deg` says
// on which side of it the camera is (0: south, looking north; 90: east, looking west); unset: the side that shows most.
// A field that is higher than wide is seen whole, as by overview_camera.
Camera default_camera(const Bounds& bounds, std::optional<double> orbit_deg = {});

// The whole field as a model on a table, from the side `orbit_deg`. `aspect` is the picture's width / height.
Camera overview_camera(const Bounds& bounds, double aspect, double orbit_deg = 30);

// The view that chooses lods and culls nodes for a picture of `width` x `height` pixels.
View picture_view(const Camera& camera, int width, int height);

// The matrix, by columns, from metres from the anchor, as meshers place vertices, to Vulkan's clip space of the same
// picture. Depth is reversed: 1 at `near_m` from the eye, 0 infinitely far; compare by greater.
std::array<float, 16> clip_from_anchor(const Camera& camera, int width, int height, const Lattice& lattice,
                                       Anchor anchor, double near_m = 1);

struct PictureStatistics {
  std::int64_t nodes = 0;      // drawn, after culling
  std::int64_t cut_nodes = 0;  // in the whole cut
  std::int64_t triangles = 0;
  std::int64_t vertices = 0;
  double cut_ms = 0;
  double mesh_ms = 0;
  double light_ms = 0;  // the light map, when it had to be made
  double draw_ms = 0;   // upload, drawing and read-back
};

struct DrawnPicture {
  Picture picture;
  PictureStatistics statistics;
};

// Draws one field from camera after camera: keeps its light, and on the device its pages and the vertices' pool. One
// per thread; the renderer, source and bounds must outlive it.
class FieldPictures {
 public:
  FieldPictures(Renderer& renderer, const SampleSource& source, const Bounds& bounds);
  ~FieldPictures();
  // Selects the cut for the camera, meshes its nodes and draws them. With a residency, what is resident is drawn.
  Result<DrawnPicture> draw(const Camera& camera, const PictureOptions& options, const RangeOptions& ranges = {},
                            const Residency* residency = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One picture of a field.
Result<DrawnPicture> draw_picture(Renderer& renderer, const SampleSource& source, const Bounds& bounds,
                                  const Camera& camera, const PictureOptions& options, const RangeOptions& ranges = {});

// ---- Node vertices on the device ------------------------------------------------------------------------------------

struct TerrainMesherOptions {
  kernel::VertexLayout layout = engine_layout();
  int node_quads = 32;  // a power of two from 4 to 128
  HeightPlane plane = HeightPlane::subsample;
  std::uint32_t page_slots = 512;    // pages resident on the device
  std::uint32_t page_uploads = 128;  // pages that one frame may copy to the device
  std::uint32_t pool_nodes = 2048;   // node slots of the vertex pool
  std::uint32_t most_views = 1;      // that select() takes at once, up to 64 and pool_nodes; they share the pool evenly
  int frames_in_flight = 2;          // 1..8: submissions with recorded work that may be unfinished
  bool rebuilds_all = false;         // record() builds every node in every frame: to compare
  bool stores_directly = false;      // each thread stores its own words: slow; to compare
};

// What a frame's draws read. Positions are metres from the frame's anchor; draw i is the cut's drawn node i, whose slot
// begins at its vertexOffset. Valid until record() is called frames_in_flight times more.
struct MeshedNodes {
  VkBuffer vertices = VK_NULL_HANDLE;
  VkDeviceAddress vertices_address = 0;
  VkBuffer indices = VK_NULL_HANDLE;  // VK_INDEX_TYPE_UINT32
  VkBuffer draws = VK_NULL_HANDLE;    // VkDrawIndexedIndirectCommand
  VkDeviceSize draws_offset = 0;
  std::uint32_t draw_count = 0;
  // The slot of each draw, which begins at vertex slot x node_slot_vertices(); valid until the next record() or
  // select().
  std::span<const std::uint32_t> slots;
  std::uint32_t built_nodes = 0;  // the others' words stood in their slots already
  std::uint32_t uploaded_pages = 0;
};

// A view whose cut the device selects. Its ranges have the mesher's node_quads and plane.
struct DeviceView {
  View view;
  Ranges ranges;
  Anchor anchor;
};

// A leaf of a cut that the device selected, as it lies in SelectedNodes::selected.
struct SelectedLeaf {
  std::uint32_t x = 0;  // in nodes of its lod
  std::uint32_t z = 0;
  std::uint32_t lod_and_edges = 0;  // lod | coarse_mask << 8 | corner_lods << 16
  std::uint32_t draw = 0;           // which draw it is; 0xffffffff when it is culled
};

// What the draws of a view read whose cut the device selected: the host knows neither nodes nor counts. Positions are
// metres from the view's anchor. Valid until the next record() or select() in the order of submission.
struct SelectedNodes {
  VkBuffer vertices = VK_NULL_HANDLE;
  VkDeviceAddress vertices_address = 0;
  VkBuffer indices = VK_NULL_HANDLE;   // VK_INDEX_TYPE_UINT32
  VkBuffer selected = VK_NULL_HANDLE;  // holds what the offsets say
  VkDeviceSize draws_offset = 0;       // VkDrawIndexedIndirectCommand; those after the last are zero
  VkDeviceSize draw_count_offset = 0;  // u32
  VkDeviceSize leaves_offset = 0;      // SelectedLeaf of the whole cut in the order of Cut::nodes
  VkDeviceSize leaf_count_offset = 0;  // u32
  std::uint32_t most_draws = 0;
  std::uint32_t missing_pages =
      0;  // of all views: wanted, but not at hand or without room; coarser ground is drawn there
  std::uint32_t uploaded_pages = 0;  // of all views
};

// Builds the drawn nodes of a cut into a vertex pool on the caller's device, word for word as NodeMesher does; the cut
// is the caller's, or selected on the device. Owns the pages on the device, the vertex pool and the index buffers. Not
// thread-safe. Destroy it when no recorded work is unfinished, before the device.
class TerrainMesher {
 public:
  // `bounds` must outlive the mesher. Errors: options out of range (usage); what the device lacks, out of memory (gpu).
  static Result<std::unique_ptr<TerrainMesher>> create(const BorrowedDevice& device, const Bounds& bounds,
                                                       const TerrainMesherOptions& options = {});
  ~TerrainMesher();
  TerrainMesher(const TerrainMesher&) = delete;
  TerrainMesher& operator=(const TerrainMesher&) = delete;

  // Records, outside of a render pass: uploads of the pages that the nodes read and the device lacks, the build of the
  // nodes whose words may have changed, and barriers to the draws. A node is built once for as long as no vertex of it
  // morphs and its edges, pages and the anchor stay the same. Pages are copied while recording, and again when their
  // revision changes. All that is recorded must be submitted, in the order of recording, on one queue. Errors: more
  // nodes, pages or uploads than the options hold (gpu: nothing is recorded), a page that `pages` has not (data).
  Result<MeshedNodes> record(VkCommandBuffer commands, const SampleSource& pages, const Cut& cut,
                             const kernel::FrameConstants& frame);
  // Records, outside of a render pass, for each view: the selection of its cut on the device, the nodes and masks of
  // select_cut() with those pages resident that `pages` has (a null pointer: not at hand) and that fit, the build, and
  // barriers to the draws. The host brings pages and waits for nothing. Culling keeps what select_cut() keeps, and what
  // stands so near to the frustum that f32 cannot tell. Errors: views that do not fit the options (usage); ranges that
  // span more nodes than the device's shared memory holds windows for, and pages that cannot be read (nothing is
  // recorded); a pool that was too small, said frames_in_flight frames later (gpu).
  Result<std::vector<SelectedNodes>> select(VkCommandBuffer commands, const SampleSource& pages,
                                            std::span<const DeviceView> views);
  // Records the draws of a frame or view, inside the caller's render pass with its pipeline bound: binds indices, and
  // vertices at binding 0.
  void record_draws(VkCommandBuffer commands, const MeshedNodes& nodes) const;
  void record_draws(VkCommandBuffer commands, const SelectedNodes& nodes) const;

 private:
  TerrainMesher();
  struct State;
  std::unique_ptr<State> state_;
};

// Meshes random and adversarial cuts of a field on the device and on the CPU and compares every word.
struct MesherComparisonOptions {
  DeviceOptions device;
  std::int64_t vertices = 1000000;  // at least so many are compared
  std::uint64_t seed = 1;
  kernel::VertexLayout layout = engine_layout();
  int node_quads = 32;
  HeightPlane plane = HeightPlane::subsample;
};
struct MesherComparison {
  std::string device;
  bool is_rounding_fixed = false;  // the device was asked for round-to-nearest; else equality is observed, not promised
  std::int64_t cuts = 0;
  std::int64_t nodes = 0;
  std::int64_t vertices = 0;
  std::int64_t words = 0;
  std::int64_t differing_words = 0;
  std::string first_difference;  // the node, vertex and word; empty when there is none
  std::uint64_t digest = 0;      // of the device's words: equal for equal fields and options on every device
};
Result<MesherComparison> compare_meshers(const SampleSource& source, const Bounds& bounds,
                                         const MesherComparisonOptions& options);

}  // namespace arete::vulkan
