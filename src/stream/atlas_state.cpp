// Placing, replacing and evicting pages; see atlas_state.h.
#include "stream/atlas_state.h"

namespace arete {

Atlas::State::State(const Lattice& its_lattice, std::uint32_t planes, int its_frames_in_flight)
    : lattice(its_lattice),
      frames_in_flight(its_frames_in_flight),
      pool(std::make_shared<stream::PlanePool>(planes)),
      table(planes),
      residents(planes),
      upload_of_slot(planes, kNone),
      retired(planes) {
  free_entries.reserve(planes);
  for (std::uint32_t index = planes; index-- > 0;) {
    free_entries.push_back(index);
  }
  uploads.reserve(planes);
}

std::size_t Atlas::State::bytes_per_plane() {
  return stream::PlanePool::bytes_per_plane() + sizeof(Resident) + 2 * sizeof(std::uint32_t) + sizeof(SlotUpload) +
         sizeof(Retired);
}

void Atlas::State::begin_update() noexcept {
  ++update;
  while (retired_count > 0 && retired[retired_first].update + std::uint64_t(frames_in_flight) < update) {
    retired_planes -= retired[retired_first].planes;
    retired[retired_first].page.reset();
    retired_first = (retired_first + 1) % retired.size();
    --retired_count;
  }
  pool->collect();
}

bool Atlas::State::has_parent(PageKey key) const noexcept {
  return key.lod + 1 >= lattice.lods() || find(stream::parent_key(key)) != kNone;
}

void Atlas::State::place(stream::PageBox* box, bool is_pinned) noexcept {
  const PageKey key = box->page.key;
  ARETE_ASSERT(has_parent(key) && find(key) == kNone);
  const std::uint32_t index = free_entries.back();
  free_entries.pop_back();
  table.insert(key, index);
  Resident& resident = residents[index];
  resident.slots = box->slots;
  resident.page = pool->share(box);
  resident.children = 0;
  resident.is_pinned = is_pinned;
  resident.is_stale = false;
  resident.used = update;
  if (!is_pinned) {
    link_newest(index);
  }
  add_uploads(resident);
  PageKey above = key;
  while (above.lod + 1 < lattice.lods()) {
    above = stream::parent_key(above);
    const std::uint32_t ancestor = find(above);
    if (above.lod == key.lod + 1) {
      ++residents[ancestor].children;
    }
    touch(ancestor);
  }
}

void Atlas::State::replace(std::uint32_t index, stream::PageBox* box) noexcept {
  Resident& resident = residents[index];
  ARETE_ASSERT(resident.page->key == box->page.key);
  retire(resident);
  resident.slots = box->slots;
  resident.page = pool->share(box);
  resident.is_stale = false;
  add_uploads(resident);
}

void Atlas::State::touch(std::uint32_t index) noexcept {
  Resident& resident = residents[index];
  resident.used = update;
  if (!resident.is_pinned && newest != index) {
    unlink(index);
    link_newest(index);
  }
}

bool Atlas::State::evict_oldest() noexcept {
  if (oldest == kNone || residents[oldest].used == update) {
    return false;
  }
  evict(oldest);
  return true;
}

int Atlas::State::evict_subtree(PageKey key) noexcept {
  const std::uint32_t index = find(key);
  if (index == kNone) {
    return 0;
  }
  int count = 0;
  for (std::uint32_t child = 0; child < 4 && residents[index].children > 0; ++child) {
    count += evict_subtree({std::uint8_t(key.lod - 1), 2 * key.x + child % 2, 2 * key.z + child / 2});
  }
  evict(index);
  return count + 1;
}

void Atlas::State::evict(std::uint32_t index) noexcept {
  Resident& resident = residents[index];
  const PageKey key = resident.page->key;
  ARETE_ASSERT(resident.children == 0 && !resident.is_pinned);
  unlink(index);
  table.erase(key);
  retire(resident);
  free_entries.push_back(index);
  ++evicted;
  if (key.lod + 1 < lattice.lods()) {
    --residents[find(stream::parent_key(key))].children;
  }
}

void Atlas::State::retire(Resident& resident) noexcept {
  drop_upload(resident.slots.subsample);
  drop_upload(resident.slots.max);
  if (frames_in_flight == 0) {
    resident.page.reset();
    pool->collect();
    return;
  }
  const std::uint32_t planes = resident.slots.max == resident.slots.subsample ? 1 : 2;
  retired[(retired_first + retired_count) % retired.size()] = {std::move(resident.page), update, planes};
  ++retired_count;
  retired_planes += planes;
}

void Atlas::State::link_newest(std::uint32_t index) noexcept {
  residents[index].newer = kNone;
  residents[index].older = newest;
  if (newest != kNone) {
    residents[newest].newer = index;
  } else {
    oldest = index;
  }
  newest = index;
}

void Atlas::State::unlink(std::uint32_t index) noexcept {
  const Resident& resident = residents[index];
  (resident.newer != kNone ? residents[resident.newer].older : newest) = resident.older;
  (resident.older != kNone ? residents[resident.older].newer : oldest) = resident.newer;
}

void Atlas::State::add_uploads(const Resident& resident) noexcept {
  const auto add = [&](std::uint32_t slot, HeightPlane plane) {
    upload_of_slot[slot] = std::uint32_t(uploads.size());
    uploads.push_back({slot, resident.page->key, plane, resident.page->plane(plane)});
  };
  add(resident.slots.subsample, HeightPlane::subsample);
  if (resident.slots.max != resident.slots.subsample) {
    add(resident.slots.max, HeightPlane::max);
  }
}

void Atlas::State::drop_upload(std::uint32_t slot) noexcept {
  const std::uint32_t index = upload_of_slot[slot];
  if (index == kNone) {
    return;
  }
  upload_of_slot[slot] = kNone;
  uploads[index] = uploads.back();
  uploads.pop_back();
  if (index < uploads.size()) {
    upload_of_slot[uploads[index].slot] = index;
  }
}

}  // namespace arete
