// What the server answers: the store's own bytes where a path is right, one line where it is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "serve/routes.h"
#include "serve_fixture.h"

namespace arete::serve {
namespace {

std::string body_of(const Reply& reply) {
  std::string body = reply.text;
  for (const auto& part : reply.parts) {
    body.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return body;
}

class RoutesTest : public test::StoreTest {
 protected:
  Reply get(std::string_view path, std::string_view if_none_match = {},
            std::string_view host = "localhost:8080") const {
    return routes.answer({"GET", path, host, if_none_match});
  }
  Routes routes{*store, R"({"kind": "store"})", "abc123", "127.0.0.1"};
};

TEST_F(RoutesTest, EveryPageIsTheStoresBytes) {
  int pages = 0;
  for (int lod = 0; lod < store->lattice().lods(); ++lod) {
    for (std::int32_t z = 0; z < store->lattice().pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < store->lattice().pages_x(lod); ++x) {
        const Reply reply = get("/pages/" + std::to_string(lod) + '/' + std::to_string(x) + '/' + std::to_string(z));
        ASSERT_EQ(reply.status, 200) << reply.text;
        EXPECT_EQ(reply.type, "application/octet-stream");
        const auto page = store->page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
        ASSERT_TRUE(page);
        const std::string body = body_of(reply);
        ASSERT_EQ(body.size(), (lod == 0 ? 1 : 2) * kPlaneSamples * 2);
        // Little-endian, whatever this machine is.
        for (std::size_t i = 0; i < body.size() / 2; ++i) {
          const std::uint16_t expected = i < kPlaneSamples ? (*page)->subsample[i] : (*page)->max[i - kPlaneSamples];
          const auto low = std::uint8_t(body[2 * i]), high = std::uint8_t(body[2 * i + 1]);
          ASSERT_EQ(low | high << 8, expected) << "lod " << lod << " page " << x << ' ' << z << " sample " << i;
        }
        ++pages;
      }
    }
  }
  EXPECT_GT(pages, 10);
}

TEST_F(RoutesTest, BoundsAreTheStoresNodes) {
  const Reply reply = get("/bounds");
  ASSERT_EQ(reply.status, 200);
  const std::string body = body_of(reply);
  const Bounds& bounds = store->bounds();
  const auto word = [&](std::size_t at) { return std::uint8_t(body[at]) | std::uint8_t(body[at + 1]) << 8; };
  ASSERT_GT(body.size(), 4u);
  EXPECT_EQ(word(0), bounds.field_min);
  EXPECT_EQ(word(2), bounds.field_max);
  std::size_t at = 4;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x, at += 12) {
        ASSERT_LE(at + 12, body.size());
        const NodeBounds& node = bounds.at(lod, x, z);
        EXPECT_EQ(word(at), node.min);
        EXPECT_EQ(word(at + 2), node.max);
        EXPECT_EQ(word(at + 4), node.top);
        EXPECT_EQ(word(at + 6), node.error);
        EXPECT_EQ(word(at + 8), node.error_max);
        EXPECT_EQ(std::uint8_t(body[at + 10]), node.kappa);
        EXPECT_EQ(std::uint8_t(body[at + 11]), node.split);
      }
    }
  }
  EXPECT_EQ(at, body.size());
}

TEST_F(RoutesTest, MetadataAndTheViewersFilesAreThere) {
  EXPECT_EQ(get("/store.json").text, R"({"kind": "store"})");
  EXPECT_EQ(get("/store.json").type, "application/json");
  for (const auto& [path, type, start] : {std::tuple("/", "text/html; charset=utf-8", "<!DOCTYPE html>"),
                                          std::tuple("/viewer.js", "text/javascript; charset=utf-8", "// "),
                                          std::tuple("/camera.js", "text/javascript; charset=utf-8", "// "),
                                          std::tuple("/ground.js", "text/javascript; charset=utf-8", "// "),
                                          std::tuple("/field.js", "text/javascript; charset=utf-8", "// "),
                                          std::tuple("/place.js", "text/javascript; charset=utf-8", "// "),
                                          std::tuple("/three.module.min.js", "text/javascript; charset=utf-8", "/**"),
                                          std::tuple("/arete.wasm", "application/wasm", "\0asm")}) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.type, type) << path;
    const std::size_t length = std::strlen(start) == 0 ? 4 : std::strlen(start);
    EXPECT_EQ(body_of(reply).substr(0, length), std::string(start, length)) << path;
  }
}

TEST_F(RoutesTest, ThePageTagIsOfContentAndRevision) {
  const auto page = store->page({0, 1, 0});
  ASSERT_TRUE(page);
  const std::string tag = "\"abc123-" + std::to_string((*page)->revision) + '"';
  EXPECT_EQ(get("/pages/0/1/0").etag, tag);
  for (const std::string& known : {tag, "\"other\", " + tag, std::string("*")}) {
    const Reply reply = get("/pages/0/1/0", known);
    EXPECT_EQ(reply.status, 304) << known;
    EXPECT_TRUE(body_of(reply).empty());
    EXPECT_EQ(reply.etag, tag);
  }
  EXPECT_EQ(get("/pages/0/1/0", "\"abc123-99\"").status, 200);
}

TEST_F(RoutesTest, WhatDoesNotChangeHasATagOfItsBytes) {
  std::set<std::string> tags;
  for (const char* path : {"/", "/viewer.js", "/field.js", "/arete.wasm", "/store.json", "/bounds"}) {
    const std::string tag = get(path).etag;
    EXPECT_EQ(tag.size(), 18u) << path;
    EXPECT_TRUE(tags.insert(tag).second) << path;
    const Reply again = get(path, tag);
    EXPECT_EQ(again.status, 304) << path;
    EXPECT_TRUE(body_of(again).empty());
    EXPECT_EQ(again.etag, tag);
  }
  const Routes other(*store, R"({"kind": "other"})", "abc123", "");
  EXPECT_EQ(other.answer({"GET", "/store.json", "", get("/store.json").etag}).status, 200);
}

