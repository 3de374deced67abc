// Writes raster files through GDAL, .r16 by itself; see RasterWriter in include/arete/raster.h.
//
// PNG can only be copied from another dataset, so its rows go to an uncompressed GeoTIFF beside it first.
#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <fmt/format.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arete/raster.h"
#include "band.h"
#include "gdal_session.h"
#include "input_file.h"

namespace arete {
namespace {

GDALDataType gdal_type(SampleType type) {
  switch (type) {
    case SampleType::u8:
      return GDT_Byte;
    case SampleType::u16:
      return GDT_UInt16;
    case SampleType::i16:
      return GDT_Int16;
    case SampleType::u32:
      return GDT_UInt32;
    case SampleType::i32:
      return GDT_Int32;
    case SampleType::f64:
      return GDT_Float64;
    case SampleType::i8:
    case SampleType::f32:
      break;
  }
  return GDT_Float32;
}

struct Limits {
  double least, greatest;
};
template <class T>
constexpr Limits limits_of() {
  return {double(std::numeric_limits<T>::lowest()), double(std::numeric_limits<T>::max())};
}
std::optional<Limits> whole_limits(SampleType type) {
  switch (type) {
    case SampleType::u8:
      return limits_of<std::uint8_t>();
    case SampleType::i8:
      return limits_of<std::int8_t>();
    case SampleType::u16:
      return limits_of<std::uint16_t>();
    case SampleType::i16:
      return limits_of<std::int16_t>();
    case SampleType::u32:
      return limits_of<std::uint32_t>();
    case SampleType::i32:
      return limits_of<std::int32_t>();
    case SampleType::f32:
    case SampleType::f64:
      break;
  }
  return {};
}

enum class Format { geotiff, png, r16 };

}  // namespace

struct RasterWriter::State {
  RasterSpec spec;
  Format format = Format::geotiff;
  std::filesystem::path path;
  std::string part;     // what is written until the file is whole
  std::string carrier;  // the GeoTIFF that a PNG is copied from
  GDALDatasetH dataset = nullptr;
  VSILFILE* file = nullptr;
  std::int64_t row = 0;
  bool is_finished = false;
  std::vector<double> numbers;
  std::vector<unsigned char> bytes;

