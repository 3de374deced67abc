// Measures adapt(): triangles, exact error, time and peak memory, one JSON line a run, beside right-triangulated
// refinement (--rtin) and meshes that other programs made (--verify).
//
//   bench_adaptive                                          a small fractal
//   bench_adaptive --raw F.raw 1201x1201 --error 1,5,10     a file of u16 samples
//   bench_adaptive --fractal 8193 0.85 1 --error 100,400    [--write OUT.raw to keep it]
//   bench_adaptive --raw F.raw WxH --verify MESH            the exact error of a mesh: u32 counts of vertices and
//   triangles,
//                                                           i32 x z pairs, u32 corners
// Other options: --jobs N, --piece N, --crop N (the N x N samples at the corner), --rtin (2^k + 1 samples a side
// alone).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "adaptive/field_reader.h"
#include "adaptive_fields.h"
#include "adaptive_rtin.h"

namespace {
using namespace arete;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void crop(bench::Field& field, std::int32_t samples) {
  std::vector<std::uint16_t> kept;
  for (std::int32_t z = 0; z < samples; ++z) {
    const auto row = field.stops.begin() + std::ptrdiff_t(z) * field.lattice.stops_x;
    kept.insert(kept.end(), row, row + samples);
  }
  field.stops = std::move(kept);
  field.lattice.stops_x = field.lattice.stops_z = samples;
  field.name += " crop " + std::to_string(samples);
}

adaptive::SampleBlock whole_block(const bench::Field& field) {
  adaptive::SampleBlock block;
  const std::int32_t side = std::max(field.lattice.stops_x, field.lattice.stops_z) - 1;
  const auto is_read = adaptive::FieldReader(field.lattice, field.stops).read(0, 0, side, block);
  ARETE_ASSERT(is_read);
  return block;
}

// Prints the greatest error of a mesh of lattice triangles that another program wrote.
int verify(const bench::Field& field, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint32_t counts[2] = {};
  file.read(reinterpret_cast<char*>(counts), sizeof counts);
  std::vector<adaptive::Place> places(counts[0]);
  std::vector<MeshTriangle> triangles(counts[1]);
  file.read(reinterpret_cast<char*>(places.data()), std::streamsize(places.size() * sizeof places[0]));
  file.read(reinterpret_cast<char*>(triangles.data()), std::streamsize(triangles.size() * sizeof triangles[0]));
  if (!file) {
    std::fprintf(stderr, "%s: not a whole mesh\n", path.c_str());
    return 1;
  }
  const adaptive::SampleBlock block = whole_block(field);
  const adaptive::ErrorMeter meter(block);
  double worst = 0;
  std::int64_t inside = 0;
  for (const MeshTriangle& t : triangles) {
    const adaptive::Place a = places[t[0]], b = places[t[1]], c = places[t[2]];
    if (std::max({a.x, b.x, c.x}) <= block.last_x && std::max({a.z, b.z, c.z}) <= block.last_z) {
      worst = std::max(worst, meter.triangle(a, b, c));
      ++inside;
    }
  }
  std::printf("{\"triangles\": %zu, \"inside\": %lld, \"true_error\": %.4f}\n", triangles.size(),
              static_cast<long long>(inside), worst);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  bench::Field field;
  AdaptOptions options;
  std::vector<double> errors;
  bool with_rtin = false;
  std::string mesh_path;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto next = [&] { return ++i < arguments.size() ? arguments[i] : std::string(); };
    const std::string option = arguments[i];
    if (option == "--raw") {
      const std::string path = next(), size = next();
      auto read = bench::read_raw(path, std::atoi(size.c_str()), std::atoi(size.c_str() + size.find('x') + 1));
      if (!read) {
        std::fprintf(stderr, "%s\n", read.error().message.c_str());
        return 1;
      }
      field = std::move(*read);
    } else if (option == "--fractal") {
      const std::string samples = next(), hurst = next(), seed = next();
      field =
          bench::make_fractal(std::atoi(samples.c_str()), std::atof(hurst.c_str()), unsigned(std::atoi(seed.c_str())));
    } else if (option == "--write") {
      std::ofstream(next(), std::ios::binary)
          .write(reinterpret_cast<const char*>(field.stops.data()), std::streamsize(field.stops.size() * 2));
    } else if (option == "--error") {
      const std::string list = next();
      for (const char* at = list.c_str(); *at != 0;) {
        char* end = nullptr;
        errors.push_back(std::strtod(at, &end));
        at = *end == ',' ? end + 1 : end + std::string(end).size();
      }
    } else if (option == "--jobs") {
      options.jobs = std::atoi(next().c_str());
    } else if (option == "--piece") {
      options.piece_cells = std::atoi(next().c_str());
    } else if (option == "--crop") {
      crop(field, std::atoi(next().c_str()));
    } else if (option == "--rtin") {
      with_rtin = true;
    } else if (option == "--verify") {
      mesh_path = next();
    } else {
      std::fprintf(stderr, "unknown option %s; see the head of bench/adaptive.cpp\n", option.c_str());
      return 2;
    }
  }
  if (field.stops.empty()) {
    field = bench::make_fractal(1025, 0.85, 1);
    errors = {100, 400};
    with_rtin = true;
  }
  if (!mesh_path.empty()) {
    return verify(field, mesh_path);
  }
  for (const double error_m : errors) {
    options.max_error_m = error_m;
    const double cpu_before = bench::cpu_seconds();
    const auto start = Clock::now();
    const auto adapted = adapt(field.lattice, field.stops, options);
    const double seconds = seconds_since(start);
    if (!adapted) {
      std::fprintf(stderr, "%s\n", adapted.error().message.c_str());
      return 1;
    }
    std::printf(
        "{\"tool\": \"arete\", \"field\": \"%s\", \"error\": %g, \"triangles\": %zu, \"vertices\": %zu, "
        "\"true_error\": %.4f, \"seconds\": %.3f, \"cpu_seconds\": %.3f, \"peak_mib\": %.0f}\n",
        field.name.c_str(), error_m, adapted->mesh.triangles.size(), adapted->mesh.vertices.size(), adapted->error_m,
        seconds, bench::cpu_seconds() - cpu_before, bench::peak_mib());
    std::fflush(stdout);
    if (with_rtin) {
      const auto begun = Clock::now();
      const bench::RtinCount rtin = bench::count_rtin(whole_block(field), error_m);
      std::printf(
          "{\"tool\": \"rtin\", \"field\": \"%s\", \"error\": %g, \"triangles\": %lld, \"true_error\": %.4f, "
          "\"too_far\": %lld, \"seconds\": %.3f, \"arete_over_rtin\": %.3f}\n",
          field.name.c_str(), error_m, static_cast<long long>(rtin.triangles), rtin.error_steps,
          static_cast<long long>(rtin.too_far), seconds_since(begun),
          double(adapted->mesh.triangles.size()) / double(rtin.triangles));
      std::fflush(stdout);
    }
  }
  return 0;
}
