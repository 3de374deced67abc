// A bake that is killed at any moment leaves no store, or a part that the same bake completes to the same content.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "arete/bake.h"
#include "unit/raster/test_files.h"

namespace arete::test {
namespace {

constexpr const char* kInput = "craterlake-undeclared-void/craterlake-elev-16bit-30m.tif";
constexpr const char* kOutputVariable = "ARETE_RESUME_TEST_OUTPUT";

std::string content_hash(const Path& path) {
  const auto store = TileStore::open(path);
  if (!store) {
    ADD_FAILURE() << store.error().message;
    return {};
  }
  const auto statistics = (*store)->statistics();
  return statistics ? statistics->content_hash : std::string();
}

// Runs in a process of its own, to be killed.
TEST(Resume, DISABLED_BakeForThisTestsParent) {
  const char* output = std::getenv(kOutputVariable);
  ASSERT_NE(output, nullptr);
  ASSERT_TRUE(bake(*find_test_file(kInput), output));
}

// Starts a bake and kills it after `delay`.
void bake_and_kill(const Path& output, std::chrono::microseconds delay) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(kOutputVariable, output.c_str(), 1);
    close(STDOUT_FILENO);
    execl("/proc/self/exe", "unit_bake", "--gtest_also_run_disabled_tests",
          "--gtest_filter=Resume.DISABLED_BakeForThisTestsParent", static_cast<char*>(nullptr));
    _exit(127);
  }
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Resume, KilledBakesCompleteToTheSameContent) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(bake(*find_test_file(kInput), scratch / "whole.arete"));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  const std::string expected = content_hash(scratch / "whole.arete");
  const Path output = scratch / "killed.arete";
  for (int round = 0; round < 6; ++round) {
    const std::chrono::microseconds delay(std::uniform_int_distribution<long>(0, 2 * whole.count())(random));
    bake_and_kill(output, delay);
    if (std::filesystem::exists(output)) {
      EXPECT_EQ(content_hash(output), expected) << "a store under its name is whole";
      std::filesystem::remove(output);
    }
  }
  const auto report = bake(*find_test_file(kInput), output);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(content_hash(output), expected);
  EXPECT_FALSE(std::filesystem::exists(output.string() + ".partial"));
}

// Bakes in a process that ends halfway.
void bake_half(const Path& output, const BakeOptions& options) {
  const pid_t child = fork();
  if (child == 0) {
    const auto done = bake(*find_test_file(kInput), output, options, [](double part) {
      if (part > 0.9) {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));  // what stands is written after a quarter second
        _exit(0);
      }
    });
    _exit(done ? 1 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(output.string() + ".partial"));
}

// Whatever bears on the heights makes it another bake, although the file is the same.
TEST(Resume, APartUnderOtherOptionsIsRefused) {
  const Scratch scratch;
  const Path output = scratch / "a.arete";
  const auto with = [](auto change) {
    BakeOptions options;
    options.jobs = 1;
    change(options);
    return options;
  };
  const BakeOptions plain = with([](BakeOptions&) {});
  bake_half(output, plain);
  for (const BakeOptions& other :
       {with([](BakeOptions& o) { o.raster.vertical_scale = 2; }),
        with([](BakeOptions& o) { o.raster.fill_samples = 9; }), with([](BakeOptions& o) { o.raster.nodata = 2000; }),
        with([](BakeOptions& o) { o.raster.find_voids = false; }),
        with([](BakeOptions& o) { o.raster.registration = Registration::area; }),
        with([](BakeOptions& o) { o.raster.spacing_x_m = o.raster.spacing_z_m = 7; }),
        with([](BakeOptions& o) { o.height_step_m = 4; })}) {
    const auto refused = bake(*find_test_file(kInput), output, other);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("other inputs or options"), std::string::npos) << refused.error().message;
  }
  const auto resumed = bake(*find_test_file(kInput), output, plain);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_LT(resumed->encoded.pages, resumed->pages) << "nothing stood, so nothing was refused for its options";
  ASSERT_TRUE(bake(*find_test_file(kInput), scratch / "whole.arete", plain));
  EXPECT_EQ(content_hash(output), content_hash(scratch / "whole.arete"));
}

TEST(Resume, APartOfAnotherBakeIsRefusedAndKept) {
  const Scratch scratch;
  const Path output = scratch / "a.arete";
  {
    // What a killed bake of something else leaves.
    Lattice lattice;
    lattice.stops_x = lattice.stops_z = 200;
    StoreInfo info;
    info.source_fingerprint = "another";
    auto writer = TileStoreWriter::create(output, lattice, info);
    ASSERT_TRUE(writer) << writer.error().message;
    const auto page = std::make_shared<Page>();
    page->subsample.assign(kPlaneSamples, 7);
    ASSERT_TRUE((*writer)->put(page));
  }
  ASSERT_TRUE(std::filesystem::exists(output.string() + ".partial"));
  const auto refused = bake(*find_test_file(kInput), output);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  EXPECT_NE(refused.error().message.find("a.arete"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(std::filesystem::exists(output.string() + ".partial"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace arete::test
