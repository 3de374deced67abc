// Planes become small numbers: each sample less its prediction left + up - upleft (0 where there is none), mod 2^16,
// zigzagged so that small differences of either sign have a zero high byte, then all low bytes and all high bytes.
//
// The max plane is stored less the subsample, mod 2^16. A residual is the step along the row of the step down the
// columns, so both directions work on whole rows without branches.
#include "tiles/page_payload.h"

#include <array>

#include "tiles/plane_kernels.h"

namespace arete::tiles {
void make_payload(const Page& page, std::vector<std::uint8_t>& payload) {
  ARETE_ASSERT(page.subsample.size() == kPlaneSamples && page.max.size() == (page.key.lod == 0 ? 0 : kPlaneSamples));
  payload.resize(payload_bytes(page.key.lod));
  std::uint8_t* low = payload.data();
  std::uint8_t* high = low + payload.size() / 2;
  make_residuals(page.subsample.data(), kPageStride, kPageStride, low, high);
  if (page.key.lod > 0) {
    std::array<std::uint16_t, kPlaneSamples> above;  // the subsample
    for (std::size_t i = 0; i < kPlaneSamples; ++i) {
      above[i] = std::uint16_t(page.max[i] - page.subsample[i]);
    }
    make_residuals(above.data(), kPageStride, kPageStride, low + kPlaneSamples, high + kPlaneSamples);
  }
}

void read_payload(std::span<const std::uint8_t> payload, int lod, Page& page) {
  ARETE_ASSERT(payload.size() == payload_bytes(lod));
  const std::uint8_t* low = payload.data();
  const std::uint8_t* high = low + payload.size() / 2;
  page.subsample.resize(kPlaneSamples);
  undo_residuals(low, high, kPageStride, kPageStride, page.subsample.data());
  page.max.clear();
  if (lod > 0) {
    page.max.resize(kPlaneSamples);
    undo_residuals(low + kPlaneSamples, high + kPlaneSamples, kPageStride, kPageStride, page.max.data());
    for (std::size_t i = 0; i < kPlaneSamples; ++i) {
      page.max[i] = std::uint16_t(page.max[i] + page.subsample[i]);
    }
  }
}

}  // namespace arete::tiles
