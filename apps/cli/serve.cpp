// arete serve: a store for this machine's browsers, until it is interrupted.
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "arete/serve.h"
#include "arguments.h"
#include "info_json.h"

namespace arete::cli {

int run_serve(const ServeArguments& arguments, const Globals& globals) {
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  const Result<StoreStatistics> statistics = (*store)->statistics();
  if (!statistics) {
    return fail(statistics.error());
  }
  // Threads inherit the mask, so an interrupt comes to sigwait() alone.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Result<std::unique_ptr<TileServer>> server = TileServer::start(
      **store, *statistics, store_json(**store, *statistics).dump(2, ' ', false, Json::error_handler_t::replace),
      {.host = arguments.host, .port = arguments.port});
  if (!server) {
    return fail(server.error());
  }
  if (globals.json) {
    Json document;
    document["store"] = arguments.store;
    document["address"] = (*server)->address();
    document["port"] = (*server)->port();
    print_json(document);
  } else {
    print_text(globals, fmt::format("{} at {}\n  open it in a browser; interrupt ends it\n", arguments.store,
                                    (*server)->address()));
  }
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return kDone;
}

}  // namespace arete::cli
