// One table of cases through every compiler that is installed and a Vulkan compute shader: the same words everywhere.
//
// A difference is printed as case, word, expected and found. A build that may fuse operations must differ, or the table
// would not notice; and the shader's module must mark every addition and product as not to be fused or reordered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include "cases_host.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"
#include "vulkan/pipelines.h"

namespace arete::parity {
namespace {

constexpr std::uint32_t kBlocks = 48;

const std::uint32_t kShader[] = {
#include "parity.comp.spv.inc"
};
const std::uint32_t kShaderNearest[] = {
#include "parity.comp.nearest.spv.inc"
};

// What a command prints; empty when it fails.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[1 << 16];
  for (std::size_t read = 0; (read = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    text.append(buffer, read);
  }
  return pclose(pipe) == 0 ? text : std::string();
}

std::vector<std::uint64_t> numbers_of(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::uint64_t> numbers;
  for (std::string line; std::getline(lines, line);) {
    numbers.push_back(std::stoull(line, nullptr, 16));
  }
  return numbers;
}

// Where two lists of words first differ, in words; empty when they do not.
std::string first_difference(const std::vector<std::uint32_t>& expected, const std::vector<std::uint32_t>& found,
                             std::uint32_t first_case) {
  if (expected.size() != found.size()) {
    return "expected " + std::to_string(expected.size()) + " words, found " + std::to_string(found.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != found[i]) {
      char line[160];
      const std::size_t index = first_case + i / kWordsPerCase;
      std::snprintf(line, sizeof line, "case %zu (kind %zu), word %zu: expected %08x, found %08x", index,
                    index % std::size_t(kernel::kCaseKinds), i % kWordsPerCase, expected[i], found[i]);
      return line;
    }
  }
  return {};
}

const std::vector<std::uint64_t>& expected_digests() {
  static const std::vector<std::uint64_t> digests = [] {
    std::vector<std::uint64_t> result;
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      result.push_back(digest(case_words(block * kCasesPerBlock, kCasesPerBlock)));
    }
    return result;
  }();
  return digests;
}

// Runs another build of the table and compares it block by block.
std::string difference_of(const std::string& program) {
  const auto found = numbers_of(output_of(program + " digests " + std::to_string(kBlocks)));
  if (found.size() != kBlocks) {
    return program + " printed " + std::to_string(found.size()) + " digests, expected " + std::to_string(kBlocks);
  }
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    if (found[block] == expected_digests()[block]) continue;
    const std::uint32_t first = block * kCasesPerBlock;
    const auto words =
        numbers_of(output_of(program + " words " + std::to_string(first) + " " + std::to_string(kCasesPerBlock)));
    return first_difference(case_words(first, kCasesPerBlock), {words.begin(), words.end()}, first);
  }
  return {};
}

TEST(Parity, Unoptimised) { EXPECT_EQ(difference_of(ARETE_PARITY_O0), ""); }

TEST(Parity, OptimisedForThisMachine) { EXPECT_EQ(difference_of(ARETE_PARITY_NATIVE), ""); }

TEST(Parity, Clang) {
  if (std::string(ARETE_PARITY_CLANG).empty()) GTEST_SKIP() << "clang++ is not installed";
  EXPECT_EQ(difference_of(ARETE_PARITY_CLANG), "");
}

TEST(Parity, Wasm) {
  if (std::string(ARETE_PARITY_WASM).empty()) GTEST_SKIP() << "clang for wasm32 and node are not installed";
  EXPECT_EQ(difference_of(ARETE_PARITY_WASM), "");
}

TEST(Parity, TheTableNoticesFusedOperations) {
#ifdef ARETE_PARITY_HAS_FMA
  EXPECT_NE(difference_of(ARETE_PARITY_FUSED), "");
#else
  GTEST_SKIP() << "this machine has no fused multiply-add";
#endif
}

TEST(Parity, TheTableReachesBothEndsOfTheBand) {
  std::int64_t at_rest = 0, between = 0, behind = 0, holes = 0;
  for (std::uint32_t index = 3; index < 60000; index += std::uint32_t(kernel::kCaseKinds)) {
    const auto words = case_words(index, 1);
    const float weight = kernel::float_from_bits(words[0]);
    at_rest += weight <= 0 ? 1 : 0;
    between += weight > 0 && weight < 1 ? 1 : 0;
    behind += weight >= 1 ? 1 : 0;
    holes += case_words(index + 1, 1)[5];
  }
  EXPECT_GT(at_rest, 500);
  EXPECT_GT(between, 500);
  EXPECT_GT(behind, 500);
  EXPECT_GT(holes, 100);
}