TEST_F(RoutesTest, PlacesHaveDegreesWhereTheFieldHasACrs) {
  const Reply without = get("/lonlat/1/2");
  EXPECT_EQ(without.status, 404);
  EXPECT_EQ(std::count(without.text.begin(), without.text.end(), '\n'), 1) << without.text;
  StoreInfo info = test::sample_info();
  info.crs_wkt = R"(GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],)"
                 R"(UNIT["degree",0.0174532925199433]])";
  info.geotransform = {{-72, 0.25, 0, 45, 0, -0.5}};
  ASSERT_TRUE(test::write_store(folder / "degrees.arete", lattice, std::vector<std::uint16_t>(700 * 451, 5), info));
  const auto opened = TileStore::open(folder / "degrees.arete");
  ASSERT_TRUE(opened) << opened.error().message;
  const Routes there(**opened, "{}", "abc123", "");
  const Reply degrees = there.answer({"GET", "/lonlat/55/-60", "", {}});
  EXPECT_EQ(degrees.status, 200) << degrees.text;
  EXPECT_EQ(degrees.type, "application/json");
  EXPECT_EQ(degrees.text, "[-71.500000000, 46.000000000]\n");
  for (const char* path : {"/lonlat/nan/0", "/lonlat/1e9/1e9"}) {
    const Reply refused = there.answer({"GET", path, "", {}});
    EXPECT_EQ(refused.status, 404) << path << refused.text;
    EXPECT_EQ(std::count(refused.text.begin(), refused.text.end(), '\n'), 1) << refused.text;
  }
}

TEST_F(RoutesTest, WhatIsNotThereIsRefusedInOneLine) {
  const std::string longer(5000, 'x');
  const std::pair<std::string, int> paths[] = {{"/pages/9/0/0", 404},
                                               {"/pages/0/99/0", 404},
                                               {"/pages/0/0/4294967295", 404},
                                               {"/pages/0/0/4294967296", 400},
                                               {"/pages/0/0", 400},
                                               {"/pages/0/0/", 400},
                                               {"/pages/0/0/0/", 400},
                                               {"/pages/-1/0/0", 400},
                                               {"/pages/0/+1/0", 400},
                                               {"/pages/0/ 1/0", 400},
                                               {"/pages/0x0/0/0", 400},
                                               {"/pages/../store.json", 400},
                                               {"/../../etc/passwd", 404},
                                               {"/viewer.js/", 404},
                                               {"//", 404},
                                               {"", 404},
                                               {"/" + longer, 404},
                                               {"/pages/" + longer, 400},
                                               {"/pages/0\n/0/0", 400},
                                               {"/lonlat/", 400},
                                               {"/lonlat/1", 400},
                                               {"/lonlat/1/2/3", 400},
                                               {"/lonlat/1/2m", 400},
                                               {std::string("/\0", 2), 404}};
  for (const auto& [path, status] : paths) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, status) << path;
    EXPECT_EQ(reply.type, "text/plain; charset=utf-8");
    EXPECT_EQ(std::count(reply.text.begin(), reply.text.end(), '\n'), 1) << reply.text;
    EXPECT_TRUE(reply.text.ends_with('\n'));
    EXPECT_GT(reply.text.size(), 20u);
    EXPECT_LT(reply.text.size(), 200u);
  }
}

TEST_F(RoutesTest, OnlyGetIsAnsweredAndOnlyForThisMachinesNames) {
  for (const std::string_view method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    EXPECT_EQ(routes.answer({method, "/store.json", "localhost", {}}).status, 405) << method;
  }
  EXPECT_EQ(routes.answer({"HEAD", "/store.json", "localhost", {}}).status, 200);
  for (const std::string_view host : {"localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"}) {
    EXPECT_EQ(get("/store.json", {}, host).status, 200) << host;
  }
  for (const std::string_view host : {"evil.example:8080", "evil.example", "localhost.evil.example", "", ":8080"}) {
    EXPECT_EQ(get("/store.json", {}, host).status, 403) << host;
  }
  const Routes open(*store, "{}", "abc123", "");
  EXPECT_EQ(open.answer({"GET", "/store.json", "terrain.example", {}}).status, 200);
}

TEST_F(RoutesTest, ADamagedPageIsAnErrorOfTheServer) {
  const std::vector<std::uint8_t> bytes = test::read_bytes(path());
  std::vector<std::uint8_t> damaged = bytes;
  // The pages' blobs begin with zstd's magic number: spoil what follows it, everywhere.
  const std::uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
  for (auto at = damaged.begin();
       (at = std::search(at, damaged.end(), std::begin(magic), std::end(magic))) != damaged.end(); ++at) {
    at[3] = 0;
  }
  test::write_bytes(folder / "damaged.arete", damaged);
  const auto opened = TileStore::open(folder / "damaged.arete", 0);
  ASSERT_TRUE(opened) << opened.error().message;
  const Reply reply = Routes(**opened, "{}", "abc123", "").answer({"GET", "/pages/0/0/0", "", {}});
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.text.find("damaged.arete"), std::string::npos) << reply.text;
  EXPECT_EQ(std::count(reply.text.begin(), reply.text.end(), '\n'), 1);
}

}  // namespace
}  // namespace arete::serve
