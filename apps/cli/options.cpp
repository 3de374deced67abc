// The command line: every option of every command, read into arguments.h.
#include <functional>

#include "arguments.h"
#include "option_checks.h"

namespace arete::cli {
namespace {

using Run = std::function<int()>;

struct CommandLine {
  Globals globals;
  BakeArguments bake;
  InfoArguments info;
  RenderArguments render;
  ViewArguments view;
  CheckArguments check;
  MeshArguments mesh;
  ExportArguments out;
  FlyArguments fly;
  QueryArguments query;
  ServeArguments serve;
  BenchArguments bench;
  Run run;
};

template <class Arguments>
void runs(CLI::App& command, CommandLine& line, int (*run)(const Arguments&, const Globals&),
          const Arguments& arguments) {
  command.callback(
      [&line, run, &arguments] { line.run = [&line, run, &arguments] { return run(arguments, line.globals); }; });
}

template <class Value>
CLI::Option* add_file(CLI::App& command, const char* names, Value& value, const char* words) {
  return command.add_option(names, value, words)->type_name("FILE")->check(file_name());
}

void add_raster_options(CLI::App& command, RasterArguments& a) {
  const std::string group = "What the raster does not say";
  command
      .add_option("--registration", a.registration, "point or area; unset: the file's, else area where georeferenced")
      ->check(one_of({"point", "area"}))
      ->group(group);
  command.add_option("--spacing", a.spacing, "Metres between samples")->type_name("S|SX,SZ")->group(group);
  command.add_option("--vertical-scale", a.vertical_scale, "Multiplies heights")->check(finite_number())->group(group);
  command.add_option("--nodata", a.nodata, "The value of missing samples, in the file's numbers")
      ->check(any_number())
      ->group(group);
  command.add_flag("--keep-voids", a.keep_voids, "Keep values that look like undeclared voids")->group(group);
  command.add_option("--fill", a.fill, "Fills holes up to D samples from data")->type_name("none|D")->group(group);
  command.add_option("--band", a.band, "Band, from 1; needed when a file has several")
      ->check(whole_number(1, 65535))
      ->group(group);
  command.add_option("--encoding", a.encoding, "Heights packed into colours")
      ->check(one_of({"terrarium", "mapbox"}))
      ->group(group);
  command.add_option("--raw", a.raw, "Layout of a headerless file, for example 1025x1025:u16le")
      ->type_name("WxH:TYPE")
      ->group(group);
  command.add_option("--crs", a.crs, "Warp to auto (the UTM zone) or to a CRS such as EPSG:32619")
      ->type_name("auto|CRS")
      ->group(group);
  command.add_option("--bbox", a.bbox, "Keep samples inside, in the output's CRS")->type_name("W,S,E,N")->group(group);
}

void add_bake(CLI::App& app, CommandLine& line) {
  BakeArguments& a = line.bake;
  CLI::App* command = app.add_subcommand("bake", "Rasters to one store of pages; several rasters make a mosaic");
  add_file(*command, "IN", a.inputs, "Elevation rasters")->required();
  add_file(*command, "-o,--output", a.output, "The store to write")->required();
  command->add_option("--height-step", a.height_step_m, "Metres a height step, a power of two; unset: from the data")
      ->check(finite_number());
  command->add_option("--memory", a.memory_bytes, "Bytes that the process may hold, as 536870912 or 512M")
      ->transform(byte_count())
      ->type_name("BYTES")
      ->default_str("512M");
  add_raster_options(*command, a.raster);
  runs(*command, line, run_bake, a);
}

void add_info(CLI::App& app, CommandLine& line) {
  InfoArguments& a = line.info;
  CLI::App* command =
      app.add_subcommand("info", "What a store or a raster is: size, place, range, holes, quantisation");
  add_file(*command, "PATH", a.path, "A store or a raster")->required();
  command->add_flag("--verify", a.verify, "Check every page of a store against its checksum");
  add_raster_options(*command, a.raster);
  runs(*command, line, run_info, a);
}

// The look, the camera and the device of a picture or a window.
void add_picture_options(CLI::App& command, PictureArguments& a) {
  command.add_option("--eye", a.eye, "Where the camera is, metres")->type_name("X,Y,Z");
  command.add_option("--target", a.target, "What it looks at, metres")->type_name("X,Y,Z");
  command.add_option("--orbit", a.orbit_deg, "Which side of the ground to look from; 0: south, 90: east")
      ->check(finite_number());
  command.add_flag("--overview", a.overview, "The whole field, as a model on a table");
  command.add_option("--fov", a.field_of_view_deg, "Vertical field of view, degrees")
      ->check(number_in(kLeastFov_deg, kGreatestFov_deg));
  for (const char* of_made_cameras : {"--orbit", "--overview"}) {
    command.get_option("--eye")->excludes(command.get_option(of_made_cameras));
  }
  command.add_option("--size", a.size, "Pixels")->type_name("WxH")->capture_default_str();
  command.add_option("--colour,--color", a.colour, "relief, slope, lod, contour or drape=IMAGE")->capture_default_str();
  command.add_flag("--wireframe", a.wireframe, "Draw every triangle's edges");
  command.add_option("--sun", a.sun, "Azimuth from north and altitude, degrees")->type_name("AZ,ALT");
  command.add_option("--haze", a.haze, "0: none; 1: natural")->check(number_in(0.0, 100.0))->capture_default_str();
  command.add_flag("--no-shadows", a.no_shadows, "Neither cast shadows nor ambient occlusion");
  command.add_flag("--no-walls", a.no_walls, "Leave the field's rim open");
  command.add_option("--sea-level", a.sea_level_m, "Metres; unset: 0 where the field lies on both sides of it")
      ->check(finite_number());
  command.add_option("--contour-step", a.contour_step_m, "Metres between contours; unset: a round step")
      ->check(number_above_zero());
  command.add_option("--error", a.error_px, "Wanted screen error, pixels")
      ->check(number_in(0.01, 1e6))
      ->capture_default_str();
  command.add_option("--plane", a.plane, "Which heights coarse lods take; max keeps ridges")
      ->check(one_of({"subsample", "max"}))
      ->capture_default_str();
  command.add_option("--device", a.device, "Part of a Vulkan device's name");
  command.add_flag("--software", a.software, "A software device");
  command.add_flag("--validation", a.validation, "Vulkan's validation layers; exit 1 when they complain");
}

void add_flight(CLI::App& command, std::string& flight) {
  CLI::Option* option = add_file(command, "--flight", flight, "Cameras along a path, a JSON file (docs/cli.md)");
  for (const char* of_one_picture : {"--eye", "--target", "--orbit", "--overview", "--fov"}) {
    option->excludes(command.get_option(of_one_picture));
  }
}

void add_render(CLI::App& app, CommandLine& line) {
  RenderArguments& a = line.render;
  CLI::App* command = app.add_subcommand("render", "A picture of a store");
  add_file(*command, "STORE", a.store, "The store")->required();
  add_file(*command, "-o,--output", a.output, "The PNG to write")->required();
  add_picture_options(*command, a.picture);
  command->add_option("--mesher", a.mesher, "Who builds the vertices: the picture is the same")
      ->check(one_of({"vulkan", "cpu"}))
      ->capture_default_str();
  add_flight(*command, a.flight);
  command->add_option("--frames", a.frames, "Pictures along the flight: out_0000.png, ...")
      ->check(whole_number(2, 1'000'000));
  command->add_flag("--stats", a.stats, "Nodes, triangles and times of each picture");
  runs(*command, line, run_render, a);
}

void add_view(CLI::App& app, CommandLine& line) {
  ViewArguments& a = line.view;
  CLI::App* command = app.add_subcommand("view", "A window to fly in");
  add_file(*command, "STORE", a.store, "The store")->required();
  add_picture_options(*command, a.picture);
  command->add_option("--budget", a.budget_mib, "MiB of pages that are held")
      ->check(number_in(1.0, 1e6))
      ->capture_default_str();
  command->add_flag("--no-panel", a.no_panel, "Begin without the panel; H shows it");
  add_flight(*command, a.flight);
  CLI::Option* frames =
      command->add_option("--frames", a.frames, "Fly so many frames by itself, then end; without --flight once round")
          ->check(whole_number(2, 1'000'000));
  command->get_option("--flight")->needs(frames);
  add_file(*command, "-o,--output", a.output, "A PNG of the last frame, with all its pages")->needs(frames);
  runs(*command, line, run_view, a);
}

void add_check(CLI::App& app, CommandLine& line) {
  CheckArguments& a = line.check;
  CLI::App* command = app.add_subcommand("check", "Prove that a store is drawn without cracks, pops or lies");
  add_file(*command, "STORE", a.store, "The store")->required();
  command->add_option("--views", a.options.views, "Cameras, random and adversarial")
      ->check(whole_number(0, 1 << 30))
      ->capture_default_str();
  command->add_option("--seed", a.options.seed, "Of the cameras and cuts")
      ->check(whole_number(0))
      ->capture_default_str();
  command->add_option("--error", a.options.max_error_px, "Wanted screen error of the finest views, pixels")
      ->check(number_in(0.01, 1e6))
      ->capture_default_str();
  command->add_option("--quads", a.options.node_quads, "Quads a side of a node")
      ->check(one_of({"4", "8", "16", "32", "64", "128"}))
      ->capture_default_str();
  command->add_flag("--gpu", a.gpu, "Compare every word that a Vulkan device meshes with the CPU's as well");
  command->add_option("--gpu-vertices", a.gpu_vertices, "How many vertices of each height plane, at least")
      ->check(whole_number(1, std::int64_t(1) << 40))
      ->capture_default_str();
  command->add_option("--device", a.device, "Part of the Vulkan device's name");
  command->add_flag("--software", a.software, "A software device");
  runs(*command, line, run_check, a);
}

void add_mesh(CLI::App& app, CommandLine& line) {
  MeshArguments& a = line.mesh;
  CLI::App* command = app.add_subcommand("mesh", "One watertight adaptive mesh within an error bound");
  add_file(*command, "IN", a.input, "A store or a raster")->required();
  add_file(*command, "-o,--output", a.output, "The mesh to write: .glb, .ply, .obj or .stl")->required();
  command->add_option("--max-error", a.max_error_m, "Greatest vertical distance to the source, metres")
      ->check(number_in(0))
      ->capture_default_str();
  command->add_option("--max-triangles", a.max_triangles, "The least error within this many triangles instead")
      ->check(whole_number(1))
      ->excludes(command->get_option("--max-error"));
  command->add_option("--focus", a.focus, "Metres: keep to ERR within R of a place; may be repeated")
      ->type_name("X,Z,R,ERR")
      ->allow_extra_args(false);
  command->add_option("--base", a.base_m, "Close it to a solid whose floor is this far below, metres")
      ->check(number_above_zero());
  command->add_option("--exaggerate", a.exaggerate, "Multiplies heights")
      ->check(number_above_zero())
      ->capture_default_str();
  command->add_option("--size-mm", a.size_mm, "STL: millimetres of the longer side")->check(number_in(1e-3, 1e9));
  add_file(*command, "--drape", a.drape, "GLB: a PNG or JPEG over the whole field");
  command->add_flag("--compress", a.compress, "GLB: meshoptimizer's coding, without loss");
  add_raster_options(*command, a.raster);
  runs(*command, line, run_mesh, a);
}

void add_export(CLI::App& app, CommandLine& line) {
  ExportArguments& a = line.out;
  CLI::App* command = app.add_subcommand("export", "The heights of a store as a raster, with their georeference");
  add_file(*command, "STORE", a.store, "The store")->required();
  add_file(*command, "-o,--output", a.output, "The raster to write: .tif, .png or .r16")->required();
  command->add_flag("--hillshade", a.hillshade, "Light instead of heights");
  command->add_option("--sun", a.sun, "Of the hillshade: azimuth from north and altitude, degrees")
      ->type_name("AZ,ALT")
      ->needs(command->get_option("--hillshade"));
  runs(*command, line, run_export, a);
}

void add_fly(CLI::App& app, CommandLine& line) {
  FlyArguments& a = line.fly;
  CLI::App* command = app.add_subcommand("fly", "A scripted flight through the streamer, with figures");
  add_file(*command, "STORE", a.store, "The store")->required();
  CLI::Option* path =
      add_file(*command, "--path", a.path, "Waypoints, a JSON file (docs/cli.md), instead of a path over the field");
  command->add_option("--seconds", a.seconds, "Of flight")->check(number_in(0.1, 1e6))->capture_default_str();
  command->add_option("--speed", a.speed_m_s, "Metres a second")->check(number_in(0))->capture_default_str();
  command->add_option("--clearance", a.clearance_m, "Metres above the ground")
      ->check(finite_number())
      ->capture_default_str();
  command->add_option("--jump-every", a.jump_every_s, "Seconds between jumps; 0: none")->check(number_in(0));
  command->add_option("--cameras", a.cameras, "How many fly at once")
      ->check(whole_number(1, 64))
      ->capture_default_str();
  command->add_option("--seed", a.seed, "Of the paths")->check(whole_number(0))->capture_default_str();
  for (const char* of_made_paths : {"--seconds", "--speed", "--clearance", "--jump-every", "--cameras", "--seed"}) {
    path->excludes(command->get_option(of_made_paths));
  }
  command->add_option("--budget", a.budget_mib, "MiB that the streamer may hold")
      ->check(number_in(1.0, 1e6))
      ->capture_default_str();
  command->add_option("--latency", a.latency_ms, "Milliseconds that a load takes, in virtual time")
      ->check(number_in(0));
  command->add_flag("--real", a.is_real, "Keep to the clock, with loading threads; else time is virtual")
      ->excludes(command->get_option("--latency"));
  command->add_option("--error", a.error_px, "Wanted screen error, pixels")
      ->check(number_in(0.01, 1e6))
      ->capture_default_str();
  add_file(*command, "--pictures", a.pictures, "OUT.png: pictures OUT_0000.png, ... of what is resident");
  command->add_option("--picture-every", a.picture_every_s, "Seconds of flight between pictures")
      ->check(number_above_zero());
  runs(*command, line, run_fly, a);
}

void add_query(CLI::App& app, CommandLine& line) {
  QueryArguments& a = line.query;
  CLI::App* query = app.add_subcommand("query", "Heights, normals, rays, profiles and lines of sight");
  add_file(*query, "STORE", a.store, "The store")->required();
  query->require_subcommand(1);
  const auto add = [&](const char* what, const char* help) {
    CLI::App* command = query->add_subcommand(what, help);
    command->callback([&a, what] { a.what = what; });
    return command;
  };
  CLI::App* height = add("height", "The height at X Z");
  CLI::App* normal = add("normal", "The normal at X Z");
  for (CLI::App* command : {height, normal}) {
    command->add_option("X", a.x, "Metres, or the longitude")->check(any_number());
    command->add_option("Z", a.z, "Metres, or the latitude")->check(any_number());
  }
  CLI::App* ray = add("ray", "The first point of a ray on the ground");
  ray->add_option("ORIGIN", a.first, "Metres, or LON,LAT,Y")->type_name("OX,OY,OZ");
  ray->add_option("DIRECTION", a.second, "East, up, south")->type_name("DX,DY,DZ");
  ray->add_option("--max", a.max_t, "Greatest t, in lengths of the direction")->check(any_number());
  CLI::App* sight = add("sight", "Whether one point is seen from another");
  sight->add_option("FROM", a.first, "Metres, or LON,LAT,Y")->type_name("X,Y,Z");
  sight->add_option("TO", a.second, "Metres, or LON,LAT,Y")->type_name("X,Y,Z");
  CLI::App* profile = add("profile", "The ground under a line, at every crossing of a cell's edge or diagonal, as CSV");
  profile->add_option("FROM", a.first, "Metres, or LON,LAT")->type_name("X,Z");
  profile->add_option("TO", a.second, "Metres, or LON,LAT")->type_name("X,Z");
  for (CLI::App* command : {height, normal, ray}) {
    add_file(*command, "--batch", a.batch, "A CSV file of places or rays; the answers are CSV too");
  }
  for (CLI::App* command : {height, normal, ray, sight, profile}) {
    command->add_flag("--lonlat", a.lonlat, "Places are longitude and latitude in degrees (WGS 84)");
  }
  runs(*query, line, run_query, a);
}

void add_serve(CLI::App& app, CommandLine& line) {
  ServeArguments& a = line.serve;
  CLI::App* command =
      app.add_subcommand("serve", "A local web server: a viewer for the browser, and pages for programs");
  add_file(*command, "STORE", a.store, "The store")->required();
  command->add_option("--port", a.port, "Where to listen; 0: any free port; unset: 8080, or the next free one")
      ->check(whole_number(0, 65535));
  command->add_option("--host", a.host, "The address to listen at; another than this opens the store to others")
      ->type_name("ADDRESS")
      ->capture_default_str();
  runs(*command, line, run_serve, a);
}

void add_bench(CLI::App& app, CommandLine& line) {
  BenchArguments& a = line.bench;
  CLI::App* command = app.add_subcommand("bench", "What this machine does a second, beside the hardware's floors");
  add_file(*command, "STORE", a.store, "The store; unset: a fractal");
  runs(*command, line, run_bench, a);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"Elevation in, level-of-detail terrain out: no cracks, no pops, drawn = collided."};
  app.name("arete");
  app.set_version_flag("--version", "arete " ARETE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpWithParents>());
  app.fallthrough();  // global options may follow the command
  CommandLine line;
  app.add_flag("--json", line.globals.json, "Print one JSON document on stdout");
  app.add_flag("--quiet", line.globals.quiet, "Print neither text, warnings nor progress");
  app.add_option("--jobs", line.globals.jobs, "Threads; 0: one a processor")->check(whole_number(0, 1024));
  for (const auto add : {add_bake, add_info, add_render, add_view, add_check, add_mesh, add_export, add_fly, add_query,
                         add_serve, add_bench}) {
    add(app, line);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(usage_error(refusal(app, error)).error);
  }
  return line.run();
}

}  // namespace arete::cli
