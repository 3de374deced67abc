// Page records on their way into the database: queued by the threads that make them, inserted in batches by one thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "tiles/database.h"
#include "tiles/page_record.h"

namespace arete::tiles {

// put() and find() are thread-safe. The database is the writer's while it lives, but for those who hold its lock.
class RecordWriter {
 public:
  // At most `queue_bytes` of blobs wait to be written. The database must outlive the writer.
  static Result<std::unique_ptr<RecordWriter>> start(Database& database, std::size_t queue_bytes);
  // Drops what is not committed, as a kill would.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Queues a record, when there is room for it. Hands on what went wrong with earlier ones.
  Result<void> put(PageRecord record);
  // A record that was put or stood in the database before.
  Result<std::optional<PageRecord>> find(PageKey key);
  // Waits until everything that was put is committed.
  Result<void> commit();

 private:
  RecordWriter(Database& database, std::size_t queue_bytes) : database_(database), queue_bytes_(queue_bytes) {}
  void write_all();
  void insert(const PageRecord& record);
  void end_batch();
  void keep(const Result<void>& done);

  using Record = std::shared_ptr<const PageRecord>;
  Database& database_;
  const std::size_t queue_bytes_;
  std::mutex database_mutex_;  // guards the connection and its statements
  Statement insert_, select_;
  std::size_t batch_bytes_ = 0;  // inserted since the last commit; the writing thread's own

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Record> queue_;
  std::unordered_map<std::uint64_t, Record> waiting_;  // what is queued or being inserted
  std::size_t waiting_bytes_ = 0;
  bool is_commit_wanted_ = false, is_stopped_ = false;
  Result<void> result_;
  std::thread thread_;
};

}  // namespace arete::tiles
