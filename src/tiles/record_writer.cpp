// One thread keeps a transaction open and commits it by size: a kill loses at most that much work.
//
// The rollback journal is synced before the database is, so whole batches stand after a power failure too. Pages are
// appended to the file, so the journal holds little and each page is written once.
#include "tiles/record_writer.h"

namespace arete::tiles {
namespace {
constexpr std::size_t kBatchBytes = std::size_t(8) << 20;  // of blobs in one transaction
}

Result<std::unique_ptr<RecordWriter>> RecordWriter::start(Database& database, std::size_t queue_bytes) {
  std::unique_ptr<RecordWriter> writer(new RecordWriter(database, queue_bytes));
  auto insert = database.prepare(
      "INSERT OR REPLACE INTO pages(key, revision, checksum, digest, blob) VALUES(?1, ?2, ?3, ?4, ?5)");
  auto select = database.prepare("SELECT revision, checksum, digest, blob FROM pages WHERE key = ?1");
  if (!insert || !select) {
    return Unexpected{!insert ? insert.error() : select.error()};
  }
  writer->insert_ = *std::move(insert);
  writer->select_ = *std::move(select);
  writer->thread_ = std::thread([own = writer.get()] { own->write_all(); });
  return writer;
}

RecordWriter::~RecordWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void RecordWriter::write_all() {
  std::unique_lock lock(mutex_);
  while (result_) {
    changed_.wait(lock, [&] { return is_stopped_ || is_commit_wanted_ || !queue_.empty(); });
    if (is_stopped_) {
      return;
    }
    if (queue_.empty()) {
      lock.unlock();
      end_batch();
      lock.lock();
      is_commit_wanted_ = false;
    } else {
      const Record record = queue_.front();
      queue_.pop_front();
      lock.unlock();
      insert(*record);
      lock.lock();
      // Another record of the same page may have come meanwhile.
      if (const auto found = waiting_.find(record->key.packed()); found->second == record) {
        waiting_.erase(found);
      }
      waiting_bytes_ -= record->blob.size();
    }
    changed_.notify_all();
  }
}

void RecordWriter::insert(const PageRecord& record) {
  const std::lock_guard lock(database_mutex_);
  auto done = batch_bytes_ == 0 ? database_.execute("BEGIN") : Result<void>();
  batch_bytes_ += record.blob.size();
  if (done) {
    done = insert_.bind(1, std::int64_t(record.key.packed()))
               .bind(2, std::int64_t(record.revision))
               .bind(3, std::int64_t(record.checksum))
               .bind(4, std::int64_t(record.digest))
               .bind(5, std::span<const std::uint8_t>(record.blob))
               .run();
  }
  if (done && batch_bytes_ >= kBatchBytes) {
    batch_bytes_ = 0;
    done = database_.execute("COMMIT");
  }
  keep(done);
}

void RecordWriter::end_batch() {
  const std::lock_guard lock(database_mutex_);
  if (batch_bytes_ > 0) {
    batch_bytes_ = 0;
    keep(database_.execute("COMMIT"));
  }
}

// Before the database is free again: who misses a record because of a failure is told of the failure.
void RecordWriter::keep(const Result<void>& done) {
  if (!done) {
    const std::lock_guard lock(mutex_);
    result_ = result_ ? done : result_;
  }
}

Result<void> RecordWriter::put(PageRecord record) {
  auto shared = std::make_shared<const PageRecord>(std::move(record));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !result_ || waiting_bytes_ < queue_bytes_; });
  if (!result_) {
    return result_;
  }
  waiting_bytes_ += shared->blob.size();
  waiting_[shared->key.packed()] = shared;
  queue_.push_back(std::move(shared));
  changed_.notify_all();
  return {};
}

Result<std::optional<PageRecord>> RecordWriter::find(PageKey key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = waiting_.find(key.packed()); found != waiting_.end()) {
      return std::optional(*found->second);
    }
  }
  const std::lock_guard lock(database_mutex_);
  auto row = select_.bind(1, std::int64_t(key.packed())).step();
  if (!row) {
    return Unexpected{row.error()};
  }
  std::optional<PageRecord> record;
  if (*row) {
    const auto blob = select_.blob(3);
    record = {key,
              std::uint64_t(select_.integer(0)),
              std::uint64_t(select_.integer(1)),
              std::uint64_t(select_.integer(2)),
              {blob.begin(), blob.end()}};
  }
  select_.reset();
  const std::lock_guard result_lock(mutex_);
  return record || result_ ? Result<std::optional<PageRecord>>(std::move(record)) : Unexpected{result_.error()};
}

Result<void> RecordWriter::commit() {
  std::unique_lock lock(mutex_);
  is_commit_wanted_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !result_ || !is_commit_wanted_; });
  return result_;
}

}  // namespace arete::tiles
