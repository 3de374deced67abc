// Decodes colour-packed heights; see colour_band.h. Terrarium: Tilezen's terrain tiles; Mapbox: Terrain-RGB v1.
#include "colour_band.h"

#include <fmt/format.h>

#include <cmath>

#include "gdal_band.h"

namespace arete {
namespace {

class ColourBand final : public Band {
 public:
  ColourBand(std::array<std::unique_ptr<Band>, 3> channels, Encoding encoding)
      : channels_(std::move(channels)), encoding_(encoding) {
    facts_ = channels_[0]->facts();
    facts_.data_type = encoding == Encoding::terrarium ? "Terrarium" : "Mapbox Terrain-RGB";
    facts_.nodata.reset();
    facts_.scale = 1;
    facts_.offset = 0;
    facts_.unit.clear();
    facts_.type_minimum = encoding == Encoding::terrarium ? -32768 : -10000;
  }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) override {
    green_.resize(values.size());
    blue_.resize(values.size());
    const std::array<std::span<double>, 3> targets{values, green_, blue_};
    for (std::size_t i = 0; i < 3; ++i) {
      if (auto done = channels_[i]->read(row, column, targets[i]); !done) {
        return done;
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Whole numbers, so each height is the double nearest to the decimal that was meant. Masked channels are NaN.
      values[i] = encoding_ == Encoding::terrarium ? (values[i] * 256 + green_[i]) + blue_[i] / 256 - 32768
                                                   : ((values[i] * 65536 + green_[i] * 256) + blue_[i] - 100000) / 10;
    }
    return {};
  }

 private:
  std::array<std::unique_ptr<Band>, 3> channels_;
  Encoding encoding_;
  std::vector<double> green_, blue_;
};

}  // namespace

Result<std::unique_ptr<Band>> open_colour_band(const InputFile& file, Encoding encoding) {
  std::array<std::unique_ptr<Band>, 3> channels;
  for (int i = 0; i < 3; ++i) {
    auto channel = open_gdal_band(file, {i + 1, true, false});
    if (!channel) {
      if (i > 0 || channel.error().kind == Error::Kind::usage) {
        return data_error(
            fmt::format("{}: heights in colours need 3 or 4 channels of 8 bits; this image has fewer", file.name));
      }
      return channel;
    }
    const BandFacts& facts = (*channel)->facts();
    if (facts.bands < 3 || facts.bands > 4 || facts.data_type != "Byte") {
      return data_error(fmt::format("{}: heights in colours need 3 or 4 channels of 8 bits (Byte), found {} of {}",
                                    file.name, facts.bands, facts.data_type));
    }
    if (facts.driver == "JPEG") {
      return data_error(
          fmt::format("{}: JPEG does not keep the channels' bytes, so heights in it are lost; use the PNG", file.name));
    }
    channels[std::size_t(i)] = *std::move(channel);
  }
  return std::unique_ptr<Band>(std::make_unique<ColourBand>(std::move(channels), encoding));
}

}  // namespace arete
