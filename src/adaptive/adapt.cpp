// A field becomes one mesh: its pieces are refined by several threads and welded in their own order, so the result is
// the same for any number of threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>

#include "adaptive/field_reader.h"
#include "adaptive/weld.h"
#include "core/workers.h"

namespace arete {
namespace {
using namespace adaptive;

struct PieceGrid {
  std::int32_t count_x = 0, count_z = 0;
  PieceGrid(const Lattice& lattice, std::int32_t cells)
      : count_x((lattice.stops_x - 2) / cells + 1), count_z((lattice.stops_z - 2) / cells + 1) {}
  std::int64_t size() const { return std::int64_t(count_x) * count_z; }
  std::array<bool, 4> neighbours(std::int32_t px, std::int32_t pz) const {
    return {pz > 0, px + 1 < count_x, pz + 1 < count_z, px > 0};
  }
};

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text;
}

Result<void> check(const Lattice& lattice, const AdaptOptions& options) {
  if (lattice.stops_x < 2 || lattice.stops_z < 2) {
    return data_error("a field of " + std::to_string(lattice.stops_x) + " x " + std::to_string(lattice.stops_z) +
                      " samples spans no area: nothing to mesh; use area registration to give each sample its cell");
  }
  const auto check_bound = [&](double error_m, const char* name) -> Result<void> {
    if (!(error_m >= 0)) {
      return usage_error(std::string(name) + " must be 0 or more metres, found " + number(error_m));
    }
    if (error_m < options.quantisation_error_m) {
      return usage_error(std::string(name) + " of " + number(error_m) +
                         " m is below the quantisation error of the heights, " + number(options.quantisation_error_m) +
                         " m; ask for more or bake with a smaller height step");
    }
    return {};
  };
  if (options.piece_cells < 2 || options.piece_cells > 1024 || !std::has_single_bit(unsigned(options.piece_cells))) {
    return usage_error("pieces must be a power of two of 2 to 1024 cells a side, found " +
                       std::to_string(options.piece_cells));
  }
  if (options.max_triangles < 0) {
    return usage_error("a triangle budget must be positive, found " + std::to_string(options.max_triangles));
  }
  if (options.max_triangles == 0) {
    if (auto valid = check_bound(options.max_error_m, "the error bound"); !valid) {
      return valid;
    }
  }
  for (const Focus& disc : options.focus) {
    if (!std::isfinite(disc.x_m) || !std::isfinite(disc.z_m) || !(disc.radius_m >= 0)) {
      return usage_error("a focus needs a finite place and a radius of 0 or more metres");
    }
    if (auto valid = check_bound(disc.error_m, "the error bound of a focus"); !valid) {
      return valid;
    }
  }
  return {};
}

// Meshes every piece and welds them in row-major order.
Result<AdaptedMesh> run(const FieldReader& field, const AdaptOptions& options, double max_error_m) {
  const Lattice& lattice = field.lattice();
  const std::int32_t cells = options.piece_cells;
  const PieceGrid grid(lattice, cells);
  const ErrorGoal goal(lattice, max_error_m, options.quantisation_error_m, options.focus);
  Weld weld(lattice, cells, grid.size());
  double error_steps = 0;

  struct Finished {
    SampleBlock block;
    PieceMesh mesh;
  };
  std::mutex mutex;
  std::vector<std::optional<Finished>> finished(std::size_t(grid.size()));
  std::int64_t welded = 0;
  std::atomic<std::int64_t> next{0};

  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    PieceMesher mesher(cells);
    for (std::int64_t i = next++; i < grid.size() && !has_failed; i = next++) {
      const std::int32_t px = std::int32_t(i % grid.count_x), pz = std::int32_t(i / grid.count_x);
      const std::int32_t x0 = px * cells, z0 = pz * cells;
      Finished piece;
      if (auto is_read = field.read(x0, z0, cells, piece.block); !is_read) {
        return is_read;
      }
      mesher.mesh(piece.block, goal, x0, z0, grid.neighbours(px, pz), piece.mesh);
      const std::lock_guard lock(mutex);
      finished[std::size_t(i)] = std::move(piece);
      for (; welded < grid.size() && finished[std::size_t(welded)]; ++welded) {
        auto& done = finished[std::size_t(welded)];
        weld.add(done->mesh, done->block, std::int32_t(welded % grid.count_x) * cells,
                 std::int32_t(welded / grid.count_x) * cells);
        error_steps = std::max(error_steps, done->mesh.error);
        done.reset();
      }
      if (options.progress) {
        options.progress(double(welded) / double(grid.size()));
      }
    }
    return {};
  };
  const int workers = int(std::min<std::int64_t>(worker_count(options.jobs), grid.size()));
  if (auto is_meshed = run_workers(workers, work); !is_meshed) {
    return Unexpected{is_meshed.error()};
  }
  AdaptedMesh result;
  result.lattice = lattice;
  result.mesh = weld.take();
  result.pieces = grid.size();
  result.max_error_m = max_error_m;
  result.error_m = error_steps * lattice.step_m;
  if (result.mesh.triangles.empty()) {
    return data_error("no cell triangle has three valid samples: every surface is a hole, nothing to mesh");
  }
  return result;
}

