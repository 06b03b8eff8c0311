#include "http_server/testing/server_fixture.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using std::chrono::milliseconds;
using testing::Client;
using testing::get;
using testing::with_json;
using ServerLimits = testing::ServerFixture;

TEST_F(ServerLimits, LetsAClientFinishSendingWhatItRefused) {
  options_.limits.body_bytes = 1000;
  options_.limits.linger_time = std::chrono::hours(1);
  start();
  Client client(port());
  const std::string body(8 << 20, 'x');
  EXPECT_TRUE(client.send(with_json("POST", "/x", body)));
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_EQ(handler_.handled, 0);
}

TEST_F(ServerLimits, RefusesAHeaderThatDoesNotEnd) {
  start();
  Client client(port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(20'000, 'x'));
  EXPECT_EQ(client.receive().status, 431);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerLimits, GivesUpOnASlowHeader) {
  options_.limits.header_time = milliseconds(200);
  start();
  Client client(port());
  client.send("GET / HT");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerLimits, GivesUpOnAHeaderThatTrickles) {
  options_.limits.header_time = milliseconds(100);
  options_.limits.header_count = options_.limits.header_bytes = std::size_t{1} << 30U;
  start();
  Client client(port());
  std::atomic<bool> stop{false};
  std::thread sender([&] {
    client.send("GET / HTTP/1.1\r\n");
    while (!stop && client.send("X: y\r\n")) std::this_thread::sleep_for(milliseconds(1));
  });
  EXPECT_EQ(client.receive().status, 408);
  stop = true;
  sender.join();
}

TEST_F(ServerLimits, GivesUpOnASlowBody) {
  options_.limits.body_time = milliseconds(50);
  start();
  Client client(port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(ServerLimits, ClosesIdleConnections) {
  options_.limits.idle_time = milliseconds(200);
  start();
  Client fresh(port());
  EXPECT_TRUE(fresh.is_closed_by_server());
  std::optional<Client> used;
  // Again when it was idle for too long before its request.
  ASSERT_TRUE(testing::wait_until([&] {
    used.emplace(port());
    used->send(get("/x"));
    return used->receive().status == 200;
  }));
  EXPECT_TRUE(used->is_closed_by_server());
  EXPECT_TRUE(testing::wait_until([&] { return server_->connections() == 0; }));
}

TEST_F(ServerLimits, CutsAClientThatTakesNothing) {
  options_.limits.write_time = milliseconds(50);
  start();
  Client client(port());
  client.send(get("/flood"));
  EXPECT_TRUE(testing::wait_until([&] { return handler_.closed == 1; }));
}

TEST_F(ServerLimits, RefusesConnectionsBeyondTheLimit) {
  options_.limits.connections = 2;
  start();
  Client first(port());
  auto second = std::make_unique<Client>(port());
  first.send(get("/never"));
  second->send(get("/never"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 2; }));
  const auto refused = fetch(get("/x"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  second.reset();
  EXPECT_TRUE(testing::wait_until([&] { return fetch(get("/x")).status == 200; }));
  EXPECT_EQ(handler_.closed, 1) << "a connection at work was dropped";
}

TEST_F(ServerLimits, DropsTheOldestIdleConnectionForANewOne) {
  options_.limits.connections = 3;
  start();
  Client busy(port()), oldest(port()), used(port());
  busy.send(get("/never"));
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 1; }));
  used.send(get("/x"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_EQ(fetch(get("/x")).status, 200);
  EXPECT_TRUE(oldest.is_closed_by_server());
  used.send(get("/x"));
  EXPECT_EQ(used.receive().status, 200);
  EXPECT_EQ(handler_.closed, 0);
}

TEST_F(ServerLimits, OnePeerHasAQuarterOfTheConnections) {
  options_.limits.connections = 40;
  options_.counts_loopback = true;
  start();
  std::vector<std::unique_ptr<Client>> greedy;
  for (int i = 0; i < 10; ++i) {
    greedy.push_back(std::make_unique<Client>(port()));
    greedy.back()->send(get("/x"));
    EXPECT_EQ(greedy.back()->receive().status, 200);
  }
  EXPECT_EQ(fetch(get("/x")).status, 503);
  Client other(port(), "127.0.0.2");
  other.send(get("/x"));
  EXPECT_EQ(other.receive().status, 200);
  greedy.pop_back();
  EXPECT_TRUE(testing::wait_until([&] { return fetch(get("/x")).status == 200; }));
}

TEST_F(ServerLimits, WhoHasTheMostConnectionsLosesOneFirst) {
  options_.limits.connections = 8;
  options_.counts_loopback = true;
  start();
  Client modest(port(), "127.0.0.2");
  modest.send(get("/x"));
  EXPECT_EQ(modest.receive().status, 200);
  Client greedy(port(), "127.0.0.3"), second(port(), "127.0.0.3");
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 5; ++i) {
    busy.push_back(std::make_unique<Client>(port(), "127.0.1." + std::to_string(i + 1)));
    busy.back()->send(get("/never"));
  }
  ASSERT_TRUE(testing::wait_until([&] { return handler_.handled == 6; }));
  EXPECT_EQ(fetch(get("/x")).status, 200);
  EXPECT_TRUE(greedy.is_closed_by_server());
  modest.send(get("/x"));
  EXPECT_EQ(modest.receive().status, 200);
}

}  // namespace
}  // namespace quarry::http_server
