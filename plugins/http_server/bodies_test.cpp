// Request bodies: which are read, and how many bytes of them are held.

#include "http_server/server.h"
#include "http_server/testing/client.h"
#include "http_server/testing/limits.h"
#include "http_server/testing/threads.h"

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quarry::http_server {
namespace {

using testing::Client;
using testing::get;
using testing::wait_until;
using testing::with_json;

/// Responds with the sender and the length of the body. Admits /wait when the test calls decide,
/// refuses /refused, and admits everything else at once.
class DecidingHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    if (request.path == "/denied") return responder.send(refused());
    const auto* const sender = static_cast<const std::string*>(request.sender);
    responder.send(Response::json((sender == nullptr ? "nobody" : *sender) + " " +
                                  std::to_string(request.body.size())));
  }
  std::optional<Response> refuse_early(const Request&) override { return std::nullopt; }
  void admit(const Request& head, Admitted done) override {
    if (head.path == "/refused") return done(std::unexpected(refused()));
    if (head.path != "/wait") return done(std::make_shared<const std::string>("known"));
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(done));
  }
  Response describe(const Refusal& refusal) override {
    Response response = Response::json(std::string(refusal.message));
    response.status = refusal.status;
    return response;
  }

  static Response refused() {
    Response response = Response::json("refused");
    response.status = 401;
    return response;
  }
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  void decide(const std::expected<Sender, Response>& outcome) {
    std::vector<Admitted> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
    }
    for (const Admitted& done : waiting) done(outcome);
  }

 private:
  std::mutex mutex_;
  std::vector<Admitted> waiting_;  // under mutex_
};

class Bodies : public ::testing::Test {
 protected:
  void start() {
    server_ = std::make_unique<Server>(threads_.table(), nullptr, handler_, options_);
    ASSERT_EQ(server_->start(), "");
  }
  [[nodiscard]] std::uint16_t port() const { return server_->addresses().front().port; }
  static std::string head(std::string_view path, std::size_t length, std::string_view more = {}) {
    return "POST " + std::string(path) +
           " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n" +
           std::string(more) + "\r\n";
  }
  /// One request on another connection. When it returns, the loop has handled earlier bytes.
  void round_trip() { EXPECT_EQ(testing::fetch(port(), get("/")).status, 200); }

  testing::Threads threads_;
  DecidingHandler handler_;
  ServerOptions options_{.listen = {{"127.0.0.1", 0}}, .limits = testing::patient_limits()};
  std::unique_ptr<Server> server_;
};

TEST_F(Bodies, AreReadOnceTheirSenderIsKnown) {
  start();
  EXPECT_EQ(testing::fetch(port(), with_json("POST", "/", "body")).body, "known 4");
  EXPECT_EQ(testing::fetch(port(), get("/")).body, "nobody 0");
}

TEST_F(Bodies, AreNotReadBeforeTheirSenderIsKnown) {
  start();
  Client client(port());
  constexpr std::size_t kBody = 1'000'000;
  client.send(head("/wait", kBody));
  ASSERT_TRUE(wait_until([&] { return handler_.waiting() == 1; }));
  const std::string body(kBody, 'x');
  std::thread sender([&] { client.send(body); });
  for (int i = 0; i < 20; ++i) round_trip();
  std::thread decider([&] { handler_.decide(std::make_shared<const std::string>("late")); });
  EXPECT_EQ(client.receive().body, "late 1000000");
  sender.join();
  decider.join();
}

