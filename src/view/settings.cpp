// Colours in turn.
#include "view/settings.h"

namespace arete::view {

vulkan::Colour next_colour(const vulkan::PictureOptions& picture) {
  using vulkan::Colour;
  switch (picture.colour) {
    case Colour::relief:
      return Colour::slope;
    case Colour::slope:
      return Colour::lod;
    case Colour::lod:
      return Colour::contour;
    case Colour::contour:
      return picture.drape != nullptr ? Colour::drape : Colour::relief;
    case Colour::drape:
      break;
  }
  return Colour::relief;
}

}  // namespace arete::view
