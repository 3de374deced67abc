// Opens a file with GDAL and reads its rows north first in whole blocks.
//
// GDAL goes on after many kinds of damage; what it would pass over in silence is checked here and in gdal_facts.cpp:
// file sizes of raw formats, words in ASCII grids, palettes and colour channels, and absent blocks of sparse files.
#include "gdal_band.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <fmt/format.h>
#include <gdal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ascii_grid.h"
#include "gdal_facts.h"
#include "gdal_session.h"

namespace arete {
namespace {

constexpr std::size_t kChunkBytes = std::size_t(64) << 20;  // the most that a chunk of block rows may take
constexpr std::size_t kChunkWanted = std::size_t(1) << 20;  // small block rows are read together up to this

struct DatasetCloser {
  void operator()(GDALDatasetH dataset) const {
    const GdalTrap trap;
    GDALClose(dataset);
  }
};
using Dataset = std::unique_ptr<void, DatasetCloser>;

template <class T>
void widen(const unsigned char* from, std::span<double> to, bool is_mirrored) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[is_mirrored ? to.size() - 1 - i : i] = static_cast<double>(value);
  }
}

class GdalBand final : public Band {
 public:
  GdalBand(const InputFile& file, Dataset dataset, GDALRasterBandH band, GdalFacts facts)
      : gdal_name_(file.gdal_name),
        dataset_(std::move(dataset)),
        band_(band),
        type_(GDALGetRasterDataType(band)),
        has_mask_(facts.has_mask),
        is_signed_byte_(facts.is_signed_byte),
        is_south_up_(facts.is_south_up),
        is_east_first_(facts.is_east_first) {
    facts_ = std::move(facts.facts);
    GDALGetBlockSize(band_, &block_width_, &block_height_);
  }
  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) override;
  void rest() override {
    chunk_rows_ = 0;
    chunk_ = {};
    mask_ = {};
  }

 private:
  Result<void> load(std::int64_t row, std::int64_t column, std::int64_t columns);
  bool read_rows(std::int64_t row, std::int64_t rows);
  void convert(const unsigned char* from, std::span<double> values) const;

  std::string gdal_name_;
  Dataset dataset_;
  GDALRasterBandH band_;
  GDALDataType type_;
  bool has_mask_, is_signed_byte_, is_south_up_, is_east_first_;
  int block_width_ = 1, block_height_ = 1;
  // The chunk in memory: rows and columns as the file counts them.
  std::int64_t chunk_row_ = 0, chunk_rows_ = 0, chunk_column_ = 0, chunk_columns_ = 0;
  std::vector<unsigned char> chunk_, mask_;
};

// Reads file rows [row, row + rows) of the chunk's columns to the start of the chunk.
bool GdalBand::read_rows(std::int64_t row, std::int64_t rows) {
  const int x = static_cast<int>(chunk_column_), y = static_cast<int>(row);
  const int columns = static_cast<int>(chunk_columns_), count = static_cast<int>(rows);
  const CPLErr data = GDALRasterIO(band_, GF_Read, x, y, columns, count, chunk_.data(), columns, count, type_, 0, 0);
  const CPLErr mask = !has_mask_ ? CE_None
                                 : GDALRasterIO(GDALGetMaskBand(band_), GF_Read, x, y, columns, count, mask_.data(),
                                                columns, count, GDT_Byte, 0, 0);
  return data == CE_None && mask == CE_None;
}

