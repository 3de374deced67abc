// What the panel and the keys change, and what the panel shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arete/stream.h"
#include "arete/vulkan.h"

namespace arete::view {

struct Settings {
  vulkan::PictureOptions picture;
  RangeOptions ranges;
  bool has_morph = true;
  bool is_frozen = false;
  bool has_vsync = true;
  bool has_panel = true;
};

// The colours in turn; a drape is among them where there is one.
vulkan::Colour next_colour(const vulkan::PictureOptions& picture);

struct Figures {
  std::string device;
  double frames_per_s = 0;
  double cut_ms = 0;
  std::optional<double> build_ms, draw_ms;
  std::int64_t nodes = 0, cut_nodes = 0, triangles = 0, built_vertices = 0;
  StreamStats pages;
  double detail = 1;  // below 1: ranges are shrunk, for the cut would have too many nodes
  vulkan::Camera camera;
  std::optional<double> height_m;  // over the ground
  double speed_m_s = 0;
  std::string trouble;
};

}  // namespace arete::view
