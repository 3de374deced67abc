// Fills holes from eight directions in constant time a sample; see fill_rows.h.
//
// For each direction "the nearest datum that way" follows from the neighbour that way: it is the neighbour itself or
// the neighbour's own nearest, one step further. Northern directions are carried from row to row; southern ones are
// found by going up through a batch of rows and as many rows of lookahead.
#include "fill_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace arete {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t(512) << 20;

// The nearest datum one way: its height and how many steps off it is; 0 steps: none within reach.
struct Nearest {
  float steps = 0;
  double height = 0;
};

struct Mean {
  double weights = 0, weighted = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  void add(const Nearest& nearest, double step_length) {
    if (nearest.steps > 0) {
      const double weight = 1 / (double(nearest.steps) * step_length);
      weights += weight;
      weighted += weight * nearest.height;
      least = std::min(least, nearest.height);
      greatest = std::max(greatest, nearest.height);
    }
  }
  // Rounding may not leave the range of the data.
  double value() const { return std::clamp(weighted / weights, least, greatest); }
};

// Bytes a column: of each row within reach, of batch and lookahead; and of the row before, with six directions twice.
constexpr std::int64_t kReachBytes = 2 * sizeof(double) + sizeof(Mean);
constexpr std::int64_t kSeenBytes = sizeof(double) + 12 * sizeof(Nearest);

// What a sample sees one way, given the neighbour that way and what that neighbour sees.
Nearest look(double neighbour, const Nearest& beyond, std::int64_t reach) {
  if (!std::isnan(neighbour)) {
    return {1, neighbour};
  }
  return beyond.steps > 0 && beyond.steps < float(reach) ? Nearest{beyond.steps + 1, beyond.height} : Nearest{};
}

}  // namespace

struct FillRows::State {
  HeightRows* rows = nullptr;
  std::int64_t reach = 0, width = 0, height = 0;
  std::int64_t batch_row = 0, batch_rows = 0;  // finished rows
  std::vector<double> source;                  // rows of the batch, filled when it is finished, and of its lookahead
  std::int64_t source_row = 0, source_rows = 0;
  std::vector<Mean> means;                                // of the batch
  std::array<std::vector<Nearest>, 3> north, next_north;  // NW, N, NE of the row before the batch's current one
  std::vector<double> row_before;

  std::span<double> source_of(std::int64_t row) {
    return std::span(source).subspan(std::size_t((row - source_row) * width), std::size_t(width));
  }
  Result<void> load(std::int64_t row);
  void scan_row(std::int64_t row);
  void carry(std::span<const double> beside, std::array<std::vector<Nearest>, 3>& seen,
             std::array<std::vector<Nearest>, 3>& next) const;
  void add_south(std::int64_t end);
};

// One step of the three directions that lead to the row `beside`: `seen` belongs to that row, `next` to the one that
// looks.
void FillRows::State::carry(std::span<const double> beside, std::array<std::vector<Nearest>, 3>& seen,
                            std::array<std::vector<Nearest>, 3>& next) const {
  for (int way = 0; way < 3; ++way) {
    const std::int64_t shift = way - 1;
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t at = x + shift;
      const bool is_inside = at >= 0 && at < width;
      next[std::size_t(way)][std::size_t(x)] =
          is_inside ? look(beside[std::size_t(at)], seen[std::size_t(way)][std::size_t(at)], reach) : Nearest{};
    }
  }
  std::swap(seen, next);
}

// Adds west, east and the northern directions to the means of one row of the batch.
void FillRows::State::scan_row(std::int64_t row) {
  const std::span<double> here = source_of(row);
  const std::span<Mean> mean = std::span(means).subspan(std::size_t((row - batch_row) * width), std::size_t(width));
  if (row > 0) {
    carry(row_before, north, next_north);
  }
  Nearest nearest;
  for (std::int64_t x = 1; x < width; ++x) {
    nearest = look(here[std::size_t(x - 1)], nearest, reach);
    mean[std::size_t(x)].add(nearest, 1);
  }
  nearest = {};
  for (std::int64_t x = width - 2; x >= 0; --x) {
    nearest = look(here[std::size_t(x + 1)], nearest, reach);
    mean[std::size_t(x)].add(nearest, 1);
  }
  for (std::size_t x = 0; x < std::size_t(width); ++x) {
    mean[x].add(north[0][x], std::numbers::sqrt2);
    mean[x].add(north[1][x], 1);
    mean[x].add(north[2][x], std::numbers::sqrt2);
  }
  std::copy(here.begin(), here.end(), row_before.begin());
}

