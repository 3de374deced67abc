// The inner loops over rows of samples, compiled for every instruction set and chosen when the program runs.
//
// All are integer work, so every target gives the same bits (tests: unit/tiles/kernels_test).
#pragma once

#include <cstddef>
#include <cstdint>

namespace arete::tiles {

// One row of fine samples under one row of coarse cells of side 2^shift.
struct ErrorRow {
  const std::uint16_t* heights;  // `count` samples
  const std::uint16_t* mask;     // not 0 where a sample counts
  const std::uint16_t* north;    // corners of the cells: one more than cells on each side
  const std::uint16_t* south;
  int count;
  int first;  // the first sample's distance from the first cell's western edge, in samples, >= phase
  int shift;  // 1..14
  int down;   // the row's distance from the cells' northern edge, 0..2^shift
  int phase;  // 0: a sample between two cells belongs to the eastern one; 1: to the western one
};

// max |2^shift (surface - height)| over the samples that count and whose triangle has three corners that are no holes.
// A sample on a diagonal may take either triangle. Up to 64 values after the ends of `heights`, `mask`, `north` and
// `south` are read and ignored.
std::int32_t row_error(const ErrorRow& row);

// Fine samples without holes under one coarse cell of side 2^shift, or a part of it.
struct CellSamples {
  const std::uint16_t* heights;  // the first of `rows` rows of `columns` samples
  std::size_t stride;            // samples between rows
  int columns, rows;
  int shift;          // 1..14
  std::int32_t a, b;  // where the first sample stands in the cell, from its north-western corner
  std::int32_t c00, c10, c01, c11;
};

// max |2^shift (surface - height)|. Up to 64 values after the end of a row are read and ignored.
std::int32_t cell_error(const CellSamples& cell);

// Fine samples along one row under a coarse cell of `width` by `depth` half texels; places count from its north-western
// corner.
struct RimRow {
  const std::uint16_t* heights;  // `count` samples
  const std::uint16_t* mask;     // not 0 where a sample counts
  const double* places;          // of the samples, across
  int count;
  double width, depth, down;  // down: the row's place
  bool draws_lower, draws_upper;
  double c00, c10, c01, c11;
};

// max |surface - height| over the samples that count, in doubles and one order of operations: south-east of the cell's
// diagonal on the upper triangle, elsewhere on the lower one, where they are drawn. Up to 64 values after the ends of
// `heights`, `mask` and `places` are read and ignored.
double rim_row_error(const RimRow& row);

// One row of 64 cells of a coarse surface over the three rows of 129 fine samples that it spans, twice as dense.
struct CellRow {
  const std::uint16_t* fine[3];    // samples 0..129 of each row: the last is read and ignored
  const std::uint16_t* coarse[2];  // 65 corners north and south of the cells
  const std::uint16_t* bounds[2];  // of 128 fine cells each, or null for 0
};

// For each cell the greatest over its four fine cells of |coarse surface - fine surface|, rounded up, plus the fine
// cell's bound; 65,535 when that is more or when a fine sample is a hole.
void bound_cells(const CellRow& row, std::uint16_t* cells);

// Of 32 rows of 32 bounds, `stride` apart: the greatest of each column that is below 65,535, or 0, to `columns`;
// returns the greatest of all.
std::uint16_t greatest_bounds(const std::uint16_t* bounds, std::size_t stride, std::uint16_t* columns);

struct Extent {
  std::uint16_t min = 0;  // 0: no sample but holes
  std::uint16_t max = 0;
  bool has_hole = false;
};
// Of `rows` rows of `columns` samples, `stride` apart; holes (0) are not the least.
Extent extent_of(const std::uint16_t* samples, std::size_t stride, int columns, int rows);

// The inner samples 1..m-2 of one coarse row of m samples: each the greatest of its seven taps in three fine rows of 2m
// - 1.
void reduce_row(const std::uint16_t* north, const std::uint16_t* here, const std::uint16_t* south, int m,
                std::uint16_t* coarse);

// A plane's residuals (page_payload.h): `rows` rows of `columns` <= kPageStride steps to as many zigzagged low and high
// bytes.
void make_residuals(const std::uint16_t* plane, int columns, int rows, std::uint8_t* low, std::uint8_t* high);

// A plane from its residuals: `rows` rows of `columns` <= kPageStride zigzagged low and high bytes to
// as many steps.
void undo_residuals(const std::uint8_t* low, const std::uint8_t* high, int columns, int rows, std::uint16_t* plane);

}  // namespace arete::tiles
