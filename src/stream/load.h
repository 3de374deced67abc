// One load: a record that a worker fills, handed over by one atomic stage.
//
// free -> queued -> running -> done, or queued -> cancelled -> dropped. The updating thread alone leaves free, done and
// dropped; a worker alone leaves running and cancelled; both try to leave queued, and one of them wins. The box belongs
// to the worker while running, and to the updating thread otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "arete/stream.h"
#include "stream/plane_pool.h"

namespace arete::stream {

class Load final : public Job {
 public:
  enum class Stage : int { free, queued, running, done, cancelled, dropped };

  Stage stage() const noexcept { return stage_.load(std::memory_order_acquire); }
  // Under way: from its start until its result is taken. A cancelled load is not.
  bool is_under_way() const noexcept {
    const Stage now = stage();
    return now == Stage::queued || now == Stage::running || now == Stage::done;
  }
  // The job may still be called.
  bool is_out() const noexcept {
    const Stage now = stage();
    return now == Stage::queued || now == Stage::running || now == Stage::cancelled;
  }

  // On a free record: ready to be submitted.
  void start(const PageLoader& loader, PageBox* box, bool is_reload) noexcept;
  void run() noexcept override;
  // True when the load will not run; the caller takes the box.
  bool cancel() noexcept;
  // After done or dropped.
  void set_free() noexcept { stage_.store(Stage::free, std::memory_order_relaxed); }

  PageKey key() const noexcept { return key_; }
  bool is_reload() const noexcept { return is_reload_; }
  PageBox* box() const noexcept { return box_; }
  // Of a done load: the revision that was read before it, in box()->page.revision too, and what went wrong.
  std::uint64_t revision() const noexcept { return revision_; }
  bool has_failed() const noexcept { return has_failed_; }
  std::string& message() noexcept { return message_; }

 private:
  std::atomic<Stage> stage_{Stage::free};
  PageKey key_;
  bool is_reload_ = false;
  bool has_failed_ = false;
  const PageLoader* loader_ = nullptr;
  PageBox* box_ = nullptr;
  std::uint64_t revision_ = 0;
  std::string message_;
};

// Loads one page into a box: its revision first, then its samples. Keeps the planes whole whatever the loader does to
// them; an exception of the loader becomes an error.
Result<void> load_page(const PageLoader& loader, PageKey key, PageBox& box) noexcept;

}  // namespace arete::stream
