// SQLite writes the pages of a transaction in the order of the file, one call a page. Most are neighbours: a batch of
// records is appended. Joined they cost the system a third.
//
// A write that fails when it is due is told by the next call, which belongs to the same transaction: a commit ends with
// a sync.
#include "tiles/joined_writes.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <new>

namespace arete::tiles {
namespace {

constexpr int kMostBytes = 1 << 16;

// SQLite hands room for this and, behind it, for the file of the VFS below.
struct JoinedFile {
  sqlite3_file base;  // first: what SQLite knows of it
  sqlite3_file* below;
  std::int64_t start;  // of the bytes that wait
  int waiting;
  std::array<unsigned char, kMostBytes>* bytes;
};

JoinedFile& of(sqlite3_file* file) { return *reinterpret_cast<JoinedFile*>(file); }
const sqlite3_io_methods& below_of(sqlite3_file* file) { return *of(file).below->pMethods; }

// Bytes that could not be written are dropped: their transaction is rolled back.
int write_waiting(sqlite3_file* file) {
  JoinedFile& joined = of(file);
  const int waiting = joined.waiting;
  joined.waiting = 0;
  return waiting == 0 ? SQLITE_OK : below_of(file).xWrite(joined.below, joined.bytes->data(), waiting, joined.start);
}

// Calls `method` of the file below with nothing left to be written.
template <class Method, class... Arguments>
int when_written(sqlite3_file* file, Method method, Arguments... arguments) {
  const int code = write_waiting(file);
  return code == SQLITE_OK ? (below_of(file).*method)(of(file).below, arguments...) : code;
}

int close_file(sqlite3_file* file) {
  const int written = write_waiting(file);
  delete of(file).bytes;
  const int closed = below_of(file).xClose(of(file).below);
  return written == SQLITE_OK ? closed : written;
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 start) {
  JoinedFile& joined = of(file);
  if (start != joined.start + joined.waiting || count > kMostBytes - joined.waiting) {
    if (const int code = write_waiting(file); code != SQLITE_OK) {
      return code;
    }
    joined.start = start;
  }
  if (count > kMostBytes) {
    return below_of(file).xWrite(joined.below, bytes, count, start);
  }
  std::memcpy(joined.bytes->data() + joined.waiting, bytes, std::size_t(count));
  joined.waiting += count;
  return SQLITE_OK;
}

using Methods = sqlite3_io_methods;

const Methods kMethods{
    .iVersion = 1,
    .xClose = close_file,
    .xRead = [](sqlite3_file* file, void* to, int count,
                sqlite3_int64 start) { return when_written(file, &Methods::xRead, to, count, start); },
    .xWrite = write_file,
    .xTruncate = [](sqlite3_file* file, sqlite3_int64 size) { return when_written(file, &Methods::xTruncate, size); },
    .xSync = [](sqlite3_file* file, int flags) { return when_written(file, &Methods::xSync, flags); },
    .xFileSize = [](sqlite3_file* file, sqlite3_int64* size) { return when_written(file, &Methods::xFileSize, size); },
    .xLock = [](sqlite3_file* file, int lock) { return when_written(file, &Methods::xLock, lock); },
    .xUnlock = [](sqlite3_file* file, int lock) { return when_written(file, &Methods::xUnlock, lock); },
    .xCheckReservedLock = [](sqlite3_file* file,
                             int* is_held) { return when_written(file, &Methods::xCheckReservedLock, is_held); },
    .xFileControl = [](sqlite3_file* file, int operation,
                       void* argument) { return when_written(file, &Methods::xFileControl, operation, argument); },
    .xSectorSize = [](sqlite3_file* file) { return below_of(file).xSectorSize(of(file).below); },
    .xDeviceCharacteristics = [](sqlite3_file* file) { return below_of(file).xDeviceCharacteristics(of(file).below); },
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

// Journals are opened as they are: they are small and synced at once.
int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
  auto* below = static_cast<sqlite3_vfs*>(vfs->pAppData);
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    return below->xOpen(below, name, file, flags, flags_out);
  }
  auto* bytes = new (std::nothrow) std::array<unsigned char, kMostBytes>;
  auto* joined = new (file) JoinedFile{{nullptr}, nullptr, 0, 0, bytes};
  if (bytes == nullptr) {
    return SQLITE_NOMEM;
  }
  joined->below = reinterpret_cast<sqlite3_file*>(joined + 1);
  joined->below->pMethods = nullptr;
  const int code = below->xOpen(below, name, joined->below, flags, flags_out);
  if (joined->below->pMethods != nullptr) {
    joined->base.pMethods = &kMethods;  // to be closed, even after a failure
  } else {
    delete bytes;
  }
  return code;
}

}  // namespace

const char* joined_writes_vfs() {
  static sqlite3_vfs joined;
  static const bool is_registered = [] {
    sqlite3_vfs* below = sqlite3_vfs_find(nullptr);
    if (below == nullptr) {
      return false;
    }
    joined = *below;
    joined.pNext = nullptr;
    joined.zName = "arete_joined_writes";
    joined.szOsFile = int(sizeof(JoinedFile)) + below->szOsFile;
    joined.pAppData = below;
    joined.xOpen = open_file;
    return sqlite3_vfs_register(&joined, 0) == SQLITE_OK;
  }();
  return is_registered ? joined.zName : nullptr;
}

}  // namespace arete::tiles
