// Rasters: any elevation file that GDAL knows, and a few that it does not, becomes rows of heights in metres with their
// registration, spacing and holes, and the u16 height scale that holds them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arete/core.h"

namespace arete {

// ---- What the user may say about an input ---------------------------------------------------------------------------

enum class SampleType : std::uint8_t { u8, i8, u16, i16, u32, i32, f32, f64 };

// The layout of a headerless file: rows north to south, no padding; the file's size must match exactly.
struct RawLayout {
  std::int64_t width = 0, height = 0;  // samples, >= 1
  SampleType type = SampleType::u16;
  bool big_endian = false;
};
// Reads "1025x1025:u16le". Refused (usage) with the spelling that is expected.
Result<RawLayout> parse_raw_layout(std::string_view text);

// Heights packed into the channels of 8-bit RGB or RGBA images; alpha 0 is a hole.
enum class Encoding : std::uint8_t {
  none,
  terrarium,  // 256 R + G + B/256 - 32,768 m
  mapbox,     // (65,536 R + 256 G + B)/10 - 10,000 m
};

struct RasterOptions {
  std::optional<Registration> registration;  // unset: the file's; else area where georeferenced, else point
  std::optional<double> spacing_x_m;         // unset: from the georeference; 1 m with a warning when unknown
  std::optional<double> spacing_z_m;
  double vertical_scale = 1;     // multiplies heights after the file's own scale, offset and unit
  std::optional<double> nodata;  // in the file's numbers; replaces the declared value and ends the search for
                                 // undeclared voids
  bool find_voids = true;        // false: undeclared voids stay heights (see Raster::statistics)
  std::optional<int> band;       // counted from 1; needed when a file has several
  Encoding encoding = Encoding::none;
  std::optional<RawLayout> raw;  // the file has no header
  std::string crs;               // warp to "auto" (the UTM zone) or to a CRS such as "EPSG:32619"; empty: none
  std::optional<std::array<double, 4>> bbox;  // west, south, east, north in the output's CRS: samples inside or on it
  std::int64_t fill_samples = 0;  // holes up to this many samples from data are filled, within 512 MiB; 0: none
};

// ---- Reading --------------------------------------------------------------------------------------------------------

// What a raster is, without reading its samples.
struct RasterInfo {
  std::int64_t width = 0, height = 0;  // samples
  Registration registration = Registration::point;
  double spacing_x_m = 1, spacing_z_m = 1;
  bool spacing_is_known = false;  // false: assumed, and a warning says so
  std::string crs_wkt;            // WKT2:2019, empty when unknown
  // GDAL's order and meaning, of the north-up raster: maps (0, 0) to the north-west corner of the first sample's texel,
  // whatever the registration; the first sample itself is at (0.5, 0.5).
  std::optional<std::array<double, 6>> geotransform;
  std::string vertical_unit = "metre";  // what the file declares; heights come in metres
  std::string driver;
  std::string data_type;              // of the file's samples, for example "Int16"
  std::vector<std::string> files;     // that one raster is read from besides its own: sidecars, sources of a VRT
  std::vector<std::string> warnings;  // one line each
};

// Over every valid sample, in metres after scale, offset and unit, before filling; rows count from the north.
struct RasterStatistics {
  std::int64_t valid = 0, missing = 0;
  double min_m = 0, max_m = 0, sum_m = 0;                // NaN, NaN and 0 when no sample is valid
  std::array<std::int64_t, 2> first_min{}, first_max{};  // [row, column]; -1, -1 when no sample is valid
  std::array<double, 4> corners_m{};                     // NW NE SW SE; NaN where missing
  bool all_whole_metres = true;
  std::uint64_t digest = 0;           // XXH3-64 of all heights and holes, row by row
  std::vector<double> voids_m;        // heights that were taken for undeclared voids
  std::vector<std::string> warnings;  // undeclared voids, spikes, rims without data, conflicts of a mosaic
};

// An open raster, or a mosaic of several. Rows come north to south whatever the file's order; holes are NaN. Memory is
// bounded by a few rows of the file's blocks. Not thread-safe.
class Raster {
 public:
  // Errors name the file: it is not there (io); it is damaged, cut short, or no raster that is known (data); options
  // that it contradicts, such as a band that it has not, or that it needs (usage).
  static Result<std::unique_ptr<Raster>> open(const std::filesystem::path& path, const RasterOptions& options = {});
  // Several paths make a mosaic: they must agree in CRS, spacing and registration and lie whole samples apart; the
  // first one with a valid sample wins, and samples that differ are counted in the statistics.
  static Result<std::unique_ptr<Raster>> open(std::span<const std::filesystem::path> paths,
                                              const RasterOptions& options = {});
  ~Raster();
  const RasterInfo& info() const noexcept;
  // Fills `row_m` (width doubles) with row `row` in metres, holes filled where options.fill_samples says so. Reading
  // rows in ascending order is fast.
  Result<void> read_row(std::int64_t row, std::span<double> row_m);
  // The most bytes that a warp and filled holes make it hold, besides rows and the file's blocks.
  std::int64_t most_bytes() const noexcept;
  // Reads the whole raster once, in bounded memory; later calls return the same. Settles undeclared voids: the least
  // value of the sample type, -32768, -32767 and -9999 become holes, with a warning, when they are held by at least two
  // samples or by 1 % of all and every other height lies above them by a tenth of their size; so does anything further
  // than 1e8 m from zero. Rows read before this call still show the former as heights.
  Result<RasterStatistics> statistics(const std::function<void(double)>& progress = {});
  // Makes holes of these heights, which earlier statistics of the same raster settled: it need not be read again.
  void declare_voids(std::span<const double> voids_m);

