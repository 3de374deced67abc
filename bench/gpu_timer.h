// What a device takes for what a command buffer holds, by timestamps: once behind fills of a large buffer that keep the
// device's clocks up and leave its caches cold, or as one of several in a row. The first submissions are not counted.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "vulkan/commands.h"
#include "vulkan/memory.h"

namespace arete::vulkan {

// The value, or the end of the program.
template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class GpuTimer {
 public:
  explicit GpuTimer(const Gpu& gpu, bool is_software)
      : gpu_(gpu), runner_(must(CommandRunner::create(gpu))), fills_(is_software ? 0 : 20) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * kInARow;
    must(check(gpu.functions.CreateQueryPool(gpu.device, &info, nullptr, &queries_), "creating a query pool"));
    filled_ = must(Buffer::create(gpu, kFilledBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::device, "fills"));
  }
  ~GpuTimer() { gpu_.functions.DestroyQueryPool(gpu_.device, queries_, nullptr); }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  // Milliseconds of what `record` puts into a command buffer when it follows itself at once, as it is by the third
  // time: the median of 31 submissions of kInARow.
  static constexpr int kInARow = 8;
  double steady_ms(const std::function<void(VkCommandBuffer)>& record) {
    std::vector<double> times;
    for (int i = 0; i < kUncounted + 31; ++i) {
      const VkCommandBuffer commands = must(runner_.begin());
      gpu_.functions.CmdResetQueryPool(commands, queries_, 0, 2 * kInARow);
      for (std::uint32_t turn = 0; turn < kInARow; ++turn) {
        gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 2 * turn);
        record(commands);
        gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 2 * turn + 1);
        memory_barrier(gpu_, commands, {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT},
                       {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT});
      }
      must(runner_.submit_and_wait());
      std::uint64_t ticks[2 * kInARow] = {};
      must(check(gpu_.functions.GetQueryPoolResults(gpu_.device, queries_, 0, 2 * kInARow, sizeof ticks, ticks, 8,
                                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "reading timestamps"));
      for (int turn = 2; turn < kInARow && i >= kUncounted; ++turn) {
        times.push_back(double(ticks[2 * turn + 1] - ticks[2 * turn]) * gpu_.limits.timestampPeriod * 1e-6);
      }
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  // Milliseconds of what `record` puts into a command buffer behind the fills: the median of 31 submissions.
  double median_ms(const std::function<void(VkCommandBuffer)>& record) {
    std::vector<double> times;
    for (int i = 0; i < kUncounted + 31; ++i) {
      const VkCommandBuffer commands = must(runner_.begin());
      for (int fill = 0; fill < fills_; ++fill) {
        gpu_.functions.CmdFillBuffer(commands, filled_.handle(), 0, VK_WHOLE_SIZE, std::uint32_t(i));
        memory_barrier(gpu_, commands, {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                       {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT});
      }
      gpu_.functions.CmdResetQueryPool(commands, queries_, 0, 2);
      gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 0);
      record(commands);
      gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 1);
      must(runner_.submit_and_wait());
      std::uint64_t ticks[2] = {};
      must(check(gpu_.functions.GetQueryPoolResults(gpu_.device, queries_, 0, 2, sizeof ticks, ticks, 8,
                                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "reading timestamps"));
      if (i >= kUncounted) times.push_back(double(ticks[1] - ticks[0]) * gpu_.limits.timestampPeriod * 1e-6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  static constexpr VkDeviceSize kFilledBytes = VkDeviceSize(256) << 20;
  static constexpr int kUncounted = 20;
  const Gpu& gpu_;
  CommandRunner runner_;
  int fills_;
  Buffer filled_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
};

}  // namespace arete::vulkan
