// What a request asks for and what is answered, apart from any network.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arete/raster.h"
#include "arete/tiles.h"

namespace arete::serve {

struct Request {
  std::string_view method;  // "GET", "HEAD", ...
  std::string_view path;    // decoded, without the query
  std::string_view host;    // of the Host header
  std::string_view if_none_match;
};

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;                               // a line, a document; or nothing and
  std::vector<std::span<const std::byte>> parts;  // memory sent one after the other
  std::shared_ptr<const Page> page;               // keeps the parts' memory
  std::string etag;                               // quoted; empty: none
};

// Thread-safe, and bounded: a reply holds a page at most, besides memory that the store and the program hold anyway.
class Routes {
 public:
  // `local_host`: only requests that name it or a loopback name are answered, so that no foreign web page reads the
  // store through a name that it has pointed here; empty: all are. `content_hash` tells the pages of one store from
  // another's.
  Routes(const TileStore& store, std::string store_json, std::string content_hash, std::string local_host);
  Reply answer(const Request& request) const;

 private:
  bool is_for_us(std::string_view host) const;
  Reply found(std::string_view path) const;
  Reply page(std::string_view key) const;
  Reply bounds() const;
  Reply degrees(std::string_view place) const;

  const TileStore& store_;
  std::string store_json_;
  std::string content_hash_;
  std::string local_host_;
  std::string json_tag_, bounds_tag_;
  std::optional<GeographicPlaces> globe_;
  std::string no_globe_;  // or why
  mutable std::mutex globe_mutex_;
};

}  // namespace arete::serve
