// What a lattice must keep for pages to be built or read: sizes are checked here, before any loop or allocation.
#pragma once

#include "arete/core.h"

namespace arete::tiles {

// The greatest number of stops an axis may have: half-texel places stay in 32 bits.
inline constexpr std::int32_t kStopsLimit = 1 << 30;

// Refuses (data) a lattice without stops, area registration with fewer than three, spacings that are not positive and
// finite, a step that is no power of two, or heights of 2^24 steps and more.
Result<void> validate(const Lattice& lattice);

}  // namespace arete::tiles