// SPIR-V's opcodes and operands that matter here (SPIR-V specification, 1.6).
TEST(Parity, ShaderMarksEveryOperationAsExact) {
  constexpr std::uint32_t kDecorate = 71, kNoContraction = 42;
  const std::set<std::uint32_t> fusible = {127, 129, 131, 133};  // negate, add, subtract, multiply
  const std::set<std::uint32_t> inexact = {12,  136, 140, 141,
                                           142, 143, 148};  // extended, divide, rem, mod, vectors, dot
  std::set<std::uint32_t> marked;
  std::size_t operations = 0;
  const std::size_t count = std::size(kShader);
  for (std::size_t at = 5; at < count; at += kShader[at] >> 16) {
    const std::uint32_t opcode = kShader[at] & 0xffff;
    if (opcode == kDecorate && kShader[at + 2] == kNoContraction) marked.insert(kShader[at + 1]);
    EXPECT_EQ(inexact.count(opcode), 0u) << "opcode " << opcode << " at word " << at;
    if (fusible.count(opcode) != 0) {
      ++operations;
      EXPECT_EQ(marked.count(kShader[at + 2]), 1u) << "result %" << kShader[at + 2] << " may be fused or reordered";
    }
  }
  EXPECT_GT(operations, 30u);
}

TEST(Parity, VulkanSoftwareDevice) {
  using namespace arete::vulkan;
  auto context = Context::open({.device = "", .software = true, .validation = false});
  ASSERT_TRUE(context) << context.error().message;
  const Gpu& gpu = (*context)->gpu();
  ASSERT_TRUE(gpu.has_int64) << "the table needs 64-bit integers in shaders";
  const auto words_of = gpu.has_round_to_nearest ? std::span<const std::uint32_t>(kShaderNearest)
                                                 : std::span<const std::uint32_t>(kShader);
  VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  auto set_layout = make_set_layout(gpu, {&binding, 1});
  ASSERT_TRUE(set_layout) << set_layout.error().message;
  auto layout = make_layout(gpu, set_layout->get(), VK_SHADER_STAGE_COMPUTE_BIT, 8);
  ASSERT_TRUE(layout) << layout.error().message;
  auto shader = make_shader(gpu, words_of, "parity.comp");
  ASSERT_TRUE(shader) << shader.error().message;
  auto pipeline = make_compute_pipeline(gpu, layout->get(), shader->get(), {}, "parity");
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  auto sets = DescriptorSet::create(gpu, set_layout->get(), {&binding, 1});
  ASSERT_TRUE(sets) << sets.error().message;
  auto runner = CommandRunner::create(gpu);
  ASSERT_TRUE(runner) << runner.error().message;

  constexpr std::uint32_t kCount = kBlocks * kCasesPerBlock;
  auto buffer = Buffer::create(gpu, std::uint64_t(kCount) * kWordsPerCase * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                               MemoryKind::readback, "parity words");
  ASSERT_TRUE(buffer) << buffer.error().message;
  sets->write_buffer(0, *buffer);
  auto commands = runner->begin();
  ASSERT_TRUE(commands) << commands.error().message;
  const std::uint32_t constants[] = {0, kCount};
  const VkDescriptorSet set = sets->get();
  gpu.functions.CmdBindPipeline(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->get());
  gpu.functions.CmdBindDescriptorSets(*commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout->get(), 0, 1, &set, 0, nullptr);
  gpu.functions.CmdPushConstants(*commands, layout->get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, constants);
  gpu.functions.CmdDispatch(*commands, (kCount + 63) / 64, 1, 1);
  memory_barrier(gpu, *commands, {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT},
                 {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
  const auto done = runner->submit_and_wait();
  ASSERT_TRUE(done) << done.error().message;

  const auto found = buffer->mapped_as<std::uint32_t>();
  const auto expected = case_words(0, kCount);
  EXPECT_EQ(first_difference(expected, {found.begin(), found.end()}, 0), "") << (*context)->device_name();
  std::printf("digest of %u cases: %016llx on %s\n", kCount,
              static_cast<unsigned long long>(digest({found.begin(), found.end()})), (*context)->device_name().c_str());
}

}  // namespace
}  // namespace arete::parity
