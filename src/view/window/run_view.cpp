// Refuses what no window can show, then runs one.
#include "view/window/viewer.h"

namespace arete {

Result<ViewReport> run_view(const SampleSource& source, const Bounds& bounds, const ViewOptions& options) {
  if (bounds.field_max == 0) {
    return data_error("the field holds no heights: every sample is missing, so there is nothing to draw");
  }
  return view::Viewer(source, bounds, options).run();
}

}  // namespace arete