 private:
  Raster();
  struct State;
  std::unique_ptr<State> state_;
};

// ---- Writing --------------------------------------------------------------------------------------------------------

// A raster file to be written; a reader gets `number * scale + offset` of every number that is not `nodata`.
struct RasterSpec {
  std::int64_t width = 0, height = 0;
  SampleType type = SampleType::f32;  // .png and .r16 take u8 (.png only) and u16
  Registration registration = Registration::point;
  std::string crs_wkt;                                // empty: none
  std::optional<std::array<double, 6>> geotransform;  // as in RasterInfo
  std::optional<double> nodata;
  double scale = 1, offset = 0;
  std::string unit;  // of the numbers after scale and offset, for example "m"
};

// Writes a raster row by row: .tif or .tiff (tiled, deflate), .png, or .r16 (bare little-endian u16, north to south).
// What .png and .r16 cannot hold goes elsewhere: GDAL's X.aux.xml beside a .png; .r16 has none, so its caller writes a
// sidecar. The file appears under its name only when whole. Not thread-safe.
class RasterWriter {
 public:
  // Errors: an ending or a spec that the format cannot hold (usage), the disk (io).
  static Result<std::unique_ptr<RasterWriter>> create(const std::filesystem::path& path, const RasterSpec& spec);
  ~RasterWriter();  // takes an unfinished file away
  // Takes `width` numbers of the next row, north to south; they are rounded and clamped to the type. NaN becomes
  // nodata.
  Result<void> write_row(std::span<const double> numbers);
  Result<void> finish();

 private:
  RasterWriter();
  struct State;
  std::unique_ptr<State> state_;
};

// ---- Heights as steps -----------------------------------------------------------------------------------------------

// y = base + step h: the least power of two >= 2^-20 m whose 61,438 steps hold the span with |y| under 2^24 steps, the
// data centred in 1..65,535.
struct HeightScale {
  double base_m = 0;
  double step_m = 1;
};
// Chooses the scale; `height_step_m` asks for another power of two and is refused with the step that would fit.
// Whole metres that span at most 65,534 always get a step of at most 1. NaN for both limits (no valid sample) gives
// base 0, step 1.
Result<HeightScale> choose_height_scale(double min_m, double max_m, bool whole_metres,
                                        std::optional<double> height_step_m = {});
// The nearest step (1..65,535) of a height inside the scale; NaN gives 0.
std::uint16_t quantise(double height_m, const HeightScale& scale);
// The same for a row; both spans have one length. Returns the greatest |stored - given| in metres.
double quantise_row(std::span<const double> heights_m, const HeightScale& scale, std::span<std::uint16_t> steps);

// The lattice that a raster's samples become: W stops an axis for point registration, W + 2 for area.
Lattice raster_lattice(const RasterInfo& info, const HeightScale& scale);

// ---- Geographic places ----------------------------------------------------------------------------------------------

// Longitude and latitude of places of a field that was made from a raster: WGS 84, or the field's own globe off Earth.
// Not thread-safe.
class GeographicPlaces {
 public:
  // `crs_wkt` and `geotransform` as in RasterInfo. Refused (data): one of them is missing, or no globe has the CRS.
  static Result<GeographicPlaces> create(const std::string& crs_wkt,
                                         const std::optional<std::array<double, 6>>& geotransform,
                                         const Lattice& lattice);
  ~GeographicPlaces();
  GeographicPlaces(GeographicPlaces&&) noexcept;
  GeographicPlaces& operator=(GeographicPlaces&&) noexcept;
  // x, z in metres, inside the field or out of it. Refused: numbers that are no degrees (usage), a place that the CRS
  // does not reach (data).
  Result<std::array<double, 2>> place_m(double longitude_deg, double latitude_deg) const;
  // The longitude, -180 to 180, and latitude of a place. Refused: numbers that are not finite (usage), a place that no
  // globe has (data).
  Result<std::array<double, 2>> degrees_at(double x_m, double z_m) const;

 private:
  GeographicPlaces();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete
