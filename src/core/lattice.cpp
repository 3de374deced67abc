// Lods of a lattice and the Morton order of pages and nodes.
#include "arete/core.h"

namespace arete {
namespace {
std::uint64_t spread(std::uint32_t value) noexcept {
  std::uint64_t bits = value;
  bits = (bits | bits << 16) & 0x0000ffff0000ffffull;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ffull;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0full;
  bits = (bits | bits << 2) & 0x3333333333333333ull;
  return (bits | bits << 1) & 0x5555555555555555ull;
}

std::uint32_t gather(std::uint64_t bits) noexcept {
  bits &= 0x5555555555555555ull;
  bits = (bits | bits >> 1) & 0x3333333333333333ull;
  bits = (bits | bits >> 2) & 0x0f0f0f0f0f0f0f0full;
  bits = (bits | bits >> 4) & 0x00ff00ff00ff00ffull;
  bits = (bits | bits >> 8) & 0x0000ffff0000ffffull;
  return static_cast<std::uint32_t>(bits | bits >> 16);
}
}  // namespace

int Lattice::lods() const {
  int lod = 0;
  while (pages_x(lod) > 1 || pages_z(lod) > 1) {
    ++lod;
  }
  return lod + 1;
}

std::uint64_t morton(std::uint32_t x, std::uint32_t z) noexcept { return spread(x) | spread(z) << 1; }

PageKey PageKey::unpack(std::uint64_t packed) noexcept {
  const std::uint64_t place = packed & ((std::uint64_t(1) << 58) - 1);
  return {static_cast<std::uint8_t>(packed >> 58), gather(place), gather(place >> 1)};
}

kernel::NodeRecord node_record(const Node& node, int quads) {
  return {node.lod, static_cast<int>(node.x), static_cast<int>(node.z), quads, node.coarse_mask, node.corner_lods};
}
}  // namespace arete
