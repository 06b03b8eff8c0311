#include "ask/client_transfers.h"

#include "base/testing/waiting.h"
#include "services/testing/scripted_server.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using services::testing::ClientHost;
using services::testing::Peer;
using services::testing::ScriptedServer;

struct Receiver final : ResponseReceiver {
  int status = 0;
  std::string body;
  std::size_t wanted = 1000;
  std::function<void()> on_data = nullptr;
  std::promise<Status> ended;

  void head(int code, std::span<const services::HttpHeader>) override { status = code; }
  bool data(std::string_view bytes) override {
    body += bytes;
    if (on_data) on_data();
    return body.size() < wanted;
  }
  void end(Status outcome) override { ended.set_value(std::move(outcome)); }
};

/// Sends on the I/O thread, as models do, and waits for the end.
Status run(ClientHost& host, const std::string& url, const std::shared_ptr<Receiver>& receiver,
           std::stop_token stop = {}, std::chrono::milliseconds idle = 1min) {
  ClientTransfers transfers(host.client());
  host.post([&] {
    transfers.send({"POST", url, {{"X-A", "b", ""}}, "body"}, idle, stop, receiver);
  });
  return receiver->ended.get_future().get();
}

void stream(Peer& peer) {
  peer.request();
  peer.write("HTTP/1.1 201 Made\r\n\r\npart");
  peer.wait_until_closed();
}

TEST(ClientTransfers, CarryARequestAndItsResponse) {
  ScriptedServer server([](Peer& peer) { peer.write(services::testing::ok(*peer.request())); });
  ClientHost host;
  const auto receiver = std::make_shared<Receiver>();
  EXPECT_TRUE(run(host, server.url("/v1"), receiver));
  EXPECT_EQ(receiver->status, 200);
  EXPECT_TRUE(receiver->body.starts_with("POST /v1 HTTP/1.1\r\n"));
  EXPECT_TRUE(receiver->body.ends_with("\r\n\r\nbody"));
}

TEST(ClientTransfers, ARedirectToAnotherOriginGetsNoCredentialWhateverItsHeaderIsCalled) {
  std::string seen;
  ScriptedServer other([&](Peer& peer) {
    seen = *peer.request();
    peer.write(services::testing::ok(""));
  });
  ScriptedServer server([&](Peer& peer) {
    peer.request();
    peer.write(services::testing::redirect(307, other.url()));
  });
  ClientHost host;
  const auto receiver = std::make_shared<Receiver>();
  ClientTransfers transfers(host.client());
  host.post([&] {
    const std::vector<services::HttpHeader> headers = {
        {"X-Pass", "canary", "", true}, {"X-Goog-Api-Key", "canary", "", true}, {"X-A", "b", ""}};
    transfers.send({"POST", server.url(), headers, "body"}, 1min, {}, receiver);
  });
  EXPECT_TRUE(receiver->ended.get_future().get());
  EXPECT_NE(seen.find("X-A: b"), seen.npos);
  EXPECT_EQ(seen.find("canary"), seen.npos) << seen;
}

TEST(ClientTransfers, EndWhenNoMoreIsWanted) {
  ScriptedServer server(stream);
  ClientHost host;
  const auto receiver = std::make_shared<Receiver>();
  receiver->wanted = 4;
  EXPECT_EQ(run(host, server.url(), receiver).error().code, Code::kCancelled);
  EXPECT_EQ(receiver->status, 201);
}

TEST(ClientTransfers, EndWithTheirStopToken) {
  ScriptedServer server(stream);
  ClientHost host;
  std::stop_source source;
  const auto receiver = std::make_shared<Receiver>();
  receiver->on_data = [&] { source.request_stop(); };
  EXPECT_EQ(run(host, server.url(), receiver, source.get_token()).error().code, Code::kCancelled);
  const auto late = std::make_shared<Receiver>();
  EXPECT_EQ(run(host, server.url(), late, source.get_token()).error().code, Code::kCancelled);
}

TEST(ClientTransfers, EndWhenNothingComesForTooLong) {
  ScriptedServer server(stream);
  ClientHost host;
  EXPECT_TRUE(succeeds_with_some_limit(50ms, [&](std::chrono::milliseconds limit) {
    const auto receiver = std::make_shared<Receiver>();
    const Status status = run(host, server.url(), receiver, {}, limit);
    EXPECT_EQ(status.error().code, Code::kDeadlineExceeded);
    return receiver->body == "part";
  }));
}

}  // namespace
}  // namespace quarry::ask
