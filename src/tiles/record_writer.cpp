// One thread keeps a transaction open and commits it by size and age where rows are kept: a kill loses at most that
// much work and a row.
//
// The rollback journal is synced before the database is, so whole batches stand after a power failure too. Pages are
// appended to the file, so the journal holds little and each page is written once.
#include "tiles/record_writer.h"

namespace arete::tiles {
namespace {
constexpr std::size_t kBatchBytes = std::size_t(8) << 20;  // of blobs in one transaction
constexpr std::chrono::milliseconds kBatchAge(250);
}  // namespace

Result<std::unique_ptr<RecordWriter>> RecordWriter::start(Database& database, std::size_t queue_bytes) {
  std::unique_ptr<RecordWriter> writer(new RecordWriter(database, queue_bytes));
  auto insert = database.prepare(
      "INSERT OR REPLACE INTO pages(key, revision, checksum, digest, blob) VALUES(?1, ?2, ?3, ?4, ?5)");
  auto select = database.prepare("SELECT revision, checksum, digest, blob FROM pages WHERE key = ?1");
  if (!insert || !select) {
    return Unexpected{!insert ? insert.error() : select.error()};
  }
  auto insert_row = database.prepare("INSERT OR REPLACE INTO progress(row, nodes) VALUES(?1, ?2)");
  auto insert_text = database.prepare("INSERT OR REPLACE INTO metadata(name, value) VALUES(?1, ?2)");
  if (!insert_row || !insert_text) {
    return Unexpected{!insert_row ? insert_row.error() : insert_text.error()};
  }
  writer->insert_ = *std::move(insert);
  writer->select_ = *std::move(select);
  writer->insert_row_ = *std::move(insert_row);
  writer->insert_text_ = *std::move(insert_text);
  writer->thread_ = std::thread([own = writer.get()] { own->write_all(); });
  return writer;
}

RecordWriter::~RecordWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  work_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

// Wakes for a whole row or for many records, so that threads which make pages need not wake it for each.
void RecordWriter::write_all() {
  std::unique_lock lock(mutex_);
  while (result_) {
    work_.wait_for(lock, kBatchAge, [&] {
      return is_stopped_ || is_commit_wanted_ || is_row_whole_ || waiting_bytes_ >= queue_bytes_ / 4;
    });
    if (!is_stopped_ && !queue_.empty()) {
      write_queued(lock);
      continue;
    }
    const bool is_due = is_whole_ || is_commit_wanted_;
    lock.unlock();
    commit_if(is_due);
    lock.lock();
    is_commit_wanted_ = false;
    room_.notify_all();
    if (is_stopped_) {
      return;
    }
  }
  room_.notify_all();
}

// Writes what is in the queue, and what comes meanwhile; the lock is held when it returns.
void RecordWriter::write_queued(std::unique_lock<std::mutex>& lock) {
  while (!queue_.empty() && !is_stopped_ && result_) {
    const Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    write(item);
    lock.lock();
    if (!item.record) {
      continue;
    }
    // Another record of the same page may have come meanwhile.
    if (const auto found = waiting_.find(item.record->key.packed()); found->second == item.record) {
      waiting_.erase(found);
    }
    const bool was_full = waiting_bytes_ >= queue_bytes_;
    waiting_bytes_ -= item.record->blob.size();
    if (was_full) {
      room_.notify_all();
    }
  }
  is_row_whole_ = false;
}

void RecordWriter::write(const Item& item) {
  const std::lock_guard lock(database_mutex_);
  Result<void> done;
  if (batch_bytes_ == 0) {
    done = database_.execute("BEGIN");
    batch_start_ = Clock::now();
  }
  is_whole_ = item.kept != nullptr;
  batch_bytes_ += is_whole_ ? 1 : item.record->blob.size();
  if (done) {
    done = is_whole_ ? insert(*item.kept) : insert(*item.record);
  }
  if (done && is_whole_ && (batch_bytes_ >= kBatchBytes || Clock::now() - batch_start_ >= kBatchAge)) {
    batch_bytes_ = 0;
    done = database_.execute("COMMIT");
  }
  report(done);
}

Result<void> RecordWriter::insert(const PageRecord& record) {
  return insert_.bind(1, std::int64_t(record.key.packed()))
      .bind(2, std::int64_t(record.revision))
      .bind(3, std::int64_t(record.checksum))
      .bind(4, std::int64_t(record.digest))
      .bind(5, std::span<const std::uint8_t>(record.blob))
      .run();
}

Result<void> RecordWriter::insert(const Kept& kept) {
  for (const BuiltRow& row : kept.rows) {
    const std::int64_t key = std::int64_t(row.lod) << 32 | row.z;
    if (auto done = insert_row_.bind(1, key).bind(2, std::span(row.nodes)).run(); !done) {
      return done;
    }
  }
  for (const auto& [name, text] : kept.texts) {
    if (auto done = insert_text_.bind(1, std::string_view(name)).bind(2, std::string_view(text)).run(); !done) {
      return done;
    }
  }
  return {};
}

void RecordWriter::commit_if(bool is_due) {
  const std::lock_guard lock(database_mutex_);
  if (batch_bytes_ > 0 && is_due) {
    batch_bytes_ = 0;
    report(database_.execute("COMMIT"));
  }
}

// Before the database is free again: who misses a record because of a failure is told of the failure.
void RecordWriter::report(const Result<void>& done) {
  if (!done) {
    const std::lock_guard lock(mutex_);
    result_ = result_ ? done : result_;
  }
}

Result<void> RecordWriter::queue(Item item, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return !result_ || waiting_bytes_ < queue_bytes_; });
  if (!result_) {
    return result_;
  }
  waiting_bytes_ += bytes;
  if (item.record) {
    waiting_[item.record->key.packed()] = item.record;
  }
  is_row_whole_ = is_row_whole_ || item.kept;
  queue_.push_back(std::move(item));
  if (is_row_whole_ || waiting_bytes_ >= queue_bytes_ / 4) {
    work_.notify_one();
  }
  return {};
}

Result<void> RecordWriter::put(PageRecord record) {
  const std::size_t bytes = record.blob.size();
  return queue({std::make_shared<const PageRecord>(std::move(record)), nullptr}, bytes);
}

Result<void> RecordWriter::keep(std::vector<BuiltRow> rows, Metadata texts) {
  return queue({nullptr, std::make_shared<const Kept>(Kept{std::move(rows), std::move(texts)})}, 0);
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
  work_.notify_one();
  room_.wait(lock, [&] { return !result_ || !is_commit_wanted_; });
  return result_;
}

}  // namespace arete::tiles
