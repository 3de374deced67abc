// The viewer's files, held in the program: it needs no folder beside it and no network.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace arete::serve {

struct PageFile {
  std::string_view path;  // "/viewer.js"
  const char* type;
  std::span<const std::byte> bytes;
  std::string etag;
};

// The file at a path of the server, "/" being the page itself; or nullptr.
const PageFile* find_page_file(std::string_view path) noexcept;

}  // namespace arete::serve
