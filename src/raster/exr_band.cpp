// Reads OpenEXR scan lines as f32; see exr_band.h. The library reports by exceptions, which end here.
#include "exr_band.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputFile.h>
#include <cpl_vsi.h>
#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <stdexcept>

#include "gdal_session.h"

namespace arete {
namespace {

// The library allocates by the header alone; these keep its tables and line buffers small.
constexpr int kMostWidth = 1 << 17, kMostHeight = 1 << 20;

class Stream final : public Imf::IStream {
 public:
  Stream(const std::string& gdal_name, std::uint64_t bytes)
      : IStream(gdal_name.c_str()), handle_(VSIFOpenL(gdal_name.c_str(), "rb")), bytes_(bytes) {
    if (handle_ == nullptr) {
      throw std::runtime_error("cannot be opened for reading");
    }
  }
  ~Stream() override { VSIFCloseL(handle_); }
  bool read(char to[], int count) override {
    if (count < 0 || VSIFReadL(to, 1, std::size_t(count), handle_) != std::size_t(count)) {
      throw std::runtime_error("the file ends early");
    }
    return VSIFTellL(handle_) < bytes_;
  }
  std::uint64_t tellg() override { return VSIFTellL(handle_); }
  void seekg(std::uint64_t at) override { VSIFSeekL(handle_, at, SEEK_SET); }
  void clear() override {}

 private:
  VSILFILE* handle_;
  std::uint64_t bytes_;
};

// What an exception says, on one line.
std::string line_of(const std::exception& exception) {
  std::string line = exception.what();
  for (char& c : line) {
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  return line;
}

class ExrBand final : public Band {
 public:
  explicit ExrBand(const InputFile& file) : stream_(file.gdal_name, file.bytes), image_(stream_) {
    facts_.name = file.name;
    facts_.driver = "OpenEXR";
    const Imath::Box2i window = image_.header().dataWindow();
    first_column_ = window.min.x;
    first_row_ = window.min.y;
    facts_.width = std::int64_t(window.max.x) - window.min.x + 1;
    facts_.height = std::int64_t(window.max.y) - window.min.y + 1;
    if (!image_.isComplete()) {
      throw std::runtime_error("the file is not complete");
    }
    const Imf::ChannelList& channels = image_.header().channels();
    int count = 0;
    for (auto channel = channels.begin(); channel != channels.end(); ++channel, ++count) {
      const std::string name = channel.name();
      if (count == 0 || name == "Y" || (name == "R" && channel_ != "Y")) {
        channel_ = name;
      }
    }
    if (channel_ != "Y" && channel_ != "R" && count != 1) {
      throw std::runtime_error(fmt::format("expected a channel Y or R or a single one, found {}", count));
    }
    const Imf::Channel& channel = channels[channel_.c_str()];
    if (channel.xSampling != 1 || channel.ySampling != 1) {
      throw std::runtime_error("the channel of heights is subsampled");
    }
    facts_.data_type = channel.type == Imf::HALF ? "Half" : channel.type == Imf::FLOAT ? "Float32" : "UInt32";
    facts_.is_f32 = true;
    row_.resize(std::size_t(facts_.width));
  }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) override {
    const auto line = static_cast<int>(row + first_row_);
    if (line != line_) {
      try {
        // Slices are addressed from pixel (0, 0); this one has a stride of no rows.
        Imf::FrameBuffer buffer;
        char* base =
            reinterpret_cast<char*>(row_.data()) - std::ptrdiff_t(first_column_) * std::ptrdiff_t(sizeof(float));
        buffer.insert(channel_, Imf::Slice(Imf::FLOAT, base, sizeof(float), 0));
        image_.setFrameBuffer(buffer);
        image_.readPixels(line);
      } catch (const std::exception& exception) {
        return data_error(
            fmt::format("{}: row {} of {} cannot be read: {}", facts_.name, row, facts_.height, line_of(exception)));
      }
      line_ = line;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = double(row_[std::size_t(column) + i]);
    }
    return {};
  }

 private:
  Stream stream_;
  Imf::InputFile image_;
  std::string channel_;
  int first_column_ = 0, first_row_ = 0;
  int line_ = std::numeric_limits<int>::min();
  std::vector<float> row_;
};

}  // namespace

bool is_exr(const InputFile& file) { return file.head.starts_with("\x76\x2f\x31\x01"); }

Result<std::unique_ptr<Band>> open_exr_band(const InputFile& file) {
  static std::once_flag once;
  std::call_once(once, [] { Imf::Header::setMaxImageSize(kMostWidth, kMostHeight); });
  const GdalTrap trap;
  try {
    return std::unique_ptr<Band>(std::make_unique<ExrBand>(file));
  } catch (const std::exception& exception) {
    return data_error(fmt::format("{}: not an OpenEXR image that can be read: {}", file.name, line_of(exception)));
  }
}

}  // namespace arete