  Result<void> open();
  Result<void> describe();
  Result<void> close();
  Result<void> copy_to_png();
  Unexpected fail(const GdalTrap& trap, const std::string& what) const {
    // GDAL's words for it depend on the driver and on the moment.
    constexpr std::uintmax_t kNothingLeft = 1 << 20;
    std::error_code unknown;
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (const auto space = std::filesystem::space(folder, unknown); !unknown && space.available < kNothingLeft) {
      return io_error(path.string() + ": the disk is full: make room and run the same command again");
    }
    return io_error(
        fmt::format("{}: {}: {}", path.string(), what, trap.reason(part, "the disk may be full or not writable")));
  }
  void clean() const {
    for (const std::string& name : {part, part + ".aux.xml", carrier, carrier + ".aux.xml"}) {
      std::error_code ignored;
      if (!name.empty() && name != ".aux.xml") {
        std::filesystem::remove(name, ignored);
      }
    }
  }
};

RasterWriter::RasterWriter() : state_(std::make_unique<State>()) {}

RasterWriter::~RasterWriter() {
  if (!state_->is_finished) {
    if (const auto closed = state_->close(); !closed) {
      // It is thrown away below.
    }
    state_->clean();
  }
}

Result<std::unique_ptr<RasterWriter>> RasterWriter::create(const std::filesystem::path& path, const RasterSpec& spec) {
  start_gdal();
  std::unique_ptr<RasterWriter> writer(new RasterWriter);
  State& state = *writer->state_;
  state.spec = spec;
  state.path = path;
  const std::string ending = extension_of(path.string());
  const bool is_u8_or_u16 = spec.type == SampleType::u8 || spec.type == SampleType::u16;
  if (ending == ".tif" || ending == ".tiff") {
    state.format = Format::geotiff;
  } else if (ending == ".png" && is_u8_or_u16) {
    state.format = Format::png;
  } else if (ending == ".r16" && spec.type == SampleType::u16) {
    state.format = Format::r16;
  } else {
    return usage_error(
        fmt::format("{}: expected a name that ends in .tif, .png or .r16 and samples that it can hold", path.string()));
  }
  if (spec.width < 1 || spec.height < 1 || spec.width > kMaxSide || spec.height > kMaxSide ||
      (state.format == Format::png && std::max(spec.width, spec.height) > 1000000)) {
    return usage_error(
        fmt::format("{}: {} x {} samples do not fit such a file; write .tif", path.string(), spec.width, spec.height));
  }
  state.part = path.string() + ".partial";
  state.carrier = state.format == Format::png ? path.string() + ".carrier.partial" : "";
  if (auto opened = state.open(); !opened) {
    return Unexpected{opened.error()};
  }
  return writer;
}

Result<void> RasterWriter::State::open() {
  const GdalTrap trap;
  if (format == Format::r16) {
    file = VSIFOpenL(part.c_str(), "wb");
    return file != nullptr ? Result<void>{} : fail(trap, "cannot be written");
  }
  char** options = nullptr;
  if (format == Format::geotiff) {
    options = CSLSetNameValue(options, "TILED", "YES");
    options = CSLSetNameValue(options, "COMPRESS", "DEFLATE");
    const bool is_real = spec.type == SampleType::f32 || spec.type == SampleType::f64;
    options = CSLSetNameValue(options, "PREDICTOR", is_real ? "3" : "2");
  }
  options = CSLSetNameValue(options, "BIGTIFF", "IF_SAFER");
  const std::string& name = carrier.empty() ? part : carrier;
  dataset = GDALCreate(GDALGetDriverByName("GTiff"), name.c_str(), static_cast<int>(spec.width),
                       static_cast<int>(spec.height), 1, gdal_type(spec.type), options);
  CSLDestroy(options);
  return dataset != nullptr ? describe() : fail(trap, "cannot be written");
}

Result<void> RasterWriter::State::describe() {
  const GdalTrap trap;
  GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  GDALSetMetadataItem(dataset, GDALMD_AREA_OR_POINT,
                      spec.registration == Registration::point ? GDALMD_AOP_POINT : GDALMD_AOP_AREA, nullptr);
  bool is_done = true;
  if (spec.geotransform) {
    std::array<double, 6> g = *spec.geotransform;
    is_done = GDALSetGeoTransform(dataset, g.data()) == CE_None;
  }
  if (!spec.crs_wkt.empty()) {
    OGRSpatialReferenceH crs = OSRNewSpatialReference(spec.crs_wkt.c_str());
    if (crs != nullptr) {
      OSRSetAxisMappingStrategy(crs, OAMS_TRADITIONAL_GIS_ORDER);
      is_done = is_done && GDALSetSpatialRef(dataset, crs) == CE_None;
      OSRDestroySpatialReference(crs);
    }
  }
  if (spec.nodata) {
    is_done = is_done && GDALSetRasterNoDataValue(band, *spec.nodata) == CE_None;
  }
  if (spec.scale != 1 || spec.offset != 0) {
    is_done =
        is_done && GDALSetRasterScale(band, spec.scale) == CE_None && GDALSetRasterOffset(band, spec.offset) == CE_None;
  }
  if (!spec.unit.empty()) {
    is_done = is_done && GDALSetRasterUnitType(band, spec.unit.c_str()) == CE_None;
  }
  return is_done ? Result<void>{} : fail(trap, "its georeference cannot be written");
}

Result<void> RasterWriter::write_row(std::span<const double> given) {
  State& state = *state_;
  const RasterSpec& spec = state.spec;
  ARETE_ASSERT(std::int64_t(given.size()) == spec.width && state.row < spec.height);
  state.numbers.assign(given.begin(), given.end());
  const std::optional<Limits> whole = whole_limits(spec.type);
  for (double& number : state.numbers) {
    if (std::isnan(number)) {
      number = spec.nodata.value_or(whole ? 0 : number);
    } else if (whole) {
      number = std::clamp(std::nearbyint(number), whole->least, whole->greatest);
    }
  }
  const GdalTrap trap;
  bool is_written = false;
  if (state.format == Format::r16) {
    state.bytes.resize(state.numbers.size() * 2);
    for (std::size_t i = 0; i < state.numbers.size(); ++i) {
      const auto value = static_cast<std::uint16_t>(state.numbers[i]);
      state.bytes[2 * i] = static_cast<unsigned char>(value & 255);
      state.bytes[2 * i + 1] = static_cast<unsigned char>(value >> 8);
    }
    is_written = VSIFWriteL(state.bytes.data(), 1, state.bytes.size(), state.file) == state.bytes.size();
  } else {
    const auto width = static_cast<int>(spec.width);
    is_written = GDALRasterIO(GDALGetRasterBand(state.dataset, 1), GF_Write, 0, static_cast<int>(state.row), width, 1,
                              state.numbers.data(), width, 1, GDT_Float64, 0, 0) == CE_None;
  }
  if (!is_written || trap.failed()) {
    return state.fail(trap, fmt::format("row {} cannot be written", state.row));
  }
  ++state.row;
  return {};
}

// Flushes; errors that the disk kept for the end show here.
Result<void> RasterWriter::State::close() {
  const GdalTrap trap;
  bool is_closed = true;
  if (file != nullptr) {
    is_closed = VSIFCloseL(file) == 0;
    file = nullptr;
  }
  if (dataset != nullptr) {
    GDALFlushCache(dataset);
    GDALClose(dataset);
    dataset = nullptr;
  }
  return is_closed && !trap.failed() ? Result<void>{} : fail(trap, "cannot be completed");
}

Result<void> RasterWriter::State::copy_to_png() {
  const GdalTrap trap;
  GDALDatasetH source = GDALOpen(carrier.c_str(), GA_ReadOnly);
  GDALDatasetH copy = source == nullptr ? nullptr
                                        : GDALCreateCopy(GDALGetDriverByName("PNG"), part.c_str(), source, 0, nullptr,
                                                         nullptr, nullptr);
  if (copy != nullptr) {
    GDALClose(copy);
  }
  if (source != nullptr) {
    GDALClose(source);
  }
  return copy != nullptr && !trap.failed() ? Result<void>{} : fail(trap, "cannot be written");
}

Result<void> RasterWriter::finish() {
  State& state = *state_;
  ARETE_ASSERT(state.row == state.spec.height);
  if (auto closed = state.close(); !closed) {
    return closed;
  }
  if (state.format == Format::png) {
    if (auto copied = state.copy_to_png(); !copied) {
      return copied;
    }
  }
  std::error_code error;
  const std::string notes = state.part + ".aux.xml";
  if (std::filesystem::exists(notes, error)) {
    std::filesystem::rename(notes, state.path.string() + ".aux.xml", error);
  } else {
    std::filesystem::remove(state.path.string() + ".aux.xml", error);  // of a file that this one replaces
  }
  std::filesystem::rename(state.part, state.path, error);
  if (error) {
    return io_error(fmt::format("{}: cannot be put in place: {}", state.path.string(), error.message()));
  }
  state.is_finished = true;
  if (!state.carrier.empty()) {
    std::filesystem::remove(state.carrier, error);
    std::filesystem::remove(state.carrier + ".aux.xml", error);
  }
  return {};
}

}  // namespace arete
