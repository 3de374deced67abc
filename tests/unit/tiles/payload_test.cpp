// Page payloads and records: round trips, the format's own example, and bytes that are not a page.
#include <gtest/gtest.h>

#include <random>

#include "tiles/page_payload.h"
#include "tiles/page_record.h"
#include "tiles/store_metadata.h"

namespace arete {
namespace {

Page random_page(std::uint8_t lod, std::uint32_t seed, int kind) {
  std::mt19937 random(seed);
  Page page;
  page.key = {lod, seed % 1000, seed / 3 % 1000};
  page.revision = seed;
  page.subsample.resize(kPlaneSamples);
  for (std::size_t i = 0; i < kPlaneSamples; ++i) {
    page.subsample[i] = kind == 0   ? std::uint16_t(random())
                        : kind == 1 ? std::uint16_t(1000 + i % kPageStride * 3 + random() % 3)
                                    : std::uint16_t(random() % 2 * 65535);
  }
  if (lod > 0) {
    page.max = page.subsample;
    for (auto& steps : page.max) {
      steps = std::uint16_t(steps + random() % 5);
    }
  }
  return page;
}

TEST(Payload, RoundTripsEveryBit) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Page page = random_page(std::uint8_t(seed % 4), seed, int(seed % 3));
    std::vector<std::uint8_t> payload;
    tiles::make_payload(page, payload);
    ASSERT_EQ(payload.size(), tiles::payload_bytes(page.key.lod));
    Page back;
    tiles::read_payload(payload, page.key.lod, back);
    ASSERT_EQ(back.subsample, page.subsample) << "seed " << seed;
    ASSERT_EQ(back.max, page.max) << "seed " << seed;
  }
}

// The definition of docs/store_format.md, sample by sample.
TEST(Payload, IsTheFormatsOwn) {
  const Page page = random_page(2, 99, 0);
  std::vector<std::uint8_t> payload;
  tiles::make_payload(page, payload);
  const std::size_t half = payload.size() / 2;
  for (std::size_t plane = 0; plane < 2; ++plane) {
    const auto value = [&](int x, int z) -> int {
      if (x < 0 || z < 0) {
        return 0;
      }
      const std::size_t at = std::size_t(z) * kPageStride + std::size_t(x);
      return plane == 0 ? page.subsample[at] : (page.max[at] - page.subsample[at]) & 0xffff;
    };
    for (int z = 0; z < kPageStride; ++z) {
      for (int x = 0; x < kPageStride; ++x) {
        const int difference = (value(x, z) - value(x - 1, z) - value(x, z - 1) + value(x - 1, z - 1)) & 0xffff;
        const int signed_difference = difference >= 32768 ? difference - 65536 : difference;
        const int zigzag = signed_difference >= 0 ? 2 * signed_difference : -2 * signed_difference - 1;
        const std::size_t at = plane * kPlaneSamples + std::size_t(z) * kPageStride + std::size_t(x);
        ASSERT_EQ(payload[at] | payload[half + at] << 8, zigzag) << plane << ' ' << x << ' ' << z;
      }
    }
  }
}

TEST(Record, RoundTripsAndNamesDamage) {
  const Page page = random_page(1, 5, 1);
  auto record = tiles::encode_page(page);
  ASSERT_TRUE(record);
  auto back = tiles::decode_page(*record);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ((*back)->key, page.key);
  EXPECT_EQ((*back)->revision, page.revision);
  EXPECT_EQ((*back)->subsample, page.subsample);
  EXPECT_EQ((*back)->max, page.max);

  auto flipped = *record;
  flipped.blob[flipped.blob.size() / 2] ^= 1;
  const auto refused = tiles::decode_page(flipped);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("page (5, 1) of lod 1"), std::string::npos) << refused.error().message;
  auto moved = *record;
  moved.key.x ^= 1;
  EXPECT_FALSE(tiles::decode_page(moved));
  auto revised = *record;
  ++revised.revision;
  EXPECT_FALSE(tiles::decode_page(revised));
}

// With the checksum made to fit, only the frame's own checks are left.
TEST(NodeBytes, RoundTripAndNameWhatNoFieldHas) {
  const Lattice lattice{.stops_x = 200, .stops_z = 300};
  Bounds bounds(lattice), back(lattice);
  bounds.at(1, 3, 2) = {11, 12, 13, 14, 15, std::uint8_t(kernel::kKappaLimit), 17};
  const PageKey key{1, 0, 0};
  auto bytes = tiles::nodes_to_bytes(bounds, key);
  ASSERT_TRUE(tiles::nodes_from_bytes(bytes, key, back));
  const NodeBounds& node = back.at(1, 3, 2);
  EXPECT_EQ(node.top, 13);
  EXPECT_EQ(node.error_max, 15);
  EXPECT_EQ(node.split, 17);
  constexpr std::size_t kNode = (2 * kBoundsPerPage + 3) * 12;
  ++bytes[kNode + 10];
  EXPECT_FALSE(tiles::nodes_from_bytes(bytes, key, back)) << "a kappa above the limit";
  --bytes[kNode + 10];
  EXPECT_FALSE(tiles::nodes_from_bytes(std::span(bytes).first(bytes.size() - 1), key, back));
  const PageKey east{1, 1, 0};  // beyond the field
  EXPECT_FALSE(tiles::nodes_from_bytes(bytes, east, back)) << "a node outside the field";
}

TEST(Record, SurvivesAnyBytesUnderARightChecksum) {
  const auto record = tiles::encode_page(random_page(1, 6, 1));
  ASSERT_TRUE(record);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    auto bad = *record;
    const int kind = i % 4;
    if (kind == 0) {
      bad.blob[random() % std::min<std::size_t>(bad.blob.size(), 64)] ^= std::uint8_t(1u << random() % 8);
    } else if (kind == 1) {
      bad.blob[random() % bad.blob.size()] = std::uint8_t(random());
    } else if (kind == 2) {
      bad.blob.resize(random() % bad.blob.size());
    } else {
      bad.blob.push_back(std::uint8_t(random()));
    }
    bad.checksum = tiles::record_checksum(bad.key, bad.revision, bad.blob);
    const auto decoded = tiles::decode_page(bad);
    if (decoded) {
      EXPECT_EQ((*decoded)->subsample.size(), kPlaneSamples);
      EXPECT_EQ((*decoded)->max.size(), kPlaneSamples);
    } else {
      EXPECT_EQ(decoded.error().message.find('\n'), std::string::npos);
    }
    if (kind >= 2) {
      EXPECT_FALSE(decoded) << "iteration " << i;
    }
  }
  auto wrong_lod = *record;
  wrong_lod.key.lod = 0;
  wrong_lod.checksum = tiles::record_checksum(wrong_lod.key, wrong_lod.revision, wrong_lod.blob);
  EXPECT_FALSE(tiles::decode_page(wrong_lod));
}

}  // namespace
}  // namespace arete