// Brings the block rows that hold file row `row` into memory.
Result<void> GdalBand::load(std::int64_t row, std::int64_t column, std::int64_t columns) {
  const std::size_t row_bytes = std::size_t(columns) * std::size_t(GDALGetDataTypeSizeBytes(type_));
  const auto block = static_cast<std::int64_t>(std::max(1, block_height_));
  const auto most = static_cast<std::int64_t>(std::max<std::size_t>(1, kChunkBytes / row_bytes));
  const auto wanted = static_cast<std::int64_t>(kChunkWanted / row_bytes);
  std::int64_t rows = std::min(block, most);
  if (block < wanted) {
    rows = wanted / block * block;
  }
  const std::int64_t height = facts_.height;
  std::int64_t first = row / block * block;
  first = block > rows ? first + (row - first) / rows * rows : row / rows * rows;
  rows = std::min(rows, height - first);
  chunk_rows_ = 0;
  chunk_column_ = column;
  chunk_columns_ = columns;
  chunk_.resize(std::size_t(rows) * row_bytes);
  mask_.resize(has_mask_ ? std::size_t(rows) * std::size_t(columns) : 0);
  std::string reason;
  {
    const GdalTrap trap;
    if (read_rows(first, rows) && !trap.failed()) {
      chunk_row_ = first;
      chunk_rows_ = rows;
      return {};
    }
    reason = trap.reason(gdal_name_, "cannot be read");
  }
  // Which row is it? The chunk is read again one by one; damage that shows only in the whole is laid to its first row.
  std::int64_t bad = first;
  for (std::int64_t at = first; at < first + rows; ++at) {
    const GdalTrap trap;
    if (!read_rows(at, 1) || trap.failed()) {
      bad = at;
      reason = trap.reason(gdal_name_, reason);
      break;
    }
  }
  const char* what = facts_.driver != "VRT" ? "the file is damaged or cut short"
                     : reason.find("://") == std::string::npos
                         ? "a file that it names is missing or damaged"
                         : "nothing is read from a network: download what the file names";
  return data_error(fmt::format("{}: row {} of {} cannot be read: {}; {}", facts_.name, bad, height, reason, what));
}

void GdalBand::convert(const unsigned char* from, std::span<double> values) const {
  switch (type_) {
    case GDT_Byte:
      is_signed_byte_ ? widen<std::int8_t>(from, values, is_east_first_)
                      : widen<std::uint8_t>(from, values, is_east_first_);
      break;
    case GDT_UInt16:
      widen<std::uint16_t>(from, values, is_east_first_);
      break;
    case GDT_Int16:
      widen<std::int16_t>(from, values, is_east_first_);
      break;
    case GDT_UInt32:
      widen<std::uint32_t>(from, values, is_east_first_);
      break;
    case GDT_Int32:
      widen<std::int32_t>(from, values, is_east_first_);
      break;
    case GDT_UInt64:
      widen<std::uint64_t>(from, values, is_east_first_);
      break;
    case GDT_Int64:
      widen<std::int64_t>(from, values, is_east_first_);
      break;
    case GDT_Float32:
      widen<float>(from, values, is_east_first_);
      break;
    default:
      widen<double>(from, values, is_east_first_);
      break;
  }
}

