// A build that goes on behind kept rows makes the pages that are missing, no other, and ends with the same bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "arete/tiles.h"
#include "support/terrain.h"

namespace arete {
namespace {

using test::Terrain;

// Pages and kept rows in memory; refuses to keep more than `most_rows` rows of pages of lod 0.
class Storage final : public PageStorage {
 public:
  Result<void> put(std::shared_ptr<const Page> page) override {
    const std::lock_guard lock(mutex_);
    ++puts;
    pages[page->key.packed()] = std::move(page);
    return {};
  }
  Result<std::shared_ptr<const Page>> get(PageKey key) const override {
    const std::lock_guard lock(mutex_);
    return pages.at(key.packed());
  }
  Result<void> keep_rows(std::vector<BuiltRow> rows) override {
    if (most_rows-- == 0) {
      return io_error("killed");
    }
    whole_pages = pages.size();
    kept.insert(kept.end(), rows.begin(), rows.end());
    return {};
  }
  Result<std::vector<BuiltRow>> kept_rows() const override {
    std::vector<BuiltRow> rows = kept;
    const auto place = [](const BuiltRow& row) { return std::pair(row.lod, row.z); };
    std::sort(rows.begin(), rows.end(), [&](const BuiltRow& a, const BuiltRow& b) { return place(a) < place(b); });
    return rows;
  }

  std::map<std::uint64_t, std::shared_ptr<const Page>> pages;
  std::vector<BuiltRow> kept;
  std::size_t puts = 0, whole_pages = 0;  // whole: when rows were last kept
  int most_rows = 1000;

 private:
  mutable std::mutex mutex_;
};

Result<Bounds> build(const Lattice& lattice, const std::vector<std::uint16_t>& field, Storage& storage) {
  const auto rows = [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
    std::copy_n(field.begin() + std::ptrdiff_t(z) * lattice.stops_x, row.size(), row.begin());
    return {};
  };
  return build_pages(lattice, rows, storage, {.jobs = 2, .progress = {}});
}

void expect_equal(const Bounds& found, const Bounds& wanted) {
  const Lattice& lattice = wanted.lattice();
  EXPECT_EQ(found.field_min, wanted.field_min);
  EXPECT_EQ(found.field_max, wanted.field_max);
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        const NodeBounds &a = found.at(lod, x, z), &b = wanted.at(lod, x, z);
        ASSERT_EQ(a.error, b.error) << "node " << x << ", " << z << " of lod " << lod;
        ASSERT_EQ(std::memcmp(&a, &b, sizeof(NodeBounds)), 0) << "node " << x << ", " << z << " of lod " << lod;
      }
    }
  }
}

TEST(Resume, MakesWhatIsMissingAloneAndTheSameBounds) {
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const Terrain kind : {Terrain::fractal, Terrain::holes}) {
      const Lattice lattice{.stops_x = 300, .stops_z = 1300, .registration = registration};
      const auto field = test::terrain_field(kind, 3, lattice);
      Storage whole;
      const auto wanted = build(lattice, field, whole);
      ASSERT_TRUE(wanted) << wanted.error().message;
      for (int rows = 0; rows <= lattice.pages_z(0); ++rows) {
        SCOPED_TRACE(testing::Message() << rows << " rows kept, area " << int(registration == Registration::area)
                                        << ", holes " << int(kind == Terrain::holes));
        Storage part;
        part.most_rows = rows;
        const auto first = build(lattice, field, part);
        ASSERT_EQ(bool(first), rows == lattice.pages_z(0));
        const std::size_t missing = whole.pages.size() - part.whole_pages;
        part.most_rows = 1000;
        part.puts = 0;
        const auto resumed = build(lattice, field, part);
        ASSERT_TRUE(resumed) << resumed.error().message;
        EXPECT_EQ(part.puts, missing);
        expect_equal(*resumed, *wanted);
        ASSERT_EQ(part.pages.size(), whole.pages.size());
        for (const auto& [key, page] : whole.pages) {
          ASSERT_EQ(part.pages.at(key)->subsample, page->subsample);
          ASSERT_EQ(part.pages.at(key)->max, page->max);
        }
      }
    }
  }
}

}  // namespace
}  // namespace arete
