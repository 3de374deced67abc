// What the command line asks of each command, and the commands themselves. Reading it is options.cpp's; only that file
// includes the option parser.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arete/check.h"
#include "command.h"

namespace arete::cli {

// What a raster does not say itself.
struct RasterArguments {
  std::string registration, spacing, encoding, raw, crs, bbox, fill;
  std::optional<double> vertical_scale, nodata;
  std::optional<int> band;
  bool keep_voids = false;
  bool operator==(const RasterArguments&) const = default;
};

struct BakeArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<double> height_step_m;
  std::uint64_t memory_bytes = std::uint64_t(512) << 20;
  RasterArguments raster;
};

struct InfoArguments {
  std::string path;
  bool verify = false;
  RasterArguments raster;
};

// The look, the camera and the device of a picture or a window.
struct PictureArguments {
  std::string eye, target, size = "1280x720", colour = "relief", sun, plane = "subsample", device;
  std::optional<double> orbit_deg, sea_level_m, contour_step_m, field_of_view_deg;
  double error_px = 1.5, haze = 1;
  bool overview = false, wireframe = false, no_shadows = false, no_walls = false, software = false, validation = false;
};

struct RenderArguments {
  std::string store, output, mesher = "vulkan", flight;
  int frames = 0;
  bool stats = false;
  PictureArguments picture;
};

struct ViewArguments {
  std::string store, output, flight;
  int frames = 0;
  double budget_mib = 512;
  bool no_panel = false;
  PictureArguments picture;
};

struct CheckArguments {
  std::string store, device;
  CheckOptions options;
  bool gpu = false, software = false;
  std::int64_t gpu_vertices = 1'000'000;  // of each height plane
};

struct QueryArguments {
  std::string store, batch, what, first, second;  // what: height, normal, ray, sight or profile
  std::optional<double> x, z;                     // metres, or with `lonlat` degrees
  double max_t = std::numeric_limits<double>::infinity();
  bool lonlat = false;
};

struct MeshArguments {
  std::string input, output, drape;
  double max_error_m = 1, exaggerate = 1;
  std::int64_t max_triangles = 0;
  std::optional<double> base_m, size_mm;
  std::vector<std::string> focus;  // x,z,r,err each
  bool compress = false;
  RasterArguments raster;
};

struct ExportArguments {
  std::string store, output, sun;
  bool hillshade = false;
};

struct FlyArguments {
  std::string store, path, pictures;
  double seconds = 60, speed_m_s = 300, clearance_m = 100, jump_every_s = 0, error_px = 1.5, latency_ms = 0;
  double budget_mib = 256, picture_every_s = 0;
  std::uint64_t seed = 1;
  int cameras = 1;
  bool is_real = false;
};

struct ServeArguments {
  std::string store, host = "127.0.0.1";
  std::optional<int> port;
};

struct BenchArguments {
  std::string store;  // empty: a fractal
};

// Each prints its results and returns the exit code.
int run_bake(const BakeArguments& arguments, const Globals& globals);
int run_info(const InfoArguments& arguments, const Globals& globals);
int run_render(const RenderArguments& arguments, const Globals& globals);
int run_view(const ViewArguments& arguments, const Globals& globals);
int run_check(const CheckArguments& arguments, const Globals& globals);
int run_mesh(const MeshArguments& arguments, const Globals& globals);
int run_export(const ExportArguments& arguments, const Globals& globals);
int run_fly(const FlyArguments& arguments, const Globals& globals);
int run_serve(const ServeArguments& arguments, const Globals& globals);
int run_query(const QueryArguments& arguments, const Globals& globals);
int run_bench(const BenchArguments& arguments, const Globals& globals);

// Reads the command line and runs its command.
int run_command_line(int argc, char** argv);

}  // namespace arete::cli
