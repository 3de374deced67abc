// Reads headerless files row by row, and the words that describe them; see raw_band.h.
#include "raw_band.h"

#include <cpl_vsi.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "gdal_session.h"

namespace arete {
namespace {

struct TypeName {
  std::string_view name;
  SampleType type;
  int bytes;
  const char* data_type;
};
constexpr TypeName kTypes[] = {{"u8", SampleType::u8, 1, "Byte"},      {"i8", SampleType::i8, 1, "Int8"},
                               {"u16", SampleType::u16, 2, "UInt16"},  {"i16", SampleType::i16, 2, "Int16"},
                               {"u32", SampleType::u32, 4, "UInt32"},  {"i32", SampleType::i32, 4, "Int32"},
                               {"f32", SampleType::f32, 4, "Float32"}, {"f64", SampleType::f64, 8, "Float64"}};

const TypeName& type_name(SampleType type) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes), [type](const TypeName& t) { return t.type == type; });
}

template <class T>
double value_of(const unsigned char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

double value_of(SampleType type, const unsigned char* bytes) {
  switch (type) {
    case SampleType::u8:
      return value_of<std::uint8_t>(bytes);
    case SampleType::i8:
      return value_of<std::int8_t>(bytes);
    case SampleType::u16:
      return value_of<std::uint16_t>(bytes);
    case SampleType::i16:
      return value_of<std::int16_t>(bytes);
    case SampleType::u32:
      return value_of<std::uint32_t>(bytes);
    case SampleType::i32:
      return value_of<std::int32_t>(bytes);
    case SampleType::f32:
      return value_of<float>(bytes);
    case SampleType::f64:
      return value_of<double>(bytes);
  }
  return 0;
}

class RawBand final : public Band {
 public:
  RawBand(const InputFile& file, const RawLayout& layout, VSILFILE* handle)
      : layout_(layout), sample_bytes_(type_name(layout.type).bytes), handle_(handle) {
    facts_.name = file.name;
    facts_.driver = "raw";
    facts_.data_type = type_name(layout.type).data_type;
    facts_.width = layout.width;
    facts_.height = layout.height;
    facts_.is_f32 = layout.type == SampleType::f32;
    switch (layout.type) {
      case SampleType::i8:
        facts_.type_minimum = -128;
        break;
      case SampleType::i16:
        facts_.type_minimum = -32768;
        break;
      case SampleType::i32:
        facts_.type_minimum = -2147483648.0;
        break;
      default:
        break;
    }
  }
  ~RawBand() override { VSIFCloseL(handle_); }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) override {
    ARETE_ASSERT(row >= 0 && row < layout_.height && column >= 0 &&
                 std::int64_t(values.size()) <= layout_.width - column);
    const std::size_t size = std::size_t(sample_bytes_);
    bytes_.resize(values.size() * size);
    const std::uint64_t at = (std::uint64_t(row) * std::uint64_t(layout_.width) + std::uint64_t(column)) * size;
    const GdalTrap trap;
    if (VSIFSeekL(handle_, at, SEEK_SET) != 0 || VSIFReadL(bytes_.data(), 1, bytes_.size(), handle_) != bytes_.size()) {
      return data_error(fmt::format("{}: row {} of {} cannot be read at byte {}: {}", facts_.name, row, layout_.height,
                                    at, trap.reason("", "the file ends")));
    }
    const bool is_swapped = layout_.big_endian != (std::endian::native == std::endian::big);
    for (std::size_t i = 0; i < values.size(); ++i) {
      unsigned char* sample = bytes_.data() + i * size;
      if (is_swapped) {
        std::reverse(sample, sample + size);
      }
      values[i] = value_of(layout_.type, sample);
    }
    return {};
  }

 private:
  RawLayout layout_;
  int sample_bytes_;
  VSILFILE* handle_;
  std::vector<unsigned char> bytes_;
};

}  // namespace

Result<RawLayout> parse_raw_layout(std::string_view text) {
  const auto refuse = [&](const char* why) {
    return usage_error(
        fmt::format("raw layout '{}': {}; expected WxH:TYPE such as 1025x1025:u16le, TYPE one of u8 i8 or u16 i16 "
                    "u32 i32 f32 f64 with le or be",
                    text, why));
  };
  RawLayout layout;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::int64_t* side : {&layout.width, &layout.height}) {
    const auto [next, error] = std::from_chars(at, end, *side);
    const char separator = side == &layout.width ? 'x' : ':';
    if (error != std::errc() || next == end || *next != separator) {
      return refuse("no size");
    }
    if (*side < 1 || *side > kMaxSide) {
      return refuse("a side is out of range");
    }
    at = next + 1;
  }
  std::string_view type(at, std::size_t(end - at));
  const bool is_little = type.ends_with("le");
  layout.big_endian = type.ends_with("be");
  const bool has_order = is_little || layout.big_endian;
  if (has_order) {
    type.remove_suffix(2);
  }
  for (const TypeName& known : kTypes) {
    if (known.name == type) {
      if (!has_order && known.bytes > 1) {
        return refuse("the byte order is missing");
      }
      layout.type = known.type;
      return layout;
    }
  }
  return refuse("no type that is known");
}

Result<std::unique_ptr<Band>> open_raw_band(const InputFile& file, const RawLayout& layout) {
  if (layout.width < 1 || layout.height < 1 || layout.width > kMaxSide || layout.height > kMaxSide) {
    return usage_error(fmt::format("{}: a raw layout of {} x {} samples; expected 1 to {} a side", file.name,
                                   layout.width, layout.height, kMaxSide));
  }
  // Below 2^63: both sides are below 2^30.
  const std::uint64_t expected =
      std::uint64_t(layout.width) * std::uint64_t(layout.height) * std::uint64_t(type_name(layout.type).bytes);
  if (file.bytes != expected) {
    return data_error(
        fmt::format("{}: {} x {} samples of {} take {} bytes, found {}; name the layout that the file has", file.name,
                    layout.width, layout.height, type_name(layout.type).name, expected, file.bytes));
  }
  const GdalTrap trap;
  VSILFILE* handle = VSIFOpenL(file.gdal_name.c_str(), "rb");
  if (handle == nullptr) {
    return io_error(fmt::format("{}: cannot be opened for reading", file.name));
  }
  return std::unique_ptr<Band>(std::make_unique<RawBand>(file, layout, handle));
}

}  // namespace arete
