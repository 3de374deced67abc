// Rays made ready to walk, several at a time: start_walk() operation for operation.
#pragma once

#include <span>

#include "walks.h"

namespace arete::collider {

// Starts up to Walks::kRoom rays without faults in `walks`, ray k at k. `least` and `greatest` bound the field's steps.
// Writes to `started` the rays that have ground to walk over, in order, and returns their number; those that miss the
// field's box end as misses. Rays for which lanes are not made (straight up or down, numbers beyond all fields) go to
// `others` instead, and their number to other_count.
std::size_t start_walks(const Field& field, std::uint32_t least, std::uint32_t greatest, int start_level,
                        std::span<const Ray> rays, Walks& walks, std::uint32_t* started, std::uint32_t* others,
                        std::size_t& other_count);

}  // namespace arete::collider
