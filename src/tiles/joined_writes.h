// Few large writes instead of many small ones: what a bake's database file is written through.
#pragma once

namespace arete::tiles {

// The name of a VFS of SQLite's that joins neighbouring writes to a database up to 64 KiB. They reach the file before
// anything else is asked of it, a sync above all, so what a commit promises holds. For one process at a time: readers
// in other processes would see the file without the writes that wait. Null when SQLite has no VFS to build on.
const char* joined_writes_vfs();

}  // namespace arete::tiles