// The least error whose mesh keeps to the budget. Triangle counts fall nearly as a power of the error, so each try
// interpolates between the nearest misses on a log-log line, kept off their ends.
Result<AdaptedMesh> within_budget(const FieldReader& field, const AdaptOptions& options) {
  const double step_m = field.lattice().step_m;
  const double least_m = options.quantisation_error_m;
  struct Try {
    double error_m;
    double triangles;
  };
  auto best = run(field, options, least_m + kAnyError * step_m);
  if (!best) {
    return best;
  }
  const auto budget = double(options.max_triangles);
  Try coarse{least_m + kAnyError * step_m, double(best->mesh.triangles.size())};
  if (coarse.triangles > budget) {
    return usage_error("this field cannot be meshed with " + std::to_string(options.max_triangles) +
                       " triangles: holes, focus discs and pieces need at least " +
                       std::to_string(best->mesh.triangles.size()));
  }
  Try fine{least_m + step_m / 64, 2.0 * field.lattice().cells_x(0) * field.lattice().cells_z(0)};
  if (fine.triangles <= budget) {
    return run(field, options, least_m);
  }
  constexpr int kMostTries = 24;
  constexpr double kCloseEnough = 1.01;
  for (int i = 0; i < kMostTries && coarse.triangles < 0.995 * budget &&
                  coarse.error_m - least_m > kCloseEnough * (fine.error_m - least_m);
       ++i) {
    const double low = std::log(fine.error_m - least_m), high = std::log(coarse.error_m - least_m);
    double part = std::log(fine.triangles / budget) / std::log(fine.triangles / coarse.triangles);
    // Every third try halves the interval, whatever the slopes say.
    part = i % 3 == 2 ? 0.5 : std::clamp(part, 0.05, 0.95);
    const double error_m = least_m + std::exp(low + part * (high - low));
    auto mesh = run(field, options, error_m);
    if (!mesh) {
      return mesh;
    }
    const double triangles = double(mesh->mesh.triangles.size());
    if (triangles <= budget) {
      coarse = {error_m, triangles};
      best = std::move(mesh);
    } else {
      fine = {error_m, triangles};
    }
  }
  return best;
}

Result<AdaptedMesh> adapt_field(const FieldReader& field, const AdaptOptions& options) {
  if (auto valid = check(field.lattice(), options); !valid) {
    return Unexpected{valid.error()};
  }
  return options.max_triangles > 0 ? within_budget(field, options) : run(field, options, options.max_error_m);
}

}  // namespace

Result<AdaptedMesh> adapt(const Lattice& lattice, std::span<const std::uint16_t> stops, const AdaptOptions& options) {
  ARETE_ASSERT(stops.size() == std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z));
  return adapt_field(FieldReader(lattice, stops), options);
}

Result<AdaptedMesh> adapt(const SampleSource& source, const AdaptOptions& options) {
  return adapt_field(FieldReader(source), options);
}

Result<LatticeMesh> adapt_piece(const SampleSource& source, const AdaptOptions& options, std::int32_t px,
                                std::int32_t pz) {
  AdaptOptions plain = options;
  plain.max_triangles = 0;
  const FieldReader field(source);
  if (auto valid = check(field.lattice(), plain); !valid) {
    return Unexpected{valid.error()};
  }
  const std::int32_t cells = plain.piece_cells;
  const PieceGrid grid(field.lattice(), cells);
  ARETE_ASSERT(px >= 0 && pz >= 0 && px < grid.count_x && pz < grid.count_z);
  const std::int32_t x0 = px * cells, z0 = pz * cells;
  SampleBlock block;
  if (auto is_read = field.read(x0, z0, cells, block); !is_read) {
    return Unexpected{is_read.error()};
  }
  const ErrorGoal goal(field.lattice(), plain.max_error_m, plain.quantisation_error_m, plain.focus);
  PieceMesh piece;
  PieceMesher(cells).mesh(block, goal, x0, z0, grid.neighbours(px, pz), piece);
  Weld weld(field.lattice(), cells, 1);
  weld.add(piece, block, x0, z0);
  return weld.take();
}

}  // namespace arete
