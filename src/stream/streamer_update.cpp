// One update, step by step: what is wanted, what has arrived, what to ask for.
//
// Nothing here blocks or allocates: lists have their full room from the start, results are looked at through one atomic
// each, and asking is a push to the job system. Order is by urgency, lod and record alone, so equal inputs give equal
// residency (property/stream_test).
#include <algorithm>
#include <cmath>

#include "stream/streamer_state.h"

namespace arete {

using stream::Load;
using stream::PageTable;
using stream::WantedPage;

void Streamer::State::update(std::span<const Viewpoint> cameras, double time_s) noexcept {
  passed_s = stats.updates > 0 ? std::max(0.0, time_s - now_s) : 0.0;
  now_s = std::max(now_s, time_s);
  failure_count = 0;
  pages.begin_update();
  choose(cameras);
  mark_used();
  notice_edits();
  take_results();
  swap_edited();
  cancel_unwanted();
  ask_for_edited();
  ask_for_wanted();
  ++stats.updates;
  count();
}

const stream::Motion& Streamer::State::follow(std::size_t camera, const Viewpoint& at) noexcept {
  static constexpr stream::Motion kStill{};
  if (camera >= tracks.size()) {
    return kStill;
  }
  Track& track = tracks[camera];
  if (passed_s > 0 || !track.is_known) {
    const double per_s = track.is_known ? 1 / passed_s : 0;
    track.motion = {(at.x_m - track.x_m) * per_s, (at.y_m - track.y_m) * per_s, (at.z_m - track.z_m) * per_s};
    const double speed = std::hypot(track.motion.x_m_s, track.motion.y_m_s, track.motion.z_m_s);
    if (!(speed <= options.teleport_m_s)) {
      track.motion = {};
    }
    track.x_m = at.x_m;
    track.y_m = at.y_m;
    track.z_m = at.z_m;
    track.is_known = true;
  }
  return track.motion;
}

void Streamer::State::choose(std::span<const Viewpoint> cameras) noexcept {
  wanted.start();
  for (std::size_t camera = 0; camera < cameras.size(); ++camera) {
    wanted.add(cameras[camera], follow(camera, cameras[camera]), options.lookahead_s);
  }
  wanted.finish();
}

// Parents come before their children, so marking the list as used from its end keeps parents before their children in
// the order of use.
void Streamer::State::mark_used() noexcept {
  const std::span<WantedPage> list = wanted.pages();
  for (std::size_t i = list.size(); i-- > 0;) {
    list[i].resident = pages.find(list[i].key);
    if (list[i].resident != PageTable::kAbsent) {
      pages.touch(list[i].resident);
    }
  }
}

// After an edit the resident pages that it touches are read again and replaced in one update, together: pages before
// and after it never stand side by side. Until then nothing else is placed.
void Streamer::State::notice_edits() noexcept {
  const std::uint64_t latest = loader.epoch();
  if (latest == epoch) {
    return;
  }
  epoch = latest;
  for (Atlas::State::Resident& resident : pages.residents) {
    if (resident.page) {
      resident.is_stale = loader.revision(resident.page->key) != resident.page->revision;
    }
  }
  count_stale();
  while (stale > loads.size() && give_up_edited()) {
  }
}

void Streamer::State::count_stale() noexcept {
  stale = std::uint32_t(std::count_if(pages.residents.begin(), pages.residents.end(),
                                      [](const auto& resident) { return resident.page && resident.is_stale; }));
}

bool Streamer::State::give_up_edited() noexcept {
  const Atlas::State::Resident* finest = nullptr;
  for (const Atlas::State::Resident& resident : pages.residents) {
    if (resident.page && resident.is_stale && !resident.is_pinned &&
        (finest == nullptr || resident.page->key.packed() < finest->page->key.packed())) {
      finest = &resident;
    }
  }
  if (finest == nullptr) {
    return false;
  }
  evict_wanted(finest->page->key);
  return true;
}

void Streamer::State::evict_wanted(PageKey key) noexcept {
  pages.evict_subtree(key);
  count_stale();
  for (WantedPage& page : wanted.pages()) {
    page.resident = pages.find(page.key);
  }
}

void Streamer::State::take_results() noexcept {
  order.clear();
  for (std::uint32_t index = 0; index < loads.size(); ++index) {
    const Load::Stage stage = loads[index].stage();
    if (stage == Load::Stage::dropped) {
      loads[index].set_free();
      free_loads.push_back(index);
    } else if (stage == Load::Stage::done) {
      order.push_back(index);
    }
  }
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const int lod_a = loads[a].key().lod, lod_b = loads[b].key().lod;
    return lod_a != lod_b ? lod_a > lod_b : a < b;
  });
  for (const std::uint32_t index : order) {
    take_result(index);
  }
}

