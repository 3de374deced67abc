// Fields, views and local ranges for the laws of cuts and meshes, all from one seeded generator.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "arete/cut.h"
#include "arete/tiles.h"
#include "terrain.h"

namespace arete::test {

inline std::unique_ptr<MemorySource> make_field(Terrain kind, std::uint64_t seed, const Lattice& lattice) {
  auto source = MemorySource::build(lattice, terrain_field(kind, seed, lattice));
  if (!source) {
    throw std::runtime_error(source.error().message);
  }
  return *std::move(source);
}

inline std::unique_ptr<MemorySource> make_field(const Lattice& lattice, const std::vector<std::uint16_t>& stops) {
  auto source = MemorySource::build(lattice, stops);
  if (!source) {
    throw std::runtime_error(source.error().message);
  }
  return *std::move(source);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double unit() { return double(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  int below(int count) { return int(engine_() % std::uint64_t(count)); }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// A camera over the field or beside it, from the ground up to the field's size above it.
inline View random_view(const Bounds& bounds, Random& random) {
  const Lattice& lattice = bounds.lattice();
  const double low = lattice.height_m(bounds.field_min);
  const double high = lattice.height_m(bounds.field_max);
  View view;
  view.eye_x_m = random.between(-0.2, 1.2) * lattice.width_m();
  view.eye_z_m = random.between(-0.2, 1.2) * lattice.depth_m();
  view.eye_y_m = random.below(2) == 0 ? random.between(low, high)
                                      : low + random.unit() * std::max(lattice.width_m(), lattice.depth_m());
  return view;
}

// Fields of local ranges, most of which no data would give; `kind` 0 is the plain scheme.
inline constexpr int kKappaKinds = 7;
inline void set_kappas(Bounds& bounds, int kind, Random& random) {
  const Lattice& lattice = bounds.lattice();
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    const int nodes_x = lattice.nodes_x(lod, kBoundsQuads);
    const int nodes_z = lattice.nodes_z(lod, kBoundsQuads);
    const int hot_x = random.below(nodes_x);
    const int hot_z = random.below(nodes_z);
    for (int z = 0; z < nodes_z; ++z) {
      for (int x = 0; x < nodes_x; ++x) {
        int kappa = 0;
        switch (kind) {
          case 1:
            kappa = random.below(12);
            break;
          case 2:
            kappa = (x + z) % 2 == 0 ? 0 : 5;
            break;
          case 3:
            kappa = (x + z) % 2 == 0 ? 0 : 40;
            break;
          case 4:
            kappa = x % 2 == 0 ? 0 : 10;
            break;
          case 5:
            kappa = x == hot_x && z == hot_z ? 0 : 20;
            break;
          case 6:
            kappa = lod % 2 == 0 ? 0 : kernel::kKappaLimit;
            break;
          default:
            break;
        }
        bounds.at(lod, x, z).kappa = std::uint8_t(kappa);
      }
    }
  }
  bounds.finish();
}

inline const char* name(Terrain kind) {
  switch (kind) {
    case Terrain::random:
      return "random";
    case Terrain::cliff:
      return "cliff";
    case Terrain::fractal:
      return "fractal";
    case Terrain::smooth:
      return "smooth";
    case Terrain::holes:
      return "holes";
    case Terrain::flat:
      return "flat";
    case Terrain::checkerboard:
      return "checkerboard";
  }
  return "?";
}
inline constexpr Terrain kTerrains[] = {Terrain::random, Terrain::cliff, Terrain::fractal,     Terrain::smooth,
                                        Terrain::holes,  Terrain::flat,  Terrain::checkerboard};

// One line that lets a failing case be rebuilt.
inline std::string describe(const Lattice& lattice, Terrain kind, const Ranges& ranges, const View& view,
                            std::uint64_t seed) {
  return std::string(name(kind)) + ' ' + std::to_string(lattice.stops_x) + 'x' + std::to_string(lattice.stops_z) +
         (lattice.is_area() != 0 ? " area" : " point") + " N " + std::to_string(ranges.node_quads) + " plane " +
         std::to_string(int(ranges.plane)) + " select_sq " + std::to_string(ranges.select_sq) + " eye " +
         std::to_string(view.eye_x_m) + ' ' + std::to_string(view.eye_y_m) + ' ' + std::to_string(view.eye_z_m) +
         " seed " + std::to_string(seed);
}

// Splits drawn at random, each with `chance`, and all that `also` splits.
class RandomSplits final : public SplitPredicate {
 public:
  RandomSplits(std::uint64_t seed, double chance, const SplitPredicate* also = nullptr)
      : seed_(seed), chance_(chance), also_(also) {}
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    return (also_ != nullptr && also_->is_split(lod, x, z)) ||
           double(hash(x, z, seed_ + std::uint64_t(lod)) >> 11) * 0x1p-53 < chance_;
  }

 private:
  std::uint64_t seed_;
  double chance_;
  const SplitPredicate* also_;
};

// The splits that a cut implies: a node is split when a leaf lies strictly inside it.
class CutSplits final : public SplitPredicate {
 public:
  CutSplits(const Lattice& lattice, int quads, const std::vector<Node>& nodes) : lods_(std::size_t(lattice.lods())) {
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      widths_.push_back(lattice.nodes_x(lod, quads));
      lods_[std::size_t(lod)].resize(std::size_t(widths_.back()) * std::size_t(lattice.nodes_z(lod, quads)));
    }
    for (const Node& node : nodes) {
      for (int lod = node.lod + 1; lod < lattice.lods(); ++lod) {
        lods_[std::size_t(lod)][index(lod, node.x >> (lod - node.lod), node.z >> (lod - node.lod))] = true;
      }
    }
  }
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    return lod > 0 && lods_[std::size_t(lod)][index(lod, x, z)];
  }
  void set(int lod, std::uint32_t x, std::uint32_t z, bool is_split) {
    lods_[std::size_t(lod)][index(lod, x, z)] = is_split;
  }

 private:
  std::size_t index(int lod, std::uint32_t x, std::uint32_t z) const {
    return std::size_t(z) * std::size_t(widths_[std::size_t(lod)]) + x;
  }
  std::vector<int> widths_;
  std::vector<std::vector<bool>> lods_;
};

// The leaves of a predicate as it stands: neither balanced nor masked.
inline std::vector<Node> bare_leaves(const Lattice& lattice, int quads, const SplitPredicate& splits) {
  std::vector<Node> leaves;
  std::vector<Node> open;
  const int top = lattice.lods() - 1;
  for (int z = 0; z < lattice.nodes_z(top, quads); ++z) {
    for (int x = 0; x < lattice.nodes_x(top, quads); ++x) {
      open.push_back({.lod = std::uint8_t(top), .x = std::uint32_t(x), .z = std::uint32_t(z)});
    }
  }
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (node.lod == 0 || !splits.is_split(node.lod, node.x, node.z)) {
      leaves.push_back(node);
      continue;
    }
    const int lod = node.lod - 1;
    for (std::uint32_t child = 0; child < 4; ++child) {
      const std::uint32_t x = 2 * node.x + (child & 1), z = 2 * node.z + (child >> 1);
      if (int(x) < lattice.nodes_x(lod, quads) && int(z) < lattice.nodes_z(lod, quads)) {
        open.push_back({.lod = std::uint8_t(lod), .x = x, .z = z});
      }
    }
  }
  return leaves;
}

}  // namespace arete::test
