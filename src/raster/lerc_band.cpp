// Decodes a LERC blob as a whole, the only way that its library offers; see lerc_band.h.
// The format: P. Becker, T. Maurer et al., "LERC - Limited Error Raster Compression", Esri.
#include "lerc_band.h"

#include <Lerc_c_api.h>
#include <Lerc_types.h>
#include <cpl_vsi.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gdal_session.h"
#include "lerc1.h"

namespace arete {
namespace {

// A blob of constant blocks says nothing about its size, so sizes are capped before anything is allocated: 4,096 x
// 4,096 samples, or 64 a byte of the blob.
constexpr std::uint64_t kMostBlobBytes = std::uint64_t(1) << 30;
std::uint64_t most_samples(std::uint64_t blob_bytes) { return std::max(std::uint64_t(1) << 24, 64 * blob_bytes); }

class LercBand final : public Band {
 public:
  LercBand(BandFacts facts, std::vector<float> values) : values_(std::move(values)) { facts_ = std::move(facts); }
  LercBand(BandFacts facts, std::vector<double> values) : wide_values_(std::move(values)) { facts_ = std::move(facts); }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) override {
    const std::size_t at = std::size_t(row) * std::size_t(facts_.width) + std::size_t(column);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = wide_values_.empty() ? double(values_[at + i]) : wide_values_[at + i];
    }
    return {};
  }

 private:
  std::vector<float> values_;  // one of the two: whatever holds the blob's type without loss
  std::vector<double> wide_values_;
};

Result<std::vector<unsigned char>> read_blob(const InputFile& file) {
  if (file.bytes > kMostBlobBytes) {
    return data_error(
        fmt::format("{}: a LERC blob of {} bytes; expected at most {}", file.name, file.bytes, kMostBlobBytes));
  }
  std::vector<unsigned char> blob(file.bytes);
  const GdalTrap trap;
  VSILFILE* handle = VSIFOpenL(file.gdal_name.c_str(), "rb");
  const std::size_t got = handle == nullptr ? 0 : VSIFReadL(blob.data(), 1, blob.size(), handle);
  if (handle != nullptr) {
    VSIFCloseL(handle);
  }
  if (got != blob.size()) {
    return io_error(fmt::format("{}: read {} of {} bytes", file.name, got, blob.size()));
  }
  return blob;
}

template <class T, class Decode>
bool decode(std::vector<T>& values, std::vector<unsigned char>& mask, const Decode& call) {
  if (call(mask.empty() ? nullptr : mask.data(), values.data()) != 0) {
    return false;
  }
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) {
      values[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  return true;
}

}  // namespace

bool is_lerc(const InputFile& file) { return file.head.starts_with("Lerc2 ") || file.head.starts_with("CntZImage "); }

Result<std::unique_ptr<Band>> open_lerc_band(const InputFile& file) {
  auto blob = read_blob(file);
  if (!blob) {
    return Unexpected{blob.error()};
  }
  if (file.head.starts_with("CntZImage ")) {
    auto image = decode_lerc1(*blob, most_samples(blob->size()));
    if (!image) {
      return data_error(file.name + ": " + image.error().message);
    }
    BandFacts facts;
    facts.name = file.name;
    facts.driver = "LERC1";
    facts.data_type = "Float32";
    facts.width = image->width;
    facts.height = image->height;
    facts.is_f32 = true;
    return std::unique_ptr<Band>(std::make_unique<LercBand>(std::move(facts), std::move(image->values)));
  }
  const auto size = static_cast<unsigned int>(blob->size());
  enum { kVersion, kType, kDepth, kColumns, kRows, kBands, kValid, kBlobSize, kMasks, kInfoCount };
  unsigned int info[kInfoCount] = {};
  if (const lerc_status status = lerc_getBlobInfo(blob->data(), size, info, nullptr, kInfoCount, 0); status != 0) {
    return data_error(fmt::format("{}: the LERC header cannot be read (status {}); the file is damaged or cut short",
                                  file.name, status));
  }
  const std::uint64_t samples = std::uint64_t(info[kColumns]) * info[kRows];
  if (info[kColumns] == 0 || info[kRows] == 0 || samples > most_samples(size) || info[kBlobSize] > size) {
    return data_error(
        fmt::format("{}: the LERC header says {} x {} samples in {} bytes, expected at most {} samples and {} bytes",
                    file.name, info[kColumns], info[kRows], info[kBlobSize], most_samples(size), size));
  }
  if (info[kBands] != 1 || info[kDepth] != 1) {
    return data_error(fmt::format("{}: expected one band of heights, found {} with {} values a sample", file.name,
                                  info[kBands], info[kDepth]));
  }
  static constexpr std::array kTypeNames{"Int8", "Byte", "Int16", "UInt16", "Int32", "UInt32", "Float32", "Float64"};
  if (info[kType] >= kTypeNames.size() || info[kMasks] > 1) {
    return data_error(
        fmt::format("{}: samples of LERC type {} with {} masks are not known", file.name, info[kType], info[kMasks]));
  }
  BandFacts facts;
  facts.name = file.name;
  facts.driver = "LERC";
  facts.data_type = kTypeNames[info[kType]];
  facts.width = info[kColumns];
  facts.height = info[kRows];
  facts.is_f32 = info[kType] == 6;
  if (info[kType] == 2) {
    facts.type_minimum = -32768;
  }
  std::vector<unsigned char> mask(info[kMasks] > 0 ? samples : 0);
  const auto columns = static_cast<int>(info[kColumns]), rows = static_cast<int>(info[kRows]);
  const auto masks = static_cast<int>(info[kMasks]);
  const auto refuse = [&] {
    return data_error(fmt::format("{}: the LERC blob of {} x {} samples cannot be decoded; it is damaged or cut short",
                                  file.name, columns, rows));
  };
  if (facts.is_f32) {
    std::vector<float> values(samples);
    if (!decode(values, mask, [&](unsigned char* valid, float* data) {
          return lerc_decode(blob->data(), size, masks, valid, 1, columns, rows, 1, info[kType], data);
        })) {
      return refuse();
    }
    return std::unique_ptr<Band>(std::make_unique<LercBand>(std::move(facts), std::move(values)));
  }
  std::vector<double> values(samples);
  if (!decode(values, mask, [&](unsigned char* valid, double* data) {
        return lerc_decodeToDouble(blob->data(), size, masks, valid, 1, columns, rows, 1, data);
      })) {
    return refuse();
  }
  return std::unique_ptr<Band>(std::make_unique<LercBand>(std::move(facts), std::move(values)));
}

}  // namespace arete
