// One map at a time on a thread of its own.
#include "view/light_maker.h"

#include <chrono>

namespace arete::view {

void LightMaker::want(double azimuth_deg, double altitude_deg) {
  wanted_ = Sun{azimuth_deg, altitude_deg};
  start();
}

void LightMaker::start() {
  if (making_.valid() || made_ == wanted_) return;
  made_ = wanted_;
  making_ = std::async(std::launch::async, [this, sun = *wanted_] {
    return vulkan::make_light_map(source_, bounds_, sun.azimuth_deg, sun.altitude_deg);
  });
}

std::optional<Result<std::shared_ptr<const vulkan::LightMap>>> LightMaker::take() {
  if (!making_.valid() || making_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
  std::optional made = making_.get();
  start();
  return made;
}

}  // namespace arete::view
