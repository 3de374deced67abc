// Stands in where SDL2 or Dear ImGui was not found.
#include "arete/view.h"

namespace arete {

Result<ViewReport> run_view(const SampleSource&, const Bounds&, const ViewOptions&) {
  return gpu_error(
      "view: this build has no window; install SDL2 and Dear ImGui (Debian: libsdl2-dev libimgui-dev) and build again "
      "with ARETE_BUILD_VIEW=ON, or use arete serve or render");
}

}  // namespace arete
