// Routes over HTTP. The only file that names the HTTP library.
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "arete/serve.h"
#include "serve/routes.h"

namespace arete {
namespace {

// A browser keeps some connections open, and each holds a thread for as long.
constexpr std::size_t kThreads = 24;
constexpr int kIdle_s = 1;
constexpr int kStalled_s = 10;
constexpr std::size_t kMostRanges = 8;  // each may ask for the whole body
constexpr int kFirstPort = 8080;
constexpr int kPorts = 100;

bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "localhost" || host == "::1"; }

void send(serve::Reply reply, const httplib::Ranges& ranges, httplib::Response& response) {
  if (reply.status != 200) {
    response.status = reply.status;  // unset: 200, or 206 where the request asks for a range
  }
  response.set_header("Cache-Control", "no-cache");  // ask again, by ETag
  response.set_header("X-Content-Type-Options", "nosniff");
  if (!reply.etag.empty()) {
    response.set_header("ETag", reply.etag);
  }
  if (reply.parts.empty()) {
    if (reply.status != 304) {
      response.set_content(reply.text, reply.type);
    }
    return;
  }
  // The library holds ranges to a body's length, not to a provider's.
  if (!ranges.empty()) {
    for (const std::span<const std::byte> part : reply.parts) {
      reply.text.append(reinterpret_cast<const char*>(part.data()), part.size());
    }
    response.set_content(reply.text, reply.type);
    return;
  }
  std::size_t bytes = 0;
  for (const auto& part : reply.parts) {
    bytes += part.size();
  }
  const std::string type = reply.type;
  response.set_content_provider(
      bytes, type, [reply = std::move(reply)](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        for (std::span<const std::byte> part : reply.parts) {
          if (offset < part.size()) {
            part = part.subspan(offset, std::min(length, part.size() - offset));
            return sink.write(reinterpret_cast<const char*>(part.data()), part.size());
          }
          offset -= part.size();
        }
        return false;
      });
}

}  // namespace

struct TileServer::State {
  State(const TileStore& store, std::string store_json, std::string hash, const ServeOptions& options)
      : host(options.host),
        routes(store, std::move(store_json), std::move(hash), is_loopback(host) ? host : std::string()) {}

  void configure();
  Result<void> bind(std::optional<int> wanted);
  Result<void> run();

  std::string host;
  int port = 0;
  serve::Routes routes;
  httplib::Server server;
  std::atomic<bool> has_ended = false;
  std::thread thread;
};

void TileServer::State::configure() {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_keep_alive_timeout(kIdle_s);
  server.set_read_timeout(kStalled_s);
  server.set_write_timeout(kStalled_s);
  server.set_payload_max_length(0);
  server.set_tcp_nodelay(true);
  // The library's own options would share a port that is in use.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    const std::string asked = request.get_header_value("Host");
    const std::string known = request.get_header_value("If-None-Match");
    if (request.ranges.size() > kMostRanges) {
      response.status = 416;
      return httplib::Server::HandlerResponse::Handled;
    }
    send(routes.answer({request.method, request.path, asked, known}), request.ranges, response);
    if (response.status == 405) {
      response.set_header("Connection", "close");  // whatever was sent along stays unread
    }
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty() && response.status != 304) {
      response.set_content(fmt::format("the request is refused: status {}\n", response.status), "text/plain");
    }
  });
}

Result<void> TileServer::State::bind(std::optional<int> wanted) {
  if (host.empty()) {  // every address, to the system
    return usage_error("--host: expected an address such as 127.0.0.1, found ''");
  }
  if (wanted == 0) {
    port = server.bind_to_any_port(host);
    return port > 0 ? Result<void>()
                    : io_error(fmt::format("{}: cannot be listened at; name an address of this machine", host));
  }
  const int first = wanted.value_or(kFirstPort);
  const int last = wanted ? first : first + kPorts - 1;
  for (port = first; port <= last; ++port) {
    if (server.bind_to_port(host, port)) {
      return {};
    }
  }
  return io_error(wanted
                      ? fmt::format("{}:{}: cannot be listened at; the port may be in use: choose another by --port, "
                                    "or leave it out",
                                    host, first)
                      : fmt::format("{}: none of the ports {} to {} can be listened at; choose one by --port, or an "
                                    "address of this machine by --host",
                                    host, first, last));
}

Result<void> TileServer::State::run() {
  thread = std::thread([this] {
    server.listen_after_bind();
    has_ended = true;
  });
  while (!server.is_running() && !has_ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return has_ended ? io_error(fmt::format("{}:{}: cannot be listened at", host, port)) : Result<void>();
}

TileServer::TileServer() = default;

TileServer::~TileServer() {
  if (state_ && state_->thread.joinable()) {
    state_->server.stop();
    state_->thread.join();
  }
}

Result<std::unique_ptr<TileServer>> TileServer::start(const TileStore& store, const StoreStatistics& statistics,
                                                      std::string store_json, const ServeOptions& options) {
  std::unique_ptr<TileServer> server(new TileServer);
  server->state_ = std::make_unique<State>(store, std::move(store_json), statistics.content_hash, options);
  server->state_->configure();
  if (Result<void> bound = server->state_->bind(options.port); !bound) {
    return Unexpected{bound.error()};
  }
  if (Result<void> running = server->state_->run(); !running) {
    return Unexpected{running.error()};
  }
  return server;
}

int TileServer::port() const noexcept { return state_->port; }

std::string TileServer::address() const {
  const bool is_ipv6 = state_->host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}/", is_ipv6 ? "[" : "", state_->host, is_ipv6 ? "]" : "", state_->port);
}

}  // namespace arete
