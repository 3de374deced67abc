// The cut on the device: what shaders/select_cut.comp reads of views, and the buffers that it fills.
#pragma once

#include <span>
#include <vector>

#include "arete/vulkan.h"
#include "vulkan/commands.h"
#include "vulkan/exact_compute.h"
#include "vulkan/fixed_words.h"
#include "vulkan/memory.h"
#include "vulkan/mesher_frame.h"
#include "vulkan/view_reach.h"

namespace arete::vulkan {

// Mirrors of shaders/select_cut.comp.
struct CutCounts {
  std::uint32_t nodes;
  std::uint32_t wanted;
  std::uint32_t drawn;
  VkDispatchIndirectCommand groups;  // of the build
};
static_assert(sizeof(CutCounts) == 24);

// What the rest of the mesher has on the device.
struct CutInputs {
  VkDeviceAddress kappas = 0;
  VkDeviceAddress first_indices = 0;
  VkDeviceAddress pages = 0;
  bool are_pages_missing = false;
};

// Not thread-safe; frames as TerrainMesher's.
class DeviceCut {
 public:
  // The build dispatches `groups_a_node` workgroups for a node.
  DeviceCut(const Gpu& gpu, const Bounds& bounds, const TerrainMesherOptions& options, std::uint32_t groups_a_node);
  Result<void> create();

  // Takes the next frame's views: finds their windows and the pages that they may read, the coarsest first. Errors:
  // views that do not fit (usage), and what an earlier frame could not hold (gpu).
  Result<std::span<const PageKey>> plan(std::span<const DeviceView> views);
  // Writes what the planned frame brings; `gatherer` holds its pages. Error (gpu): out of memory.
  Result<void> write(const FrameGatherer& gatherer);
  // Records the copies to the device, and the selection; without barriers behind them.
  void record_copies(VkCommandBuffer commands);
  void record(VkCommandBuffer commands, const CutInputs& inputs);
  struct ViewBuffers {
    kernel::FrameConstants frame;
    VkDeviceAddress nodes;
    VkDeviceSize leaves_offset, draws_offset, counts_offset;  // in outputs()
    std::uint32_t most_drawn;
  };
  std::span<const ViewBuffers> views() const noexcept { return views_; }
  VkBuffer outputs() const noexcept { return outputs_.handle(); }

 private:
  struct InFlight {
    Buffer upload;  // views, windows, planes, directories: on the host
    Buffer inputs;  // the same on the device
    Buffer status;  // counts, on the host
    std::size_t views = 0;
  };
  Result<void> create_pipeline();
  Result<void> create_ranges();
  Result<void> check_earlier(const InFlight& with) const;
  Result<void> fit_inputs(InFlight& with);

  Gpu gpu_;
  const Bounds& bounds_;
  TerrainMesherOptions options_;
  std::uint32_t groups_a_node_;
  ViewReach reach_;
  int most_side_ = 0;  // nodes of a window
  ExactCompute pipeline_;
  FixedWords ranges_;
  std::vector<std::int32_t> ranges_first_, ranges_width_;  // of each lod
  Buffer outputs_;
  std::vector<InFlight> in_flight_;
  std::size_t next_ = 0;
  // The planned frame.
  std::vector<DeviceView> planned_;
  std::vector<ViewBuffers> views_;
  std::vector<std::vector<LodWindow>> windows_;
  std::vector<int> block_shifts_;
  std::vector<std::vector<PageKey>> view_pages_;
  std::vector<PageKey> pages_;
  VkDeviceSize input_bytes_ = 0;
};

}  // namespace arete::vulkan
