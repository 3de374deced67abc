// Light maps made beside the frames, for the sun that was asked for last.
#pragma once

#include <future>
#include <memory>
#include <optional>

#include "arete/vulkan.h"

namespace arete::view {

// The source and bounds must outlive it; the destructor waits for what is being made.
class LightMaker {
 public:
  LightMaker(const SampleSource& source, const Bounds& bounds) : source_(source), bounds_(bounds) {}

  // Asks for the light of this sun, unless it is the last that was made or is being made.
  void want(double azimuth_deg, double altitude_deg);
  // A map that has become ready since the last call, or what went wrong; starts on the next one.
  std::optional<Result<std::shared_ptr<const vulkan::LightMap>>> take();
  // Whether the last sun that was asked for has its map.
  bool is_done() const noexcept { return !making_.valid() && made_ == wanted_; }

 private:
  struct Sun {
    double azimuth_deg = 0, altitude_deg = 0;
    bool operator==(const Sun&) const = default;
  };
  void start();

  const SampleSource& source_;
  const Bounds& bounds_;
  std::optional<Sun> wanted_, made_;
  std::future<Result<std::shared_ptr<const vulkan::LightMap>>> making_;
};

}  // namespace arete::view
