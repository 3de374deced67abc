// Scratch memory of a cut.
#pragma once

#include "arete/cut.h"
#include "split_set.h"

namespace arete {

struct CutWorkspace::State {
  cut::SplitSet wanted;
  cut::SplitSet kept;  // with a residency
  std::uint64_t visited = 0;
};

}  // namespace arete
