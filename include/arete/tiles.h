// Tiles: max-mip chains, the quadtree of pages with its bounds, and the sources and store that hold them.
//
// A tile is 2^k + 1 samples a side; its border belongs to both neighbours, so its mip levels have (n + 1)/2 samples and
// reduce along border lines only from taps on that line: neighbours agree without reading each other. The store is one
// SQLite file of pages (docs/store_format.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/core.h"

namespace arete {

// ---- The max-mip chain of one tile ----------------------------------------------------------------------------------

// The smallest level that is still a grid of quads: 2 samples a side.
inline constexpr int kSmallestLevelSamples = 2;
// Samples a side of `level` (0 is the tile itself) of a tile of 2^k + 1 samples a side, k >= 0.
int level_samples(int tile_samples, int level);
// Levels down to the smallest, level 0 included: 8 for 129.
int level_count(int tile_samples);
// Samples of all levels together: 22,363 for 129.
std::size_t chain_samples(int tile_samples);
// Writes every level, level 0 first, each row-major, into `chain` and returns how many samples were written. Steps of 0
// are holes; a coarse sample is a hole only if all its taps are. Refused (usage) when tile_samples is not 2^k + 1, when
// `tile` is not tile_samples^2 long or when `chain` is shorter than chain_samples(tile_samples).
Result<std::size_t> build_max_chain(std::span<const std::uint16_t> tile, int tile_samples,
                                    std::span<std::uint16_t> chain);
// One reduction step: `fine` is n x n, `coarse` ((n + 1)/2)^2, n = 2^k + 1 >= 3.
void reduce_max(std::span<const std::uint16_t> fine, int n, std::span<std::uint16_t> coarse);

// ---- Building the page quadtree -------------------------------------------------------------------------------------

// Where pages go while they are made and come from again. Several threads put and get at once; each key is put once,
// after the pages below it.
//
// A storage that outlives its process may keep rows of pages, so that the next build goes on behind them.
struct BuiltRow {
  std::int32_t lod = 0, z = 0;
  std::vector<std::uint8_t> nodes;  // what the builder must know of it
};
class PageStorage {
 public:
  virtual ~PageStorage() = default;
  virtual Result<void> put(std::shared_ptr<const Page> page) = 0;
  // A page that was put.
  virtual Result<std::shared_ptr<const Page>> get(PageKey key) const = 0;
  // Every page of these rows, and of those kept before, is put: with them the build is whole as far as it has come.
  // Called by one thread, once for each row of pages of lod 0.
  virtual Result<void> keep_rows(std::vector<BuiltRow>) {  // NOLINT(performance-unnecessary-value-param): moved on
    return {};
  }
  // The rows that an earlier build has kept.
  virtual Result<std::vector<BuiltRow>> kept_rows() const { return std::vector<BuiltRow>(); }
};

// Rows of stops in, north to south. Fills `row` (stops_x steps of row `z_stop`, 0 = hole); rows are asked for once, in
// order, from a thread of its own; rows that kept pages were made of are left out.
using RowReader = std::function<Result<void>(std::int32_t z_stop, std::span<std::uint16_t> row)>;
// Called with the fraction done, 0..1, from the building thread.
using Progress = std::function<void(double)>;

struct BuildOptions {
  int jobs = 0;  // threads that make pages; 0: one a processor. One more reads rows
  Progress progress;
};

// The most bytes that build_pages takes for a field, besides its storage: a few rows of pages, and the bounds.
std::int64_t build_bytes(const Lattice& lattice);

// Builds every page of every lod and the field's bounds, the same ones for any number of jobs. Pages of holes alone are
// not put. Errors are exact: the greatest vertical distance between both
// triangulated surfaces, rounded up to steps.
Result<Bounds> build_pages(const Lattice& lattice, const RowReader& rows, PageStorage& pages,
                           const BuildOptions& options = {});

// ---- Sources --------------------------------------------------------------------------------------------------------

// A whole field held as pages in memory.
class MemorySource final : public SampleSource {
 public:
  // `stops` is row-major, stops_x * stops_z steps. The lattice must hold at least one stop.
  static Result<std::unique_ptr<MemorySource>> build(const Lattice& lattice, std::span<const std::uint16_t> stops);
  ~MemorySource() override;
  const Lattice& lattice() const noexcept override;
  const Bounds& bounds() const noexcept;
  // For callers that bring their own ranges (kappas) or planted faults in tests.
  Bounds& bounds() noexcept;
  Result<std::shared_ptr<const Page>> page(PageKey key) const override;
  // Replaces one page; used by editors and by tests that plant faults.
  void replace(std::shared_ptr<const Page> page);

