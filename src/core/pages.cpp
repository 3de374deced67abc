// Pages asked of a source by those who cannot do without.
#include <string>

#include "arete/core.h"

namespace arete {

std::string describe(PageKey key) {
  return "page (" + std::to_string(key.x) + ", " + std::to_string(key.z) + ") of lod " + std::to_string(key.lod);
}

Result<std::shared_ptr<const Page>> SampleSource::require_page(PageKey key) const {
  Result<std::shared_ptr<const Page>> found = page(key);
  if (!found) {
    return found;
  }
  if (*found == nullptr) {
    return data_error(describe(key) + " is not resident; load it first, or select the cut with a residency");
  }
  const Page& given = **found;
  const std::size_t subsample = given.subsample.size(), max = given.plane(HeightPlane::max).size();
  if (!(given.key == key) || subsample != kPlaneSamples || max != kPlaneSamples) {
    return data_error(describe(key) + ": expected " + std::to_string(kPlaneSamples) +
                      " samples a plane, the source gave " + describe(given.key) + " with " +
                      std::to_string(subsample) + " and " + std::to_string(max) + "; mend the source");
  }
  return found;
}

}  // namespace arete
