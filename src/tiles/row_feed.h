// The one thread that reads rows, ahead of the pages that are made of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "arete/tiles.h"
#include "tiles/row_window.h"

namespace arete::tiles {

// Fills a window with the rows 0..last in order, padded, as far as released rows leave room for. The window may be
// read up to the row that was waited for.
class RowFeed {
 public:
  // Rows of `stops_x` steps; `first` is the row to begin with. All arguments must outlive the feed.
  RowFeed(const RowReader& rows, std::int32_t stops_x, std::int32_t first, std::int32_t last, RowWindow& window);
  ~RowFeed();
  RowFeed(const RowFeed&) = delete;
  RowFeed& operator=(const RowFeed&) = delete;

  // Waits until `row` stands in the window, or hands on the reader's failure.
  Result<void> wait_for(std::int64_t row);
  // Rows below `row` are no longer needed.
  void release(std::int64_t row);

 private:
  void read_all(std::int32_t first, std::int32_t last, std::size_t stops_x);

  const RowReader& rows_;
  RowWindow& window_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t next_;        // the first row that is not read yet
  std::int64_t wanted_ = 0;  // the row that is waited for
  std::int64_t released_;    // rows below may be overwritten
  bool is_stopped_ = false;
  Result<void> result_;
  std::thread thread_;
};

}  // namespace arete::tiles
