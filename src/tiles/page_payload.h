// A page's planes as the bytes that the store compresses (docs/store_format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete::tiles {

// Bytes of a page's payload: one plane at lod 0, two above.
constexpr std::size_t payload_bytes(int lod) { return (lod == 0 ? 1 : 2) * kPlaneSamples * sizeof(std::uint16_t); }

// Replaces `payload` with the page's. The planes must be kPlaneSamples long.
void make_payload(const Page& page, std::vector<std::uint8_t>& payload);

// The inverse: fills the planes of a page of lod `lod` from payload_bytes(lod) bytes. Any bytes give some planes.
void read_payload(std::span<const std::uint8_t> payload, int lod, Page& page);

}  // namespace arete::tiles
