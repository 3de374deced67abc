// How the rays of a chunk ended, as answers: make_hit() for each.
#pragma once

#include <span>

#include "walks.h"

namespace arete::collider {

// `hits` is as long as `rays`, which stand in `walks` in order. `others` are those whose numbers lanes are not for.
void make_answers(const Field& field, std::span<const Ray> rays, const Walks& walks,
                  std::span<const std::uint32_t> others, std::span<RayHit> hits);

}  // namespace arete::collider
