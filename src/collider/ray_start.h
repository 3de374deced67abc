// Rays made ready to walk, several at a time: start_walk() operation for operation.
#pragma once

#include <span>
#include <vector>

#include "ray_skip.h"

namespace arete::collider {

// Starts rays without faults, at most Walks::kRoom, from ray `begin` on until the rows are full; returns the ray that
// is next. Ray k stands in record k of `walks`; those that have ground to walk over stand in the rows besides, over
// blocks of `level`. The field's steps are least..greatest. Rays for which lanes are not made (straight up or down,
// numbers beyond all fields) go to `others`.
std::size_t start_walks(const Field& field, const SkipField& skip, std::uint32_t least, std::uint32_t greatest,
                        int level, std::span<const Ray> rays, std::size_t begin, Walks& walks, SkipRows& rows,
                        std::vector<std::uint32_t>& others);

}  // namespace arete::collider
