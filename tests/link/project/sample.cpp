// The sample of README.md as it stands there: it compiles without a warning, and refuses a store that is not there.
#include <arete/collider.h>
#include <arete/cut.h>
#include <arete/mesh.h>
#include <arete/tiles.h>

#include <vector>

int readme_sample() {
#include "sample.inc"
  return height && hit ? 0 : 1;
}
