// Paths to replies: the viewer's files, the store's metadata, bounds, pages and places. Whatever else is asked for is
// refused in one line.
#include "serve/routes.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "serve/page_files.h"
#include "serve/tag.h"

namespace arete::serve {
namespace {

static_assert(std::endian::native == std::endian::little, "replies are memory as it stands: little-endian");

Reply refusal(int status, const std::string& line) {
  Reply reply;
  reply.status = status;
  reply.text = line + '\n';
  return reply;
}

// The least of a path that a message repeats: printable, and not too long.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string line;
  for (const char letter : text.substr(0, kMost)) {
    line += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return text.size() > kMost ? line + "..." : line;
}

// "lod/x/z" or "x/z": as many numbers as asked for, in decimals.
template <class Number, std::size_t kCount>
std::optional<std::array<Number, kCount>> numbers_of(std::string_view text) {
  std::array<Number, kCount> numbers{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [stop, error] = std::from_chars(at, end, numbers[i]);
    const bool is_last = i + 1 == numbers.size();
    if (error != std::errc() || (is_last ? stop != end : stop == end || *stop != '/')) {
      return std::nullopt;
    }
    at = stop + 1;
  }
  return numbers;
}

bool names(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

}  // namespace

Routes::Routes(const TileStore& store, std::string store_json, std::string content_hash, std::string local_host)
    : store_(store),
      store_json_(std::move(store_json)),
      content_hash_(std::move(content_hash)),
      local_host_(std::move(local_host)) {
  json_tag_ = tag_of(std::array{std::as_bytes(std::span(store_json_))});
  bounds_tag_ = tag_of(bounds().parts);
  Result<GeographicPlaces> globe =
      GeographicPlaces::create(store_.info().crs_wkt, store_.info().geotransform, store_.lattice());
  if (globe) {
    globe_ = *std::move(globe);
  } else {
    no_globe_ = globe.error().message;
  }
}

bool Routes::is_for_us(std::string_view host) const {
  if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) {
    host = host.substr(0, colon);  // the port
  }
  return local_host_.empty() || host == local_host_ || host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

Reply Routes::answer(const Request& request) const {
  if (request.method != "GET" && request.method != "HEAD") {
    return refusal(405, fmt::format("{}: only GET is answered", shown(request.method)));
  }
  if (!is_for_us(request.host)) {
    return refusal(403, fmt::format("host {}: only localhost is answered; arete serve --host opens the store to others",
                                    shown(request.host)));
  }
  Reply reply = found(request.path);
  if (!reply.etag.empty() && names(request.if_none_match, reply.etag)) {
    Reply unchanged;
    unchanged.status = 304;
    unchanged.etag = std::move(reply.etag);
    return unchanged;
  }
  return reply;
}

Reply Routes::found(std::string_view path) const {
  constexpr std::string_view kPages = "/pages/";
  constexpr std::string_view kDegrees = "/lonlat/";
  if (const PageFile* file = find_page_file(path)) {
    Reply reply;
    reply.type = file->type;
    reply.parts = {file->bytes};
    reply.etag = file->etag;
    return reply;
  }
  if (path == "/store.json") {
    Reply reply;
    reply.type = "application/json";
    reply.text = store_json_;
    reply.etag = json_tag_;
    return reply;
  }
  if (path == "/bounds") {
    Reply reply = bounds();
    reply.etag = bounds_tag_;
    return reply;
  }
  if (path.starts_with(kPages)) {
    return page(path.substr(kPages.size()));
  }
  if (path.starts_with(kDegrees)) {
    return degrees(path.substr(kDegrees.size()));
  }
  return refusal(
      404,
      fmt::format("{}: nothing is here; expected /, /store.json, /bounds, /pages/LOD/X/Z or /lonlat/X/Z", shown(path)));
}

Reply Routes::page(std::string_view text) const {
  const auto key = numbers_of<std::uint32_t, 3>(text);
  if (!key) {
    return refusal(400, fmt::format("/pages/{}: expected /pages/LOD/X/Z, three whole numbers", shown(text)));
  }
  const auto [lod, x, z] = *key;
  const Lattice& lattice = store_.lattice();
  if (lod >= std::uint32_t(lattice.lods())) {
    return refusal(404, fmt::format("page {}: the store has lods 0 to {}", shown(text), lattice.lods() - 1));
  }
  const std::int32_t pages_x = lattice.pages_x(int(lod)), pages_z = lattice.pages_z(int(lod));
  if (x >= std::uint32_t(pages_x) || z >= std::uint32_t(pages_z)) {
    return refusal(404, fmt::format("page {}: lod {} has {} x {} pages, numbered from 0", text, lod, pages_x, pages_z));
  }
  const Result<std::shared_ptr<const Page>> read = store_.page({std::uint8_t(lod), x, z});
  if (!read) {
    return refusal(500, read.error().message);
  }
  Reply reply;
  reply.page = *read;
  reply.etag = fmt::format("\"{}-{}\"", content_hash_, reply.page->revision);
  reply.type = "application/octet-stream";
  reply.parts.push_back(std::as_bytes(std::span(reply.page->subsample)));
  if (lod > 0) {
    reply.parts.push_back(std::as_bytes(std::span(reply.page->max)));
  }
  return reply;
}

Reply Routes::bounds() const {
  const Bounds& bounds = store_.bounds();
  const Lattice& lattice = store_.lattice();
  Reply reply;
  reply.type = "application/octet-stream";
  reply.parts.push_back(std::as_bytes(std::span(&bounds.field_min, 1)));
  reply.parts.push_back(std::as_bytes(std::span(&bounds.field_max, 1)));
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    const std::size_t nodes =
        std::size_t(lattice.nodes_x(lod, kBoundsQuads)) * std::size_t(lattice.nodes_z(lod, kBoundsQuads));
    reply.parts.push_back(std::as_bytes(std::span(&bounds.at(lod, 0, 0), nodes)));
  }
  return reply;
}

Reply Routes::degrees(std::string_view text) const {
  const auto place = numbers_of<double, 2>(text);
  if (!place) {
    return refusal(400, fmt::format("/lonlat/{}: expected /lonlat/X/Z, two numbers of metres", shown(text)));
  }
  if (!globe_) {
    return refusal(404, no_globe_);
  }
  const std::lock_guard lock(globe_mutex_);
  const Result<std::array<double, 2>> degrees = globe_->degrees_at((*place)[0], (*place)[1]);
  if (!degrees) {
    return refusal(404, degrees.error().message);
  }
  Reply reply;
  reply.type = "application/json";
  reply.text = fmt::format("[{:.9f}, {:.9f}]\n", (*degrees)[0], (*degrees)[1]);
  return reply;
}

}  // namespace arete::serve