void Streamer::State::take_result(std::uint32_t index) noexcept {
  Load& load = loads[index];
  const PageKey key = load.key();
  const std::uint32_t resident = pages.find(key);
  // An edit came after its start, or one waits to be shown whole.
  const bool is_overtaken = load.revision() != loader.revision(key) || (stale > 0 && !load.is_reload());
  if (load.has_failed()) {
    report(load);
    if (load.is_reload() && resident != PageTable::kAbsent && !pages.residents[resident].is_pinned) {
      evict_wanted(key);
    }
  }
  if (load.has_failed() || is_overtaken) {
    discard(index);
    return;
  }
  if (load.is_reload()) {
    if (resident == PageTable::kAbsent || !pages.residents[resident].is_stale) {
      discard(index);
    }
    return;
  }
  if (pages.has_parent(key)) {
    stream::PageBox* box = load.box();
    finish(index);
    retries.add_success(key);
    count_placed(*box);
    pages.place(box, key.lod >= plan.pinned_lod);
    if (WantedPage* page = wanted.find(key)) {
      page->resident = pages.find(key);
    }
  } else if (wanted.find(key) == nullptr || !is_loading(stream::parent_key(key))) {
    discard(index);
  }
}

void Streamer::State::swap_edited() noexcept {
  if (stale == 0) {
    return;
  }
  const auto is_ready = [](const Load& load) { return load.stage() == Load::Stage::done && load.is_reload(); };
  if (std::uint32_t(std::count_if(loads.begin(), loads.end(), is_ready)) < stale) {
    return;
  }
  for (std::uint32_t index = 0; index < loads.size(); ++index) {
    if (is_ready(loads[index])) {
      stream::PageBox* box = loads[index].box();
      finish(index);
      retries.add_success(box->page.key);
      count_placed(*box);
      pages.replace(pages.find(box->page.key), box);
    }
  }
  stale = 0;
}

void Streamer::State::cancel_unwanted() noexcept {
  loads_ahead = 0;
  for (Load& load : loads) {
    if (!load.is_under_way()) {
      continue;
    }
    const WantedPage* page = wanted.find(load.key());
    const bool is_useful = load.is_reload() || (stale == 0 && page != nullptr);
    if (!is_useful && load.cancel()) {
      pages.pool->give_back(load.box());
      loading.erase(load.key());
      ++stats.cancelled;
    } else if (page != nullptr && page->urgency < stream::kNow) {
      ++loads_ahead;
    }
  }
}

void Streamer::State::ask_for_edited() noexcept {
  if (stale == 0) {
    return;
  }
  for (std::uint32_t index = 0; index < pages.residents.size(); ++index) {
    const Atlas::State::Resident& resident = pages.residents[index];
    if (!resident.page || !resident.is_stale || free_loads.empty()) {
      continue;
    }
    const PageKey key = resident.page->key;
    if (is_loading(key) || !retries.may_load(key, now_s)) {
      continue;
    }
    const std::uint32_t needed = planes_of(key);
    while (pages.coming_planes() < needed && pages.evict_oldest()) {
    }
    while (pages.coming_planes() < needed && give_up_edited()) {
    }
    if (resident.page && resident.page->key == key) {
      submit(key, true);
    }
  }
  count_stale();
}

