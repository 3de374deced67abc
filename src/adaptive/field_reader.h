// Samples of a piece with one more around it, from a field in memory or from the pages of a source.
#pragma once

#include <span>

#include "adaptive/error_meter.h"

namespace arete::adaptive {

// Safe to use from several threads.
class FieldReader {
 public:
  FieldReader(const Lattice& lattice, std::span<const std::uint16_t> stops) : lattice_(lattice), stops_(stops) {}
  explicit FieldReader(const SampleSource& source) : lattice_(source.lattice()), source_(&source) {}

  const Lattice& lattice() const { return lattice_; }
  // Fills the block of the piece of `cells` cells a side whose corner is stop (x0, z0), both inside the field and not
  // its last.
  Result<void> read(std::int32_t x0, std::int32_t z0, std::int32_t cells, SampleBlock& block) const;

 private:
  Result<void> read_pages(std::int32_t x0, std::int32_t x1, std::int32_t z0, std::int32_t z1, std::uint16_t* to,
                          std::ptrdiff_t stride) const;

  Lattice lattice_;
  std::span<const std::uint16_t> stops_;
  const SampleSource* source_ = nullptr;
};

}  // namespace arete::adaptive
