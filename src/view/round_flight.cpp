// Turns the eye about the target's vertical.
#include "view/round_flight.h"

#include <cmath>
#include <numbers>

namespace arete::view {

std::vector<vulkan::Camera> round_flight(const vulkan::Camera& camera, int frames) {
  std::vector<vulkan::Camera> flight{camera};
  const double x = camera.eye_x_m - camera.target_x_m, z = camera.eye_z_m - camera.target_z_m;
  for (int frame = 1; frame < frames; ++frame) {
    const double angle = 2 * std::numbers::pi * frame / frames;
    vulkan::Camera turned = camera;
    turned.eye_x_m = camera.target_x_m + x * std::cos(angle) - z * std::sin(angle);
    turned.eye_z_m = camera.target_z_m + x * std::sin(angle) + z * std::cos(angle);
    flight.push_back(turned);
  }
  return flight;
}

}  // namespace arete::view
