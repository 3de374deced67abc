// Holes near data are filled from it: --fill D.
#pragma once

#include "height_rows.h"

namespace arete {

// A hole with data within `samples` samples of it along a row, a column or a diagonal takes the mean of the nearest
// data in each of these eight directions, weighted by one over the distance in samples; a diagonal step counts as
// sqrt 2. Only data that were read are used, never filled ones, so the result does not depend on order, and it lies
// between them. Rows are asked for in ascending order, else the work starts over at the row asked for. `rows` must
// outlive it. Refused where it would hold more than 512 MiB.
class FillRows {
 public:
  static Result<std::unique_ptr<FillRows>> create(HeightRows& rows, std::int64_t samples);
  ~FillRows();
  Result<void> read(std::int64_t row, std::span<double> heights_m);
  std::int64_t most_bytes() const;
  // Forgets what was read.
  void start_over();

 private:
  FillRows();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete
