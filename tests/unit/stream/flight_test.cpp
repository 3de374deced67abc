// Flights in virtual time over a made field.
#include <gtest/gtest.h>

#include "unit/stream/stream_support.h"

namespace arete::test {
namespace {

struct Flight {
  FunctionSource source{square(1025),
                        [](std::int32_t x, std::int32_t z) { return std::uint16_t(1000 + x % 7 + z % 5); }};
  Bounds bounds = wide_bounds(source.lattice(), 1000, 1010);
  SourceLoader loader{source};
  std::vector<FlightPath> paths{{{0, 0, 2000, 0}, {1, 1000, 2000, 1000}, {1, 200, 2000, 200}, {2, 0, 2000, 0}}};
};

TEST(Flight, UpdatesOnceATickAndSeesItsJump) {
  Flight flight;
  std::int64_t seen = 0;
  const Result<FlightReport> report =
      run_flight(flight.loader, flight.bounds, flight.paths, {}, [&](const FlightMoment& moment) -> Result<void> {
        EXPECT_EQ(moment.update, seen++);
        return {};
      });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->updates, 121);
  EXPECT_EQ(seen, 121);
  EXPECT_EQ(report->jumps, 1);
}

TEST(Flight, EndsWithTheErrorOfAnUpdate) {
  Flight flight;
  std::int64_t seen = 0;
  const Result<FlightReport> report =
      run_flight(flight.loader, flight.bounds, flight.paths, {}, [&](const FlightMoment&) -> Result<void> {
        return ++seen == 4 ? Result<void>(io_error("the fourth picture cannot be written")) : Result<void>();
      });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "the fourth picture cannot be written");
  EXPECT_EQ(seen, 4);
}

TEST(Flight, RefusesPathsWithoutAPlace) {
  Flight flight;
  flight.paths.emplace_back();
  EXPECT_FALSE(run_flight(flight.loader, flight.bounds, flight.paths));
  EXPECT_FALSE(run_flight(flight.loader, flight.bounds, {}));
}

}  // namespace
}  // namespace arete::test