void Streamer::State::ask_for_wanted() noexcept {
  if (stale > 0) {
    return;
  }
  // At most half of the loads are for later, so that what is needed at once finds room.
  std::size_t room_ahead = loads.size() / 2 - std::min<std::size_t>(loads.size() / 2, loads_ahead);
  std::uint32_t needed = 0;
  asked.clear();
  for (WantedPage& page : wanted.pages()) {
    const bool is_ahead = page.urgency < stream::kNow;
    if (asked.size() == free_loads.size() || (is_ahead && room_ahead == 0)) {
      break;
    }
    page.is_coming = page.resident != PageTable::kAbsent || is_loading(page.key);
    // A child whose parent waits after a failure would only hold planes.
    if (page.is_coming || !retries.may_load(page.key, now_s) || !wanted.parent(page).is_coming) {
      continue;
    }
    page.is_coming = true;
    asked.push_back(page.key);
    needed += planes_of(page.key);
    room_ahead -= is_ahead ? 1 : 0;
  }
  while (pages.coming_planes() < needed && pages.evict_oldest()) {
  }
  for (const PageKey key : asked) {
    if (!submit(key, false)) {
      break;
    }
  }
}

bool Streamer::State::submit(PageKey key, bool is_reload) noexcept {
  stream::PageBox* box = free_loads.empty() ? nullptr : pages.pool->take(key, planes_of(key) == 2);
  if (box == nullptr) {
    return false;
  }
  const std::uint32_t index = free_loads.back();
  free_loads.pop_back();
  loading.insert(key, index);
  loads[index].start(loader, box, is_reload);
  ++stats.issued;
  jobs->submit(loads[index]);
  return true;
}

void Streamer::State::finish(std::uint32_t index) noexcept {
  loading.erase(loads[index].key());
  loads[index].set_free();
  free_loads.push_back(index);
}

void Streamer::State::discard(std::uint32_t index) noexcept {
  stream::PageBox* box = loads[index].box();
  stats.discarded += loads[index].has_failed() ? 0 : 1;
  finish(index);
  pages.pool->give_back(box);
}

void Streamer::State::count_placed(const stream::PageBox& box) noexcept {
  ++stats.placed;
  stats.placed_bytes += std::int64_t(kPlaneSamples * sizeof(std::uint16_t)) * (box.has_two_planes() ? 2 : 1);
}

void Streamer::State::report(Load& load) noexcept {
  const stream::Retries::Retry& retry = retries.add_failure(load.key(), now_s);
  ++stats.failed;
  if (failure_count < failures.size()) {
    LoadFailure& failure = failures[failure_count++];
    failure.key = load.key();
    failure.attempts = retry.attempts;
    failure.retry_at_s = retry.at_s;
    failure.message.swap(load.message());
  }
}

void Streamer::State::count() noexcept {
  stats.refused_pages = stats.wanted_pages = stats.missing_pages = wanted.refused();
  stats.ahead_pages = 0;
  for (const WantedPage& page : wanted.pages()) {
    const bool is_now = page.urgency >= stream::kNow;
    stats.wanted_pages += is_now ? 1 : 0;
    stats.ahead_pages += is_now ? 0 : 1;
    stats.missing_pages += is_now && page.resident == PageTable::kAbsent ? 1 : 0;
  }
  std::int64_t running = 0, under_way = 0;
  for (const Load& load : loads) {
    running += load.stage() == Load::Stage::running ? 1 : 0;
    under_way += load.is_under_way() ? 1 : 0;
  }
  stats.loads = under_way;
  stats.resident_pages = atlas.page_count();
  stats.stale_pages = stale;
  stats.evicted = std::int64_t(pages.evicted);
  stats.used_bytes = (pages.pool->plane_count() - pages.free_planes()) * kPlaneSamples * sizeof(std::uint16_t);
  stats.held_bytes = plan.fixed_bytes + std::size_t(running) * loader.scratch_bytes();
}

}  // namespace arete
