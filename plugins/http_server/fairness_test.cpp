#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using testing::Client;
using testing::wait_until;

/// /wait blocks the loop until `go_on`. The first request for /second posts a job that takes down
/// how many of them the loop has handled by then.
class CountingHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    if (request.path == "/wait") {
      waits = true;
      go_on.wait(false);
    } else if (request.path == "/second" && ++seconds_ == 1) {
      responder.post([this] { before_the_job = seconds_; });
    }
    Response response;
    response.body = "done";
    responder.send(std::move(response));
  }
  std::optional<Response> refuse_early(const Request&) override { return std::nullopt; }
  Response describe(const Refusal&) override { return {}; }
  bool tick() override {
    const Server* const served = server;
    if (served != nullptr && served->connections() == 0) ++ticks_without_connections;
    return false;
  }

  std::atomic<bool> waits{false};
  std::atomic<bool> go_on{false};
  std::atomic<int> before_the_job{0};
  std::atomic<Server*> server{nullptr};
  std::atomic<int> ticks_without_connections{0};

 private:
  int seconds_ = 0;
};

TEST(Fairness, ManyConnectionsThatContinueLetOtherEventsBetweenThem) {
  testing::Threads threads;
  CountingHandler handler;
  ServerOptions options;
  options.listen = {{"127.0.0.1", 0}};
  options.limits = testing::patient_limits();
  Server server(threads.table(), nullptr, handler, options);
  ASSERT_EQ(server.start(), "");
  const std::uint16_t port = server.addresses().front().port;

  constexpr int kClients = 60;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(clients.back()->receive_until("done"), "");
  }
  Client blocking(port);
  blocking.send("GET /wait HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(wait_until([&] { return handler.waits.load(); }));
  for (const auto& client : clients) {
    client->send(
        "GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /second HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  }
  handler.go_on = true;
  handler.go_on.notify_all();
  for (const auto& client : clients) client->receive_all();
  ASSERT_TRUE(wait_until([&] { return handler.before_the_job > 0; }));
  EXPECT_LE(handler.before_the_job, 8);
}

TEST(Fairness, ManyIdleConnectionsAreCheckedInTurnsAndAllAreClosed) {
  testing::Threads threads;
  CountingHandler handler;
  ServerOptions options;
  options.listen = {{"127.0.0.1", 0}};
  options.limits = testing::patient_limits();
  options.limits.idle_time = std::chrono::milliseconds(200);
  Server server(threads.table(), nullptr, handler, options);
  ASSERT_EQ(server.start(), "");
  handler.server = &server;

  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<Client>(server.addresses().front().port));
  }
  for (const auto& client : clients) EXPECT_TRUE(client->is_closed_by_server());
  EXPECT_TRUE(wait_until([&] { return handler.ticks_without_connections > 0; }))
      << "the handler has its tick after the last connection too";
  handler.server = nullptr;
}

}  // namespace
}  // namespace quarry::http_server