TEST_F(Bodies, OfWhoIsRefusedAreNotInvited) {
  start();
  Client client(port());
  client.send(head("/refused", 1'000'000, "Expect: 100-continue\r\n"));
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.header("Connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Bodies, OfWhoIsRefusedDoNotEndTheConnectionWhenTheyHaveComeAlready) {
  start();
  Client client(port());
  client.send(with_json("POST", "/refused", "body") + with_json("POST", "/", "next"));
  EXPECT_EQ(client.receive().status, 401);
  EXPECT_EQ(client.receive().body, "known 4");
}

TEST_F(Bodies, OfAConnectionThatIsRejectedAgainAndAgainWait) {
  options_.counts_loopback = true;
  options_.limits.rejection_pause = std::chrono::hours(1);
  start();
  Client client(port());
  const std::string rejected = with_json("POST", "/refused", "body") + get("/denied");
  client.send(rejected + get("/") + rejected + rejected);
  for (const int status : {401, 401, 200, 401, 401, 401, 401}) {
    EXPECT_EQ(client.receive().status, status);
  }
  client.send(get("/"));
  round_trip();
  round_trip();
  EXPECT_FALSE(client.has_bytes());
}

TEST_F(Bodies, OfAProxysConnectionDoNotWaitForRejectedOnes) {
  options_.limits.rejection_pause = std::chrono::hours(1);
  start();
  Client client(port());
  for (int i = 0; i < 10; ++i) client.send(get("/denied"));
  client.send(get("/"));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.receive().status, 401);
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(Bodies, OfAConnectionThatWasRejectedAreReadAfterAPause) {
  options_.counts_loopback = true;
  options_.limits.rejection_pause = std::chrono::milliseconds(40);
  start();
  Client client(port());
  for (int i = 0; i < 10; ++i) client.send(get("/denied"));
  client.send(get("/"));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(client.receive().status, 401);
  EXPECT_EQ(client.receive().status, 200);
}

TEST_F(Bodies, ALateDecisionAboutAClientThatIsGoneIsNoMatter) {
  start();
  for (const bool lets_in : {true, false}) {
    Client client(port());
    client.send(head("/wait", 4));
    ASSERT_TRUE(wait_until([&] { return handler_.waiting() == 1; }));
    client.reset();
    if (lets_in) {
      handler_.decide(std::make_shared<const std::string>("late"));
    } else {
      handler_.decide(std::unexpected(DecidingHandler::refused()));
    }
  }
  EXPECT_TRUE(wait_until([&] { return server_->connections() == 0; }));
}

TEST_F(Bodies, AreNotLateWhileTheServerChecksTheirSender) {
  options_.limits.body_time = std::chrono::milliseconds(50);
  start();
  Client client(port());
  client.send(head("/wait", 4) + "body");
  const auto answer = client.receive();
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(answer.header("Retry-After"), "1");
  handler_.decide(std::make_shared<const std::string>("late"));
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Bodies, OfAllConnectionsTogetherAreHeldToABoundOnly) {
  options_.limits.body_bytes = 60'000;
  options_.limits.bodies_bytes = 100'000;
  start();
  Client first(port());
  first.send(head("/", 60'000) + std::string(55'000, 'x'));
  const auto refused = [&] {
    Client other(port());
    other.send(head("/", 60'000, "Expect: 100-continue\r\n"));
    const auto answer = other.receive();
    return answer.status == 503 && answer.header("Retry-After") == "1";
  };
  EXPECT_TRUE(wait_until(refused));
  EXPECT_EQ(testing::fetch(port(), with_json("POST", "/", "small")).body, "known 5");
  first.send(std::string(5'000, 'x'));
  EXPECT_EQ(first.receive().body, "known 60000");
  EXPECT_FALSE(refused());
  Client gone(port());
  gone.send(head("/", 60'000) + std::string(55'000, 'x'));
  EXPECT_TRUE(wait_until(refused));
  gone.close();
  EXPECT_TRUE(wait_until([&] { return !refused(); }));
}

TEST_F(Bodies, WithoutALengthAreHeldToTheSameBound) {
  options_.limits.body_bytes = 60'000;
  options_.limits.bodies_bytes = 60'000;
  start();
  Client first(port()), chunked(port());
  first.send(head("/", 60'000) + std::string(50'000, 'x'));
  ASSERT_TRUE(wait_until([&] {
    Client other(port());
    other.send(head("/", 20'000, "Expect: 100-continue\r\n"));
    return other.receive().status == 503;
  }));
  chunked.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7530\r\n" +
               std::string(0x7530 - 1, 'x'));
  EXPECT_EQ(chunked.receive().status, 503);
  first.send(std::string(10'000, 'x'));
  EXPECT_EQ(first.receive().body, "known 60000");
}

}  // namespace
}  // namespace quarry::http_server
