// Reading and page making take turns only at rows: the reader owns every row from `next_` on, the builder those below.
#include "tiles/row_feed.h"

namespace arete::tiles {

RowFeed::RowFeed(const RowReader& rows, std::int32_t stops_x, std::int32_t first, std::int32_t last, RowWindow& window)
    : rows_(rows), window_(window), next_(first), released_(first), thread_([=, this] {
        read_all(first, last, std::size_t(stops_x));
      }) {}

RowFeed::~RowFeed() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RowFeed::read_all(std::int32_t first, std::int32_t last, std::size_t stops_x) {
  for (std::int32_t row = first; row <= last; ++row) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopped_ || row < released_ + window_.capacity(); });
      if (is_stopped_) {
        return;
      }
    }
    auto read = rows_(row, {window_.row(row), stops_x});
    if (read) {
      window_.pad(row);
    }
    const std::lock_guard lock(mutex_);
    if (!read) {
      result_ = read;
      changed_.notify_all();
      return;
    }
    next_ = row + 1;
    if (row == wanted_) {
      changed_.notify_all();
    }
  }
}

Result<void> RowFeed::wait_for(std::int64_t row) {
  std::unique_lock lock(mutex_);
  wanted_ = row;
  changed_.wait(lock, [&] { return row < next_ || !result_; });
  return row < next_ ? Result<void>() : result_;
}

void RowFeed::release(std::int64_t row) {
  {
    const std::lock_guard lock(mutex_);
    released_ = row;
  }
  changed_.notify_all();
}

}  // namespace arete::tiles
