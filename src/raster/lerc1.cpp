// Decodes LERC1 blobs; see lerc1.h.
//
// Layout, little-endian: "CntZImage ", i32 version 11, i32 type 8, u32 height, u32 width, f64 greatest error; then two
// parts, mask and heights, each u32 blocks down, u32 blocks across, u32 bytes, f32 greatest value, and its bytes. The
// mask is one bit a sample in runs; heights come block by block as floats, as one constant, or as bit-packed multiples
// of twice the greatest error above an offset.
#include "lerc1.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace arete {
namespace {

constexpr char kMagic[] = "CntZImage ";

// A cursor that never passes the end: reads beyond give zeros and set is_over().
class Bytes {
 public:
  explicit Bytes(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  template <class T>
  T read() {
    T value{};
    const std::span<const unsigned char> part = take(sizeof(T));
    if (!part.empty()) {
      std::memcpy(&value, part.data(), sizeof(T));
    }
    return value;
  }
  std::span<const unsigned char> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      is_over_ = true;
      return {};
    }
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  bool is_over() const { return is_over_; }

 private:
  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
  bool is_over_ = false;
};

struct Part {
  std::uint32_t blocks_down = 0, blocks_across = 0, byte_count = 0;
  float greatest = 0;
  std::span<const unsigned char> bytes;
};

Part read_part(Bytes& blob) {
  Part part;
  part.blocks_down = blob.read<std::uint32_t>();
  part.blocks_across = blob.read<std::uint32_t>();
  part.byte_count = blob.read<std::uint32_t>();
  part.greatest = blob.read<float>();
  part.bytes = blob.take(part.byte_count);
  return part;
}

// Runs of bytes: a positive count precedes literals, a negative one a repeated byte, -32768 ends. False when they do
// not give `size` bytes exactly.
bool expand_runs(std::span<const unsigned char> packed, std::size_t size, std::vector<unsigned char>& bits) {
  Bytes bytes(packed);
  bits.clear();
  bits.reserve(size);
  for (;;) {
    const int count = bytes.read<std::int16_t>();
    if (bytes.is_over()) {
      return false;
    }
    if (count == -32768) {
      return bits.size() == size;
    }
    if (std::size_t(std::abs(count)) > size - bits.size() || count == 0) {
      return false;
    }
    if (count > 0) {
      const auto literals = bytes.take(std::uint64_t(count));
      bits.insert(bits.end(), literals.begin(), literals.end());
    } else {
      bits.insert(bits.end(), std::size_t(-count), bytes.read<unsigned char>());
    }
    if (bytes.is_over()) {
      return false;
    }
  }
}

// An unsigned count of 4, 2 or 1 bytes, as the two top bits of a header byte say.
std::optional<std::uint32_t> read_count(Bytes& bytes, unsigned header) {
  switch (header >> 6) {
    case 0:
      return bytes.read<std::uint32_t>();
    case 1:
      return bytes.read<std::uint16_t>();
    case 2:
      return bytes.read<std::uint8_t>();
    default:
      return {};
  }
}

// Numbers of `width` bits, most significant first within little-endian 32-bit words; the last word lacks its unused low
// bytes.
bool unpack(Bytes& bytes, std::uint64_t count, unsigned width, std::vector<std::uint32_t>& numbers) {
  const std::uint64_t bits = count * width, needed = (bits + 7) / 8;
  const std::span<const unsigned char> packed = bytes.take(needed);
  numbers.assign(count, 0);
  if (bytes.is_over()) {
    return false;
  }
  const auto byte_at = [&](std::uint64_t place) -> unsigned {  // the place-th byte in order of significance
    const std::uint64_t first = place / 4 * 4, held = std::min<std::uint64_t>(4, needed - first);
    return packed[first + held - 1 - (place - first)];
  };
  for (std::uint64_t i = 0, bit = 0; i < count; ++i) {
    for (unsigned k = 0; k < width; ++k, ++bit) {
      numbers[i] = numbers[i] << 1 | (byte_at(bit / 8) >> (7 - bit % 8) & 1);
    }
  }
  return true;
}

class Heights {
 public:
  Heights(Lerc1Image& image, const Part& part, double greatest_error)
      : image_(image), bytes_(part.bytes), greatest_(part.greatest), step_(2 * greatest_error) {}