Result<void> GdalBand::read(std::int64_t row, std::int64_t column, std::span<double> values) {
  const auto columns = static_cast<std::int64_t>(values.size());
  ARETE_ASSERT(row >= 0 && row < facts_.height && column >= 0 && columns <= facts_.width - column);
  const std::int64_t file_row = is_south_up_ ? facts_.height - 1 - row : row;
  const std::int64_t file_column = is_east_first_ ? facts_.width - column - columns : column;
  if (file_row < chunk_row_ || file_row >= chunk_row_ + chunk_rows_ || file_column != chunk_column_ ||
      columns != chunk_columns_) {
    if (auto loaded = load(file_row, file_column, columns); !loaded) {
      return loaded;
    }
  }
  const std::size_t at = std::size_t(file_row - chunk_row_) * std::size_t(columns);
  convert(chunk_.data() + at * std::size_t(GDALGetDataTypeSizeBytes(type_)), values);
  if (has_mask_) {
    const unsigned char* mask = mask_.data() + at;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (mask[i] == 0) {
        values[is_east_first_ ? values.size() - 1 - i : i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  return {};
}

// GDAL reads what a raw file lacks as zeros in some formats, so their sizes are compared with their headers.
Result<void> check_raw_size(const InputFile& file, GDALDatasetH dataset, GDALRasterBandH band) {
  const std::string driver = GDALGetDriverShortName(GDALGetDatasetDriver(dataset));
  if (driver != "ENVI" && driver != "EHdr") {
    return {};
  }
  std::uint64_t bits = std::uint64_t(GDALGetDataTypeSizeBits(GDALGetRasterDataType(band)));
  if (const char* packed = GDALGetMetadataItem(band, "NBITS", "IMAGE_STRUCTURE"); packed != nullptr) {
    bits = std::uint64_t(std::max(1, std::atoi(packed)));
  }
  const char* offset = GDALGetMetadataItem(dataset, "header_offset", "ENVI");
  const std::uint64_t samples = std::uint64_t(GDALGetRasterXSize(dataset)) *
                                std::uint64_t(GDALGetRasterYSize(dataset)) * std::uint64_t(GDALGetRasterCount(dataset));
  const std::uint64_t needed =
      samples / 8 * bits + samples % 8 * bits / 8 + (offset != nullptr ? std::strtoull(offset, nullptr, 10) : 0);
  if (file.bytes < needed && !(file.head.starts_with("\x1f\x8b"))) {
    return data_error(fmt::format("{}: the header asks for {} x {} samples, {} bytes, found {}; the file is cut short",
                                  file.name, GDALGetRasterXSize(dataset), GDALGetRasterYSize(dataset), needed,
                                  file.bytes));
  }
  return {};
}

// Strips of an uncompressed TIFF are read past GDAL's cache of blocks, which would copy and hold each for nothing.
Dataset open_dataset(const InputFile& file, const char* option) {
  constexpr const char* kDirect = "GTIFF_DIRECT_IO";
  const char* const options[] = {option, nullptr};
  const bool is_ours = CPLGetConfigOption(kDirect, nullptr) == nullptr;
  if (is_ours) {
    CPLSetThreadLocalConfigOption(kDirect, "YES");
  }
  Dataset dataset(GDALOpenEx(file.gdal_name.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, nullptr,
                             options, nullptr));
  if (is_ours) {
    CPLSetThreadLocalConfigOption(kDirect, nullptr);
  }
  return dataset;
}

}  // namespace

Result<std::unique_ptr<Band>> open_gdal_band(const InputFile& file, const GdalBandRequest& request) {
  start_gdal();
  AsciiGridFacts ascii;
  if (is_ascii_grid(file)) {
    auto checked = check_ascii_grid(file);
    if (!checked) {
      return Unexpected{checked.error()};
    }
    ascii = *checked;
  }
  const GdalTrap trap;
  Dataset dataset = open_dataset(file, nullptr);
  if (dataset == nullptr) {
    const bool is_plain = trap.reason(file.gdal_name, "").find("not recognized") != std::string::npos;
    return data_error(fmt::format(
        "{}: {}; a headerless file needs --raw WxH:u16le", file.name,
        is_plain ? "no format that is known, or damaged" : trap.reason(file.gdal_name, "cannot be opened")));
  }
  const int bands = GDALGetRasterCount(dataset.get());
  if (bands == 0) {
    return data_error(fmt::format("{}: holds no raster of its own; extract one layer with gdal_translate", file.name));
  }
  if (request.band && (*request.band < 1 || *request.band > bands)) {
    return usage_error(fmt::format("{}: has bands 1 to {}, asked for {}", file.name, bands, *request.band));
  }
  const bool has_alpha =
      bands == 2 && GDALGetRasterColorInterpretation(GDALGetRasterBand(dataset.get(), 2)) == GCI_AlphaBand;
  if (!request.band && bands != 1 && !has_alpha) {
    return data_error(
        fmt::format("{}: expected one band of heights, found {}; name one with --band, or say --encoding "
                    "terrarium or mapbox for heights packed into colours",
                    file.name, bands));
  }
  GDALRasterBandH band = GDALGetRasterBand(dataset.get(), request.band.value_or(1));
  if (ascii.has_fractions && GDALGetRasterDataType(band) == GDT_Int32) {
    dataset = open_dataset(file, "DATATYPE=Float64");
    if (dataset == nullptr) {
      return data_error(fmt::format("{}: {}", file.name, trap.reason(file.gdal_name, "cannot be opened")));
    }
    band = GDALGetRasterBand(dataset.get(), 1);
  }
  if (GDALGetRasterXSize(dataset.get()) > kMaxSide || GDALGetRasterYSize(dataset.get()) > kMaxSide) {
    return data_error(fmt::format("{}: {} x {} samples are more than {} a side; cut it with --bbox", file.name,
                                  GDALGetRasterXSize(dataset.get()), GDALGetRasterYSize(dataset.get()), kMaxSide));
  }
  if (auto sized = check_raw_size(file, dataset.get(), band); !sized) {
    return Unexpected{sized.error()};
  }
  auto facts = describe_dataset(file, dataset.get(), band, request);
  if (!facts) {
    return Unexpected{facts.error()};
  }
  return std::unique_ptr<Band>(std::make_unique<GdalBand>(file, std::move(dataset), band, *std::move(facts)));
}

}  // namespace arete
