// Running a load; see load.h.
#include "stream/load.h"

#include <exception>

namespace arete::stream {
namespace {

Result<void> load_checked(const PageLoader& loader, PageKey key, PageBox& box) {
  Page& page = box.page;
  box.size_planes();
  const std::size_t max_samples = page.max.size();
  page.key = key;
  const std::uint64_t revision = loader.revision(key);
  Result<void> result = loader.load(page);
  if (result && (!(page.key == key) || page.subsample.size() != kPlaneSamples || page.max.size() != max_samples)) {
    result = data_error(describe(key) + ": expected " + std::to_string(kPlaneSamples) + " and " +
                        std::to_string(max_samples) + " samples, the loader left " + describe(page.key) + " with " +
                        std::to_string(page.subsample.size()) + " and " + std::to_string(page.max.size()) +
                        "; mend the loader");
  }
  page.key = key;
  page.revision = revision;
  box.size_planes();
  return result;
}

}  // namespace

Result<void> load_page(const PageLoader& loader, PageKey key, PageBox& box) noexcept {
  try {
    return load_checked(loader, key, box);
  } catch (const std::exception& exception) {
    return io_error(describe(key) + ": the loader threw: " + exception.what());
  } catch (...) {
    return io_error(describe(key) + ": the loader threw");
  }
}

void Load::start(const PageLoader& loader, PageBox* box, bool is_reload) noexcept {
  loader_ = &loader;
  box_ = box;
  key_ = box->page.key;
  is_reload_ = is_reload;
  has_failed_ = false;
  stage_.store(Stage::queued, std::memory_order_release);
}

void Load::run() noexcept {
  Stage expected = Stage::queued;
  if (!stage_.compare_exchange_strong(expected, Stage::running, std::memory_order_acq_rel)) {
    stage_.store(Stage::dropped, std::memory_order_release);
    return;
  }
  const Result<void> result = load_page(*loader_, key_, *box_);
  revision_ = box_->page.revision;
  has_failed_ = !result;
  if (!result) {
    message_ = result.error().message;
  }
  stage_.store(Stage::done, std::memory_order_release);
}

bool Load::cancel() noexcept {
  Stage expected = Stage::queued;
  return stage_.compare_exchange_strong(expected, Stage::cancelled, std::memory_order_acq_rel);
}

}  // namespace arete::stream
