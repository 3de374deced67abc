// What a source must give to those who read all of a page.
#include <gtest/gtest.h>

#include "arete/core.h"

namespace arete {
namespace {

class GivenPage final : public SampleSource {
 public:
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey) const override { return given; }
  std::shared_ptr<const Page> given;

 private:
  Lattice lattice_;
};

Page page_of(PageKey key, std::size_t subsample, std::size_t max) {
  return {.key = key, .subsample = std::vector<std::uint16_t>(subsample), .max = std::vector<std::uint16_t>(max)};
}

TEST(RequirePage, GivesTheSourcesPage) {
  GivenPage source;
  for (const std::size_t max : {std::size_t(0), kPlaneSamples}) {
    source.given = std::make_shared<Page>(page_of({2, 3, 4}, kPlaneSamples, max));
    const auto page = source.require_page({2, 3, 4});
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(*page, source.given);
  }
}

TEST(RequirePage, RefusesNoneAndWhatIsNotThePage) {
  GivenPage source;
  const PageKey key{2, 3, 4};
  EXPECT_EQ(source.require_page(key).error().message,
            "page (3, 4) of lod 2 is not resident; load it first, or select the cut with a residency");
  for (const Page& wrong : {page_of({1, 3, 4}, kPlaneSamples, kPlaneSamples), page_of(key, kPlaneSamples - 1, 0),
                            page_of(key, kPlaneSamples, kPlaneSamples + 1), page_of(key, 0, 0)}) {
    source.given = std::make_shared<Page>(wrong);
    const auto page = source.require_page(key);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, Error::Kind::data);
    EXPECT_TRUE(
        page.error().message.starts_with("page (3, 4) of lod 2: expected 17161 samples a plane, the source gave"))
        << page.error().message;
  }
}

}  // namespace
}  // namespace arete
