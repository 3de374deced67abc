// Entity tags of bytes that do not change while they are served.
#pragma once

#include <fmt/format.h>
#include <xxhash.h>

#include <cstddef>
#include <span>
#include <string>

namespace arete::serve {

// By what the bytes are, one part behind the other.
inline std::string tag_of(std::span<const std::span<const std::byte>> parts) {
  XXH64_hash_t hash = 0;
  for (const std::span<const std::byte> part : parts) {
    hash = XXH3_64bits_withSeed(part.data(), part.size(), hash);
  }
  return fmt::format("\"{:016x}\"", hash);
}

}  // namespace arete::serve