 private:
  MemorySource();
  struct State;
  std::unique_ptr<State> state_;
};

// A field given by a function of the stop, evaluated page by page; nothing is kept. Lods >= 1 have max = subsample. The
// function must be safe to call from several threads.
class ProceduralSource final : public SampleSource {
 public:
  using Function = std::function<std::uint16_t(std::int32_t x_stop, std::int32_t z_stop)>;
  ProceduralSource(const Lattice& lattice, Function function);
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override;

 private:
  Lattice lattice_;
  Function function_;
};

// ---- The store ------------------------------------------------------------------------------------------------------

// What a store says of its data beyond the lattice. Statistics are the source's own, in metres, before quantisation.
struct StoreInfo {
  std::string crs_wkt;  // WKT2:2019, empty when unknown
  std::optional<std::array<double, 6>> geotransform;
  std::string vertical_unit = "metre";  // what the source declared; heights in the store are metres
  std::int64_t source_width = 0;        // samples of the source raster, before area rims
  std::int64_t source_height = 0;
  std::int64_t valid = 0;
  std::int64_t missing = 0;
  double min_m = 0, max_m = 0, sum_m = 0;
  std::array<std::int64_t, 2> first_min{}, first_max{};  // [row, column]
  std::array<double, 4> corners_m{};                     // NW NE SW SE; NaN where missing
  double quantisation_error_m = 0;                       // the greatest |stored - source|
  bool spacing_is_known = true;
  std::string source_fingerprint;  // of inputs and options: guards a resumed bake
  std::string warnings;            // one a line
};

struct StoreStatistics {
  std::int64_t pages = 0;
  std::int64_t bytes = 0;
  std::string content_hash;  // 32 hex digits
};

class TileStore final : public SampleSource {
 public:
  // Opens read-only. Refused in one line: not a store, an unknown major version, a bake in progress, damaged metadata.
  // Decoded pages are kept up to `cache_bytes`.
  static Result<std::unique_ptr<TileStore>> open(const std::filesystem::path& path,
                                                 std::size_t cache_bytes = std::size_t(64) << 20);
  ~TileStore() override;
  const Lattice& lattice() const noexcept override;
  const Bounds& bounds() const noexcept;
  const StoreInfo& info() const noexcept;
  Result<StoreStatistics> statistics() const;
  // Reads, checks the checksum and decodes. An absent page whose bounds do not say "holes alone" is damage.
  Result<std::shared_ptr<const Page>> page(PageKey key) const override;
  // Every stored key in key order.
  Result<std::vector<PageKey>> keys() const;
  // Checks every page's checksum and the content hash; calls `progress`; names the first damage.
  Result<void> verify(const Progress& progress = {}) const;

 private:
  TileStore();
  struct State;
  std::unique_ptr<State> state_;
};

// Writes PATH.partial and renames it to PATH when whole: a reader sees the old store or the new one, never a part. A
// writer destroyed before finish() leaves the rows that it kept in the .partial for the next run. Pages are compressed
// on the threads that put them and written by a thread of its own; put() and get() are thread-safe, the rest is not.
class TileStoreWriter final : public PageStorage {
 public:
  // Starts `path`.partial, or resumes it when fingerprint, lattice and height scale are those of `info` and `lattice`;
  // a different one is refused with the way out. An empty fingerprint never resumes: what stands there is begun anew.
  // One writer at a time: a second process is refused. Up to `cache_bytes` of the lod-0 pages that were put last are
  // kept for get().
  static Result<std::unique_ptr<TileStoreWriter>> create(const std::filesystem::path& path, const Lattice& lattice,
                                                         const StoreInfo& info,
                                                         std::size_t cache_bytes = std::size_t(64) << 20);
  // What an unfinished bake to `path` knows of its data, and what it remembers; nothing where none stands.
  struct Unfinished {
    Lattice lattice;
    StoreInfo info;
    std::map<std::string, std::string> texts;
  };
  static std::optional<Unfinished> find_unfinished(const std::filesystem::path& path);
  ~TileStoreWriter() override;
  Result<void> put(std::shared_ptr<const Page> page) override;
  Result<std::shared_ptr<const Page>> get(PageKey key) const override;
  Result<void> keep_rows(std::vector<BuiltRow> rows) override;
  Result<std::vector<BuiltRow>> kept_rows() const override;
  // What this writer was given: pages put, and the bytes they are compressed to. A resumed bake puts fewer than it has.
  struct Encoded {
    std::int64_t pages = 0, bytes = 0;
  };
  Encoded encoded() const;
  // Keeps a text with the next rows, for find_unfinished.
  void remember(const std::string& name, const std::string& text);
  // Writes bounds, information and content hash, syncs, and renames. No call may follow.
  Result<StoreStatistics> finish(const Bounds& bounds, const StoreInfo& info);

 private:
  TileStoreWriter();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete
