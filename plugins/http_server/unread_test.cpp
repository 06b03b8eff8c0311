// Clients that do not read their responses.

#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/flood.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"
#include "http_server/testing/tls_client.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using testing::Client;
using testing::get;
using testing::QueueWatch;
using testing::send_until_stuck;
using testing::TlsClient;
using testing::wait_until;
using testing::with_json;

constexpr std::size_t kAnswer = 16 * 1024;
constexpr std::size_t kMostSent = 24 * 1024 * 1024;  // more than the kernel buffers on both sides

/// Responds with 16 KiB; /later does so in a job of the loop, /refused is refused, and /filled has
/// a body of which the last part is still unsent when the next request could be read.
class LargeHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    Response response = Response::json(std::string(kAnswer, 'x'));
    if (request.path == "/filled") return fill(responder);
    if (request.path == "/refused") response.status = 401;
    if (request.path != "/later") return responder.send(std::move(response));
    responder.post([responder, response] { responder.send(response); });
  }
  std::optional<Response> refuse_early(const Request&) override { return std::nullopt; }
  Response describe(const Refusal& refusal) override {
    Response response = Response::json(std::string(refusal.message));
    response.status = refusal.status;
    return response;
  }

 private:
  static void fill(const Responder& responder) {
    responder.start_stream({});
    while (!responder.over() && responder.unsent() < kMostUnsent / 2) {
      responder.write(std::string(kAnswer, 'x'));
    }
    responder.end_stream();
  }
};

class Unread : public ::testing::Test {
 protected:
  void start(std::shared_ptr<TlsIdentity> tls = nullptr) {
    ServerOptions options{.listen = {{"127.0.0.1", 0}}, .limits = limits_, .tls = std::move(tls)};
    server_ = std::make_unique<Server>(threads_.table(), nullptr, watch_, options);
    ASSERT_EQ(server_->start(), "");
  }
  void start_with_tls() {
    auto identity = TlsIdentity::load(identity_.files());
    ASSERT_TRUE(identity);
    start(*identity);
  }
  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }

  /// Sends many GETs of 2 KiB and reads no response. Returns the bytes that were accepted.
  template <class AnyClient>
  std::size_t flood(AnyClient& client, std::string_view path) {
    AnyClient other(port());
    const std::string request = get(path, "X: " + std::string(2048, 'x') + "\r\n");
    return send_until_stuck(client, request, kMostSent, [&] {
      other.send(get("/"));
      other.receive_until(std::string(kAnswer, 'x'));
    });
  }

  static bool accepts_clients(std::uint16_t port) {
    try {
      Client client(port);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  Limits limits_ = testing::patient_limits();
  testing::Threads threads_;
  testing::TemporaryIdentity identity_;
  LargeHandler handler_;
  QueueWatch watch_{handler_};
  std::unique_ptr<Server> server_;
};

TEST_F(Unread, AnswersAreQueuedToABoundOnly) {
  start();
  for (const char* path : {"/", "/later", "/refused"}) {
    Client client(port());
    client.shrink_receive_buffer();
    EXPECT_LT(flood(client, path), kMostSent) << path;
  }
  EXPECT_LE(watch_.most_unsent, kMostUnsent);
  EXPECT_GT(watch_.most_unsent, 0U);
}

TEST_F(Unread, AnswersAreQueuedToABoundOnlyWithTls) {
  start_with_tls();
  for (const char* path : {"/", "/later", "/refused"}) {
    TlsClient client(port());
    EXPECT_LT(flood(client, path), kMostSent) << path;
  }
  EXPECT_LE(watch_.most_unsent, kMostUnsent);
  EXPECT_GT(watch_.most_unsent, 0U);
}

TEST_F(Unread, AnswersComeAllTheSameOnceTheyAreRead) {
  start();
  for (const char* path : {"/", "/later"}) {
    Client client(port());
    const std::string request = get(path, "X: " + std::string(2048, 'x') + "\r\n");
    const std::size_t whole = flood(client, path) / request.size();
    for (std::size_t i = 0; i < whole; ++i) ASSERT_EQ(client.receive().body.size(), kAnswer) << i;
  }
}

TEST_F(Unread, AClientThatShutItsSendingSideGetsEveryAnswer) {
  start();
  for (const char* path : {"/", "/later"}) {
    Client client(port());
    constexpr int kRequests = 700;  // about 11 MiB of responses
    for (int i = 0; i < kRequests; ++i) ASSERT_TRUE(client.send(get(path)));
    client.finish_sending();
    for (int i = 0; i < kRequests; ++i) ASSERT_EQ(client.receive().body.size(), kAnswer) << i;
    EXPECT_TRUE(client.is_closed_by_server());
  }
}

TEST_F(Unread, InvitationsToSendABodyAreQueuedToABoundOnly) {
  start();
  Client client(port()), other(port());
  client.shrink_receive_buffer();
  const std::string request = with_json("POST", "/", "x", "Expect: 100-continue\r\n");
  EXPECT_LT(send_until_stuck(client, request, kMostSent,
                             [&] {
                               other.send(get("/"));
                               other.receive_until(std::string(kAnswer, 'x'));
                             }),
            kMostSent);
  EXPECT_LE(watch_.most_unsent, kMostUnsent + 100);
}

TEST_F(Unread, AServerThatStopsSendsTheRestOfAnAnswer) {
  start();
  Client client(port());
  client.shrink_receive_buffer();
  client.send(get("/filled"));
  ASSERT_TRUE(wait_until([&] { return watch_.dispatched == 1; }));
  const std::uint16_t last = port();
  std::thread stopping([&] { server_->stop(std::chrono::hours(1)); });
  EXPECT_TRUE(wait_until([&] { return !accepts_clients(last); }));
  EXPECT_TRUE(client.receive().body.ends_with("0\r\n\r\n"));
  client.close();
  stopping.join();
}

TEST_F(Unread, AClientThatStillReadsAnAnswerIsNotIdle) {
  limits_.idle_time = std::chrono::milliseconds(200);
  start();
  std::optional<Client> slow;
  // Again when it was idle for too long before its request.
  ASSERT_TRUE(wait_until([&] {
    slow.emplace(port());
    slow->shrink_receive_buffer();
    slow->send(get("/filled"));
    EXPECT_TRUE(wait_until([&] { return watch_.dispatched == 1 || slow->has_bytes(); }));
    return watch_.dispatched == 1;
  }));
  EXPECT_TRUE(Client(port()).is_closed_by_server()) << "idle for as long, and less";
  EXPECT_TRUE(slow->receive().body.ends_with("0\r\n\r\n"));
  EXPECT_TRUE(slow->is_closed_by_server());
}

TEST_F(Unread, AClientThatNeverReadsIsCut) {
  limits_.write_time = std::chrono::milliseconds(200);
  start();
  Client client(port());
  client.shrink_receive_buffer();
  flood(client, "/");
  EXPECT_TRUE(wait_until([&] { return server_->connections() == 0; }));
}

}  // namespace
}  // namespace quarry::http_server
