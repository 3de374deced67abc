// Pages of any SampleSource for the streamer, with revisions for sources that are edited.
//
// Revisions are counters in a fixed table that keys are hashed into: asking takes no lock, and two keys that share a
// counter merely reload together.
#include <algorithm>
#include <array>
#include <atomic>

#include "arete/stream.h"

namespace arete {
namespace {

constexpr std::size_t kCounters = 4096;

std::size_t counter_of(PageKey key) { return std::size_t(key.packed() * 0x9e3779b97f4a7c15ull >> 52); }
static_assert(kCounters == std::size_t(1) << (64 - 52));

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

struct PageSpan {
  std::int64_t first, last;
};

// Pages of `lod` along one axis that hold a sample, apron included, which depends on stops of page `at` of lod
// `edited_lod`: coarse max samples reach less than one coarse sample beyond it.
PageSpan pages_holding(std::int64_t at, int edited_lod, int lod, std::int32_t pages) {
  const std::int64_t side = std::int64_t(kPageCells) << edited_lod;
  const std::int64_t stride = std::int64_t(1) << lod;
  const std::int64_t first_sample = floor_div(at * side, stride) - 1;
  const std::int64_t last_sample = floor_div((at + 1) * side + stride - 1, stride) + 1;
  const std::int64_t first = floor_div(first_sample - kPageSamples + kPageCells - 1, kPageCells);
  const std::int64_t last = floor_div(last_sample + 1, kPageCells);
  return {std::max<std::int64_t>(first, 0), std::min<std::int64_t>(last, pages - 1)};
}

}  // namespace

struct SourceLoader::State {
  explicit State(const SampleSource& its_source) : source(its_source) {}
  const SampleSource& source;
  std::atomic<std::uint64_t> epoch{0};
  std::array<std::atomic<std::uint64_t>, kCounters> counters{};
};

SourceLoader::SourceLoader(const SampleSource& source) : state_(std::make_unique<State>(source)) {}
SourceLoader::~SourceLoader() = default;

const Lattice& SourceLoader::lattice() const noexcept { return state_->source.lattice(); }

Result<void> SourceLoader::load(Page& page) const {
  const Result<std::shared_ptr<const Page>> found = state_->source.require_page(page.key);
  if (!found) {
    return Unexpected{found.error()};
  }
  const Page& from = **found;
  std::copy(from.subsample.begin(), from.subsample.end(), page.subsample.begin());
  if (!page.max.empty()) {
    const std::vector<std::uint16_t>& max = from.plane(HeightPlane::max);
    std::copy(max.begin(), max.end(), page.max.begin());
  }
  return {};
}

std::uint64_t SourceLoader::revision(PageKey key) const noexcept { return state_->counters[counter_of(key)].load(); }

std::uint64_t SourceLoader::epoch() const noexcept { return state_->epoch.load(); }

std::size_t SourceLoader::scratch_bytes() const noexcept {
  // The source's own page, and as much again for what it decodes from.
  return 4 * kPlaneSamples * sizeof(std::uint16_t) + sizeof(Page);
}

void SourceLoader::mark_edited(PageKey key) noexcept {
  const Lattice& lattice = state_->source.lattice();
  ARETE_ASSERT(key.lod < lattice.lods());
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    const PageSpan across = pages_holding(key.x, key.lod, lod, lattice.pages_x(lod));
    const PageSpan down = pages_holding(key.z, key.lod, lod, lattice.pages_z(lod));
    for (std::int64_t z = down.first; z <= down.last; ++z) {
      for (std::int64_t x = across.first; x <= across.last; ++x) {
        ++state_->counters[counter_of({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)})];
      }
    }
  }
  ++state_->epoch;
}

}  // namespace arete
