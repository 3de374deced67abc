// Pictures survive the trip through a PNG file; files that are none are refused by name.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>

#include "arete/export.h"
#include "support/scratch.h"

namespace arete {
namespace {

TEST(Png, RoundTripsWithAndWithoutAlpha) {
  for (const bool is_opaque : {true, false}) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 31 * 17; ++i) {
      pixels.insert(pixels.end(), {std::uint8_t(i), std::uint8_t(i * 7), std::uint8_t(255 - i),
                                   std::uint8_t(is_opaque ? 255 : 200 + i % 50)});
    }
    const test::Scratch folder;
    const auto path = folder / "a.png";
    ASSERT_TRUE(write_png(path, 31, 17, pixels));
    const auto read = read_png(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->width, 31);
    EXPECT_EQ(read->height, 17);
    EXPECT_EQ(read->rgba, pixels);
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".partial"));
  }
}

TEST(Png, RefusesWhatItCannotWriteOrRead) {
  const std::vector<std::uint8_t> pixel(4, 255);
  const auto unwritable = write_png("/no/such/folder/a.png", 1, 1, pixel);
  ASSERT_FALSE(unwritable);
  EXPECT_EQ(unwritable.error().kind, Error::Kind::io);
  EXPECT_NE(unwritable.error().message.find("/no/such/folder/a.png"), std::string::npos);

  EXPECT_FALSE(read_png("/no/such/file.png"));
  const test::Scratch folder;
  const auto path = folder / "not_a.png";
  std::ofstream(path) << "heights, not pixels";
  const auto text = read_png(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, Error::Kind::data);
  EXPECT_NE(text.error().message.find(path.string()), std::string::npos);

  ASSERT_TRUE(write_png(path, 64, 64, std::vector<std::uint8_t>(4 * 64 * 64, 90)));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_FALSE(read_png(path));
}

// A file that may not grow further says why, and leaves nothing behind.
TEST(Png, SaysWhyTheRestCannotBeWritten) {
  std::vector<std::uint8_t> noise(4 * 200 * 200);
  std::mt19937 random(1);
  std::generate(noise.begin(), noise.end(), [&] { return std::uint8_t(random()); });
  const test::Scratch folder;
  const auto path = folder / "a.png";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit short_of_it{10000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &short_of_it);
  const auto cut = write_png(path, 200, 200, noise);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, path.string() + ": cannot be written: " + std::strerror(EFBIG));
  EXPECT_TRUE(std::filesystem::is_empty(path.parent_path()));
}

}  // namespace
}  // namespace arete
