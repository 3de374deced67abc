// The baseline for triangle counts: right-triangulated refinement held to the same exact error as adapt().
#pragma once

#include <cstdint>

#include "adaptive/error_meter.h"

namespace arete::bench {

struct RtinCount {
  std::int64_t triangles = 0;
  std::int64_t too_far = 0;  // finest triangles beyond the bound: they have the other diagonal than the field
  double error_steps = 0;
};

// Refines a field of 2^k + 1 samples a side from two triangles: every triangle beyond `limit_steps` is split at the
// middle of its hypotenuse, with the triangles that this needs (after Evans, Kirkpatrick and Townsend,
// "Right-Triangulated Irregular Networks", 2001). A point block without holes.
RtinCount count_rtin(const adaptive::SampleBlock& block, double limit_steps);

}  // namespace arete::bench
