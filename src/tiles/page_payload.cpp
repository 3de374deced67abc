// Planes become small numbers: each sample less its prediction left + up - upleft (0 where there is none), mod 2^16,
// zigzagged so that small differences of either sign have a zero high byte, then all low bytes and all high bytes.
//
// The max plane is stored less the subsample, mod 2^16. A residual is the step along the row of the step down the
// columns, so both directions work on whole rows without branches.
#include "tiles/page_payload.h"

#include <algorithm>
#include <array>

#include "tiles/plane_kernels.h"

namespace arete::tiles {
namespace {

using Row = std::array<std::uint16_t, kPageStride>;

// Rows of one plane to residual bytes; row(k) gives plane row k.
template <class RowOf>
void write_plane(RowOf&& row, std::uint8_t* low, std::uint8_t* high) {
  Row above{};
  Row here{};
  Row down{};
  for (std::size_t k = 0; k < std::size_t(kPageStride); ++k) {
    row(k, here);
    for (std::size_t i = 0; i < here.size(); ++i) {
      down[i] = std::uint16_t(here[i] - above[i]);
    }
    const auto put = [&](std::size_t i, std::uint16_t left) {
      const std::uint16_t residual = std::uint16_t(down[i] - left);
      const std::uint16_t zigzag = std::uint16_t((residual << 1) ^ (residual & 0x8000 ? 0xffff : 0));
      low[i] = std::uint8_t(zigzag);
      high[i] = std::uint8_t(zigzag >> 8);
    };
    put(0, 0);
    for (std::size_t i = 1; i < here.size(); ++i) {
      put(i, down[i - 1]);
    }
    above = here;
    low += kPageStride;
    high += kPageStride;
  }
}

void read_plane(const std::uint8_t* low, const std::uint8_t* high, std::uint16_t* plane) {
  undo_residuals(low, high, kPageStride, kPageStride, plane);
}

}  // namespace

void make_payload(const Page& page, std::vector<std::uint8_t>& payload) {
  ARETE_ASSERT(page.subsample.size() == kPlaneSamples && page.max.size() == (page.key.lod == 0 ? 0 : kPlaneSamples));
  payload.resize(payload_bytes(page.key.lod));
  std::uint8_t* low = payload.data();
  std::uint8_t* high = low + payload.size() / 2;
  write_plane(
      [&](std::size_t k, Row& row) {
        std::copy_n(page.subsample.begin() + std::ptrdiff_t(k * kPageStride), kPageStride, row.begin());
      },
      low, high);
  if (page.key.lod > 0) {
    write_plane(
        [&](std::size_t k, Row& row) {
          const std::uint16_t* max = page.max.data() + k * kPageStride;
          const std::uint16_t* subsample = page.subsample.data() + k * kPageStride;
          for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = std::uint16_t(max[i] - subsample[i]);
          }
        },
        low + kPlaneSamples, high + kPlaneSamples);
  }
}

void read_payload(std::span<const std::uint8_t> payload, int lod, Page& page) {
  ARETE_ASSERT(payload.size() == payload_bytes(lod));
  const std::uint8_t* low = payload.data();
  const std::uint8_t* high = low + payload.size() / 2;
  page.subsample.resize(kPlaneSamples);
  read_plane(low, high, page.subsample.data());
  page.max.clear();
  if (lod > 0) {
    page.max.resize(kPlaneSamples);
    read_plane(low + kPlaneSamples, high + kPlaneSamples, page.max.data());
    for (std::size_t i = 0; i < kPlaneSamples; ++i) {
      page.max[i] = std::uint16_t(page.max[i] + page.subsample[i]);
    }
  }
}

}  // namespace arete::tiles
