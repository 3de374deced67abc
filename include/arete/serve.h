// A store over HTTP, for this machine's browsers: a viewer that flies over it, and its pages for programs
// (docs/web.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arete/tiles.h"

namespace arete {

struct ServeOptions {
  // The address to listen at. On another than the loopback's, anyone who reaches this machine can read the store.
  std::string host = "127.0.0.1";
  // 0: any free one. Unset: 8080, or the next free one of the hundred from there on.
  std::optional<int> port;
};

// Answers requests from threads of its own, a few at a time, until it is destroyed; what it holds does not grow with
// what is asked. The store is read alone, must outlive the server, and may be used by others meanwhile.
class TileServer {
 public:
  // `statistics` are the store's; `store_json` is what /store.json answers: the document of `arete info --json`.
  // Errors: the address cannot be listened at (io), or is none (usage).
  static Result<std::unique_ptr<TileServer>> start(const TileStore& store, const StoreStatistics& statistics,
                                                   std::string store_json, const ServeOptions& options = {});
  ~TileServer();
  TileServer(const TileServer&) = delete;
  TileServer& operator=(const TileServer&) = delete;

  int port() const noexcept;
  // "http://127.0.0.1:8080/"
  std::string address() const;

 private:
  TileServer();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete
