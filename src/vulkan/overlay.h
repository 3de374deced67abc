// Flat triangles over a picture, as panels and their text are made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vulkan/commands.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"

namespace arete::vulkan {

// In points from the picture's upper left corner; rgba is sRGB, red in the lowest byte; uv is a place in the coverage.
struct OverlayVertex {
  float x, y, u, v;
  std::uint32_t rgba;
};
static_assert(sizeof(OverlayVertex) == 20);

struct OverlayDraw {
  float min_x, min_y, max_x, max_y;  // what lies outside is cut off, in points
  std::uint32_t first_index;
  std::uint32_t index_count;
  std::int32_t first_vertex;
};

struct Overlay {
  std::vector<OverlayVertex> vertices;
  std::vector<std::uint16_t> indices;
  std::vector<OverlayDraw> draws;
  float pixels_per_point = 1;
};

// A texture of one byte a texel that scales the alpha of what is drawn.
struct Coverage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::span<const std::uint8_t> texels;
};

class OverlayPainter {
 public:
  // Of one frame in flight: kept while the device may read it.
  struct Buffers {
    Buffer vertices, indices;
  };

  static Result<OverlayPainter> create(const Gpu& gpu, CommandRunner& runner, VkFormat colour_format,
                                       const Coverage& coverage);
  // Records the draws inside of a picture's pass. `buffers` must not be in use; it grows as needed.
  Result<void> record(const Gpu& gpu, VkCommandBuffer commands, const Overlay& overlay, VkExtent2D extent,
                      Buffers& buffers) const;

 private:
  SetLayout set_layout_;
  PipelineLayout layout_;
  Pipeline pipeline_;
  Sampler sampler_;
  Image coverage_;
  DescriptorSet set_;
};

}  // namespace arete::vulkan
