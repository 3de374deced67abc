// What a mesher of given options asks for, and the tables that its shaders read.
#pragma once

#include <cstdint>
#include <vector>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Error (usage): the first option that is out of range.
Result<void> check_options(const TerrainMesherOptions& options);

// A bit for each word of a vertex that no attribute writes.
std::uint32_t unclaimed_words(const kernel::VertexLayout& layout);

// The local ranges of the samples of each node of 32 quads. For each lod the first of its words and its nodes along x
// and z, three words each; then a word a node: a byte each for the samples inside, on its side between range nodes
// along x, along z, and on both.
std::vector<std::uint32_t> kappa_words(const Bounds& bounds);

}  // namespace arete::vulkan