  // One block; masked samples are NaN on entry and stay so.
  bool read_block(std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
    places_.clear();
    for (std::int64_t r = row; r < row + rows; ++r) {
      for (std::int64_t c = column; c < column + columns; ++c) {
        const auto at = std::size_t(r * image_.width + c);
        if (!std::isnan(image_.values[at])) {
          places_.push_back(at);
        }
      }
    }
    const unsigned header = bytes_.read<std::uint8_t>();
    if (bytes_.is_over()) {
      return false;
    }
    enum { kFloats, kPacked, kZero, kConstant };
    const unsigned kind = header & 63;
    if (kind == kFloats) {
      for (const std::size_t at : places_) {
        image_.values[at] = bytes_.read<float>();
      }
      return !bytes_.is_over();
    }
    if (kind == kZero) {
      return fill(0);
    }
    if (kind > kConstant) {
      return false;
    }
    float offset = 0;
    switch (header >> 6) {
      case 0:
        offset = bytes_.read<float>();
        break;
      case 1:
        offset = bytes_.read<std::int16_t>();
        break;
      case 2:
        offset = bytes_.read<std::int8_t>();
        break;
      default:
        return false;
    }
    return kind == kConstant ? fill(offset) : read_packed(offset);
  }

 private:
  bool fill(float value) {
    for (const std::size_t at : places_) {
      image_.values[at] = value;
    }
    return !bytes_.is_over();
  }

  bool read_packed(float offset) {
    const unsigned header = bytes_.read<std::uint8_t>();
    const auto count = read_count(bytes_, header);
    const unsigned width = header & 63;
    if (bytes_.is_over() || !count || *count != places_.size() || width >= 32 ||
        !unpack(bytes_, places_.size(), width, numbers_)) {
      return false;
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      image_.values[places_[i]] = std::min(static_cast<float>(offset + numbers_[i] * step_), greatest_);
    }
    return true;
  }

  Lerc1Image& image_;
  Bytes bytes_;
  float greatest_;
  double step_;
  std::vector<std::size_t> places_;
  std::vector<std::uint32_t> numbers_;
};

// Sets every masked sample to NaN, all others to 0.
bool apply_mask(const Part& mask, Lerc1Image& image) {
  image.values.assign(std::size_t(image.width * image.height), 0.0f);
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  if (mask.blocks_down != 0 || mask.blocks_across != 0) {
    return false;  // counts of samples, which no writer of heights produces
  }
  if (mask.byte_count == 0) {
    if (!(mask.greatest > 0)) {
      std::fill(image.values.begin(), image.values.end(), kNaN);
    }
    return true;
  }
  std::vector<unsigned char> bits;
  if (!expand_runs(mask.bytes, (image.values.size() + 7) / 8, bits)) {
    return false;
  }
  for (std::size_t i = 0; i < image.values.size(); ++i) {
    if ((bits[i / 8] >> (7 - i % 8) & 1) == 0) {
      image.values[i] = kNaN;
    }
  }
  return true;
}

}  // namespace

Result<Lerc1Image> decode_lerc1(std::span<const unsigned char> blob, std::uint64_t most_samples) {
  Bytes bytes(blob);
  const auto magic = bytes.take(sizeof(kMagic) - 1);
  if (bytes.is_over() || std::memcmp(magic.data(), kMagic, magic.size()) != 0) {
    return data_error("expected a blob that starts with CntZImage");
  }
  const auto version = bytes.read<std::int32_t>(), type = bytes.read<std::int32_t>();
  const auto height = bytes.read<std::uint32_t>(), width = bytes.read<std::uint32_t>();
  const auto greatest_error = bytes.read<double>();
  if (bytes.is_over() || version != 11 || type != 8 || !(greatest_error >= 0) || !std::isfinite(greatest_error)) {
    return data_error(
        fmt::format("the LERC1 header says version {}, type {}, greatest error {}; expected 11, 8 and a number",
                    version, type, greatest_error));
  }
  if (width == 0 || height == 0 || std::uint64_t(width) * height > most_samples) {
    return data_error(
        fmt::format("the LERC1 header says {} x {} samples, expected 1 to {} in all", width, height, most_samples));
  }
  const Part mask = read_part(bytes);
  const Part heights = read_part(bytes);
  if (bytes.is_over()) {
    return data_error("the LERC1 blob ends early; it is damaged or cut short");
  }
  Lerc1Image image{width, height, {}};
  if (!apply_mask(mask, image)) {
    return data_error("the LERC1 mask is damaged");
  }
  const std::uint32_t down = heights.blocks_down, across = heights.blocks_across;
  if (down == 0 || across == 0 || down > height || across > width) {
    return data_error(fmt::format("the LERC1 blob says {} x {} blocks for {} x {} samples; it is damaged", across, down,
                                  width, height));
  }
  Heights reader(image, heights, greatest_error);
  const std::int64_t rows = height / down, columns = width / across;
  for (std::int64_t row = 0; row < height; row += rows) {
    for (std::int64_t column = 0; column < width; column += columns) {
      if (!reader.read_block(row, column, std::min<std::int64_t>(rows, height - row),
                             std::min<std::int64_t>(columns, width - column))) {
        return data_error(fmt::format("the LERC1 block at row {}, column {} is damaged", row, column));
      }
    }
  }
  return image;
}

}  // namespace arete
