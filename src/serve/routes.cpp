// Paths to replies: the viewer's files, the store's metadata, bounds and pages. Whatever else is asked for is refused
// in one line.
#include "serve/routes.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "serve/page_files.h"

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

// "lod/x/z" as plain decimal numbers.
std::optional<std::array<std::uint32_t, 3>> key_of(std::string_view text) {
  std::array<std::uint32_t, 3> numbers{};
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
      local_host_(std::move(local_host)) {}

bool Routes::is_for_us(std::string_view host) const {
  if (const std::size_t colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) {
    host = host.substr(0, colon);  // the port
  }
  return local_host_.empty() || host == local_host_ || host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

Reply Routes::answer(const Request& request) const {
  constexpr std::string_view kPages = "/pages/";
  if (request.method != "GET" && request.method != "HEAD") {
    return refusal(405, fmt::format("{}: only GET is answered", shown(request.method)));
  }
  if (!is_for_us(request.host)) {
    return refusal(403, fmt::format("host {}: only localhost is answered; arete serve --host opens the store to others",
                                    shown(request.host)));
  }
  if (const PageFile* file = find_page_file(request.path)) {
    Reply reply;
    reply.type = file->type;
    reply.parts = {file->bytes};
    return reply;
  }
  if (request.path == "/store.json") {
    Reply reply;
    reply.type = "application/json";
    reply.text = store_json_;
    return reply;
  }
  if (request.path == "/bounds") {
    return bounds();
  }
  if (request.path.starts_with(kPages)) {
    return page(request.path.substr(kPages.size()), request.if_none_match);
  }
  return refusal(
      404, fmt::format("{}: nothing is here; expected /, /store.json, /bounds or /pages/LOD/X/Z", shown(request.path)));
}

Reply Routes::page(std::string_view text, std::string_view if_none_match) const {
  const auto key = key_of(text);
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
  if (names(if_none_match, reply.etag)) {
    reply.status = 304;
    return reply;
  }
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

}  // namespace arete::serve
