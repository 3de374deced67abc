// Page records on their way into the database: queued by the threads that make them, inserted by one thread in
// transactions that end where rows are kept.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "tiles/database.h"
#include "tiles/page_record.h"
#include "tiles/store_metadata.h"

namespace arete::tiles {

// put() and find() are thread-safe. The database is the writer's while it lives, but for those who hold its lock.
class RecordWriter {
 public:
  // At most `queue_bytes` of blobs wait to be written. The database must outlive the writer.
  static Result<std::unique_ptr<RecordWriter>> start(Database& database, std::size_t queue_bytes);
  // Commits the rows that were kept and drops what came behind them, as a kill would.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Queues a record, when there is room for it. Hands on what went wrong with earlier ones.
  Result<void> put(PageRecord record);
  // Queues rows whose pages were put, and texts; a transaction may end behind them.
  Result<void> keep(std::vector<BuiltRow> rows, Metadata texts);
  // A record that was put or stood in the database before.
  Result<std::optional<PageRecord>> find(PageKey key);
  // Waits until everything that was put is committed.
  Result<void> commit();

 private:
  RecordWriter(Database& database, std::size_t queue_bytes) : database_(database), queue_bytes_(queue_bytes) {}
  void write_all();
  using Record = std::shared_ptr<const PageRecord>;
  struct Kept {
    std::vector<BuiltRow> rows;
    Metadata texts;
  };
  // One of both.
  struct Item {
    Record record;
    std::shared_ptr<const Kept> kept;
  };
  using Clock = std::chrono::steady_clock;

  Result<void> queue(Item item, std::size_t bytes);
  void write_queued(std::unique_lock<std::mutex>& lock);
  void write(const Item& item);
  Result<void> insert(const PageRecord& record);
  Result<void> insert(const Kept& kept);
  void commit_if(bool is_due);
  void report(const Result<void>& done);

  Database& database_;
  const std::size_t queue_bytes_;
  std::mutex database_mutex_;  // guards the connection and its statements
  Statement insert_, select_, insert_row_, insert_text_;
  // The transaction that is open: the writing thread's own.
  std::size_t batch_bytes_ = 0;
  Clock::time_point batch_start_{};
  bool is_whole_ = true;  // nothing was inserted since rows were kept

  std::mutex mutex_;                     // guards what follows
  std::condition_variable work_, room_;  // for the writing thread, and for those who wait for it
  std::deque<Item> queue_;
  std::unordered_map<std::uint64_t, Record> waiting_;  // what is queued or being inserted
  std::size_t waiting_bytes_ = 0;
  bool is_row_whole_ = false, is_commit_wanted_ = false, is_stopped_ = false;
  Result<void> result_;
  std::thread thread_;
};

}  // namespace arete::tiles
