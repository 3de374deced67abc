// The server over real connections: what a browser sees, and what it must not take down.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "arete/serve.h"
#include "serve_fixture.h"

namespace arete {
namespace {

class ServerTest : public test::StoreTest {
 protected:
  std::unique_ptr<TileServer> serve(const ServeOptions& options = {.port = 0}) const {
    auto server = TileServer::start(*store, statistics, R"({"kind": "store"})", options);
    EXPECT_TRUE(server) << server.error().message;
    return server ? *std::move(server) : nullptr;
  }
};

// What comes back for bytes as they stand, until the server hangs up; nothing where the client does.
std::string raw_answer(int port, const std::string& request, bool waits = true) {
  const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::uint16_t(port));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  std::string text;
  if (::connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    EXPECT_GE(::send(peer, request.data(), request.size(), MSG_NOSIGNAL), 0);
    char buffer[4096];
    for (ssize_t read = 0; waits && (read = ::recv(peer, buffer, sizeof buffer, 0)) > 0;) {
      text.append(buffer, std::size_t(read));
    }
  }
  ::close(peer);
  return text;
}

TEST_F(ServerTest, ServesPagesWithTheirTags) {
  const auto server = serve();
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->address(), "http://127.0.0.1:" + std::to_string(server->port()) + "/");
  httplib::Client client("127.0.0.1", server->port());
  const auto first = client.Get("/pages/1/0/0");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(first->body.size(), 4 * kPlaneSamples);
  const auto page = store->page({1, 0, 0});
  ASSERT_TRUE(page);
  EXPECT_EQ(std::memcmp(first->body.data(), (*page)->subsample.data(), 2 * kPlaneSamples), 0);
  EXPECT_EQ(std::memcmp(first->body.data() + 2 * kPlaneSamples, (*page)->max.data(), 2 * kPlaneSamples), 0);
  const std::string tag = first->get_header_value("ETag");
  EXPECT_EQ(tag, '"' + statistics.content_hash + '-' + std::to_string((*page)->revision) + '"');
  EXPECT_EQ(first->get_header_value("Cache-Control"), "no-cache");
  const auto second = client.Get("/pages/1/0/0", {{"If-None-Match", tag}});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 304);
  EXPECT_TRUE(second->body.empty());
  const auto head = client.Head("/pages/1/0/0");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->get_header_value("Content-Length"), std::to_string(4 * kPlaneSamples));
}

TEST_F(ServerTest, ManyRangesDoNotMultiplyABody) {
  const auto server = serve();
  ASSERT_NE(server, nullptr);
  httplib::Client client("127.0.0.1", server->port());
  const std::size_t whole = client.Get("/pages/0/0/0")->body.size();
  std::string ranges = "bytes=0-";
  for (int i = 0; i < 1000; ++i) {
    ranges += ",0-";
  }
  const auto refused = client.Get("/pages/0/0/0", {{"Range", ranges}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 416);
  EXPECT_LT(refused->body.size(), 10 * whole);
  EXPECT_EQ(client.Get("/pages/0/0/0", {{"Range", "bytes=0-9,20-29"}})->status, 206);
}

TEST_F(ServerTest, SendsARangeAsAPart) {
  const auto server = serve();
  ASSERT_NE(server, nullptr);
  httplib::Client client("127.0.0.1", server->port());
  const auto whole = client.Get("/pages/0/0/0");
  const auto part = client.Get("/pages/0/0/0", {{"Range", "bytes=10-29"}});
  ASSERT_TRUE(whole && part);
  EXPECT_EQ(whole->status, 200);
  EXPECT_EQ(part->status, 206);
  EXPECT_EQ(part->body, whole->body.substr(10, 20));
  for (const char* path : {"/pages/0/0/0", "/bounds", "/store.json"}) {
    const auto beyond = client.Get(path, {{"Range", "bytes=99999999-"}});
    ASSERT_TRUE(beyond) << path;
    EXPECT_EQ(beyond->status, 416) << path;
    EXPECT_EQ(client.Get(path, {{"Range", "bytes=1-99999999"}})->body, client.Get(path)->body.substr(1)) << path;
  }
}

TEST_F(ServerTest, RefusesBadRequestsAndGoesOn) {
  const auto server = serve();
  ASSERT_NE(server, nullptr);
  const std::string end = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  const std::pair<std::string, int> requests[] = {
      {"GET /pages/../../etc/passwd" + end, 400},
      {"GET /%2e%2e/%2e%2e/etc/passwd" + end, 404},
      {"GET /pages/0/0/%00" + end, 400},
      {"GET /" + std::string(9000, 'x') + end, 414},
      {"GET /pages/1/0/0 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403},
      {"POST /pages/1/0/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999999\r\n\r\nsome", 405},
      {"nonsense\r\n\r\n", 400},
      {"GET /pages/9/9/9" + end, 404}};
  for (const auto& [request, status] : requests) {
    const std::string answer = raw_answer(server->port(), request);
    EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 " + std::to_string(status)) << request.substr(0, 60) << "\n" << answer;
    const std::size_t body = answer.find("\r\n\r\n");
    ASSERT_NE(body, std::string::npos);
    EXPECT_EQ(std::count(answer.begin() + std::ptrdiff_t(body) + 4, answer.end(), '\n'), 1) << answer;
  }
  for (const std::string& request : {std::string(), std::string(100000, '\xff'), "GET /pages/1/0/0" + end}) {
    raw_answer(server->port(), request, false);
  }
  httplib::Client client("127.0.0.1", server->port());
  const auto after = client.Get("/store.json");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->body, R"({"kind": "store"})");
}

TEST_F(ServerTest, AnswersManyAtOnce) {
  const auto server = serve();
  ASSERT_NE(server, nullptr);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      httplib::Client client("127.0.0.1", server->port());
      client.set_keep_alive(true);
      for (std::uint32_t i = 0; i < 24; ++i) {
        const std::uint32_t x = (thread + i) % 6, z = i % 4;
        const auto reply = client.Get("/pages/0/" + std::to_string(x) + '/' + std::to_string(z));
        const auto page = store->page({0, x, z});
        right += reply && reply->status == 200 && page && reply->body.size() == 2 * kPlaneSamples &&
                         std::memcmp(reply->body.data(), (*page)->subsample.data(), reply->body.size()) == 0
                     ? 1
                     : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8 * 24);
}

TEST_F(ServerTest, TakesTheNextFreePortAndRefusesATakenOne) {
  const auto first = serve();
  ASSERT_NE(first, nullptr);
  const auto refused = TileServer::start(*store, statistics, "{}", {.port = first->port()});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(std::to_string(first->port())), std::string::npos) << refused.error().message;
  const auto second = serve({.port = std::nullopt});
  const auto third = serve({.port = std::nullopt});
  ASSERT_TRUE(second && third);
  EXPECT_GE(second->port(), 8080);
  EXPECT_GT(third->port(), second->port());
  EXPECT_FALSE(TileServer::start(*store, statistics, "{}", {.host = "192.0.2.1", .port = 0}));
}

TEST_F(ServerTest, EndsWhileAConnectionIsOpen) {
  auto server = serve();
  ASSERT_NE(server, nullptr);
  httplib::Client client("127.0.0.1", server->port());
  client.set_keep_alive(true);
  ASSERT_TRUE(client.Get("/store.json"));
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(6));
}

}  // namespace
}  // namespace arete
