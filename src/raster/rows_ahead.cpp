// Blocks of rows go round in a ring: the reader owns those that are free, the visitor those that are full.
#include "rows_ahead.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace arete {
namespace {

constexpr std::int64_t kBlocks = 4;
constexpr std::int64_t kBlockHeights = std::int64_t(1) << 17;  // a mebibyte

class RowsAhead {
 public:
  explicit RowsAhead(HeightRows& rows)
      : rows_(rows),
        width_(rows.info().width),
        height_(rows.info().height),
        block_rows_(std::clamp<std::int64_t>(kBlockHeights / width_, 1, height_)),
        blocks_((height_ + block_rows_ - 1) / block_rows_) {
    for (std::vector<double>& block : ring_) {
      block.resize(std::size_t(block_rows_ * width_));
    }
    thread_ = std::thread([this] { read_all(); });
  }
  ~RowsAhead() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  RowsAhead(const RowsAhead&) = delete;
  RowsAhead& operator=(const RowsAhead&) = delete;

  template <class Visit>
  Result<void> each(const Visit& visit) {
    for (std::int64_t block = 0; block < blocks_; ++block) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return block < full_ || !result_; });
        if (block >= full_) {
          return result_;
        }
      }
      for (std::int64_t row = block * block_rows_; row < end_of(block); ++row) {
        visit(row, row_of(row));
      }
      const std::lock_guard lock(mutex_);
      visited_ = block + 1;
      changed_.notify_all();
    }
    return {};
  }

 private:
  std::int64_t end_of(std::int64_t block) const { return std::min((block + 1) * block_rows_, height_); }
  std::span<double> row_of(std::int64_t row) {
    const std::size_t at = std::size_t(row % block_rows_ * width_);
    return std::span(ring_[std::size_t(row / block_rows_ % kBlocks)]).subspan(at, std::size_t(width_));
  }

  void read_all() {
    for (std::int64_t block = 0; block < blocks_; ++block) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_stopped_ || block < visited_ + kBlocks; });
        if (is_stopped_) {
          return;
        }
      }
      Result<void> read;
      for (std::int64_t row = block * block_rows_; row < end_of(block) && read; ++row) {
        read = rows_.read(row, 0, row_of(row));
      }
      const std::lock_guard lock(mutex_);
      result_ = read;
      full_ += read ? 1 : 0;
      changed_.notify_all();
      if (!read) {
        return;
      }
    }
  }

  HeightRows& rows_;
  const std::int64_t width_, height_, block_rows_, blocks_;
  std::array<std::vector<double>, std::size_t(kBlocks)> ring_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::int64_t full_ = 0, visited_ = 0;  // blocks below were read, or visited
  bool is_stopped_ = false;
  Result<void> result_;
  std::thread thread_;
};

}  // namespace

Result<void> each_row(HeightRows& rows,
                      const std::function<void(std::int64_t row, std::span<const double> heights_m)>& visit) {
  return RowsAhead(rows).each(visit);
}

}  // namespace arete