// Adds the southern directions to the means of the whole batch, going up from row `end` - 1.
void FillRows::State::add_south(std::int64_t end) {
  std::array<std::vector<Nearest>, 3> south, next_south;
  for (int way = 0; way < 3; ++way) {
    south[std::size_t(way)].assign(std::size_t(width), {});
    next_south[std::size_t(way)].assign(std::size_t(width), {});
  }
  for (std::int64_t row = end - 2; row >= batch_row; --row) {
    carry(source_of(row + 1), south, next_south);
    if (row < batch_row + batch_rows) {
      const std::span<Mean> mean = std::span(means).subspan(std::size_t((row - batch_row) * width), std::size_t(width));
      for (std::size_t x = 0; x < std::size_t(width); ++x) {
        mean[x].add(south[0][x], std::numbers::sqrt2);
        mean[x].add(south[1][x], 1);
        mean[x].add(south[2][x], std::numbers::sqrt2);
      }
    }
  }
}

// Finishes the batch that starts at `row`.
Result<void> FillRows::State::load(std::int64_t row) {
  const bool goes_on = row == batch_row + batch_rows && batch_rows > 0;
  if (!goes_on) {
    // Start over: the northern directions need the rows within reach above.
    for (auto& way : north) {
      way.assign(std::size_t(width), {});
    }
    next_north = north;
    row_before.assign(std::size_t(width), kNoHeight);
    source_rows = 0;
    for (std::int64_t above = std::max<std::int64_t>(0, row - reach); above < row; ++above) {
      std::vector<double> heights(static_cast<std::size_t>(width));
      if (auto done = rows->read(above, 0, heights); !done) {
        return done;
      }
      carry(row_before, north, next_north);
      row_before = heights;
    }
  }
  const std::int64_t rows_of_batch = std::min(reach, height - row), end = std::min(height, row + 2 * reach);
  // Rows that were the lookahead before are the batch now.
  const std::int64_t held_end = source_row + source_rows;
  if (source_rows > 0 && held_end > row) {
    std::copy(source.begin() + (row - source_row) * width, source.begin() + source_rows * width, source.begin());
    source_rows = held_end - row;
  } else {
    source_rows = 0;
  }
  source_row = row;
  source.resize(std::size_t(2 * reach * width));
  for (; source_row + source_rows < end; ++source_rows) {
    const std::int64_t at = source_row + source_rows;
    if (auto done =
            rows->read(at, 0, std::span(source).subspan(std::size_t((at - source_row) * width), std::size_t(width)));
        !done) {
      source_rows = batch_rows = 0;
      return done;
    }
  }
  batch_row = row;
  batch_rows = rows_of_batch;
  means.assign(std::size_t(batch_rows * width), {});
  for (std::int64_t at = row; at < row + batch_rows; ++at) {
    scan_row(at);
  }
  add_south(end);
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (std::isnan(source[i]) && means[i].weights > 0) {
      source[i] = means[i].value();
    }
  }
  return {};
}

FillRows::FillRows() : state_(std::make_unique<State>()) {}
FillRows::~FillRows() = default;

Result<std::unique_ptr<FillRows>> FillRows::create(HeightRows& rows, std::int64_t samples) {
  const RasterInfo& info = rows.info();
  const std::int64_t reach = std::min(samples, std::max(info.width, info.height));
  const std::int64_t most = (kMostBytes / info.width - kSeenBytes) / kReachBytes;
  if (reach > most) {
    return usage_error(
        fmt::format("--fill {}: rows of {} samples allow at most {}; fill less or cut the raster with --bbox", samples,
                    info.width, std::max<std::int64_t>(most, 0)));
  }
  std::unique_ptr<FillRows> filler(new FillRows);
  State& state = *filler->state_;
  state.rows = &rows;
  state.reach = reach;
  state.width = info.width;
  state.height = info.height;
  return filler;
}

std::int64_t FillRows::most_bytes() const { return state_->width * (state_->reach * kReachBytes + kSeenBytes); }

void FillRows::start_over() { state_->batch_rows = 0; }

Result<void> FillRows::read(std::int64_t row, std::span<double> heights_m) {
  State& state = *state_;
  if (row < state.batch_row || row >= state.batch_row + state.batch_rows) {
    if (auto loaded = state.load(row); !loaded) {
      return loaded;
    }
  }
  std::ranges::copy(state.source_of(row), heights_m.begin());
  return {};
}

}  // namespace arete
