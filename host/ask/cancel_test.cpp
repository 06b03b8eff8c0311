#include "ask/client_transfers.h"
#include "ask/exchange_model.h"
#include "ask/testing/line_provider.h"
#include "ask/testing/test_services.h"
#include "base/testing/waiting.h"
#include "services/testing/scripted_server.h"

#include <future>
#include <latch>
#include <list>

// Stopping a question closes its connection to the provider, in every state of the question.

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using services::testing::ClientHost;
using services::testing::Peer;
using services::testing::ScriptedServer;

constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\n\r\n";

/// A clock that signals its first reading: a model reads it before it waits for a retry.
class WatchedClock final : public Clock {
 public:
  Wall now() const override {
    if (!seen_.exchange(true)) looked_.set_value();
    return system_.now();
  }
  Steady steady_now() const override { return system_.steady_now(); }
  void wait_until_seen() { looked_.get_future().wait(); }

 private:
  SystemClock system_;
  mutable std::atomic<bool> seen_ = false;
  mutable std::promise<void> looked_;
};

/// The host's real HTTP client, for models of the test protocol.
class Upstream {
 public:
  Candidate candidate(const std::string& url, RetryPolicy retry = {}) {
    auto model = make_exchange_model(
        std::make_shared<testing::LineProvider>(url),
        {.io = host_.io(),
         .workers = workers_,
         .transfers = transfers_,
         .clock = clock,
         .secret = [](std::string_view, std::stop_token) { return Result<std::string>("k"); },
         .retry = retry,
         .idle = 1h});
    return {.model = std::move(model), .provider = "lines", .name = "m", .rates = {}};
  }
  WatchedClock clock;

 private:
  ClientHost host_;
  services::WorkerPool workers_{2};
  ClientTransfers transfers_{host_.client()};
};

/// A server that sends `response`, then waits until the client closes.
class Waiting {
 public:
  explicit Waiting(std::string response) : response_(std::move(response)) {}
  std::string url() const { return server_.url(); }
  void wait_until_asked() { asked_.get_future().wait(); }
  void wait_until_closed() { closed_.get_future().wait(); }
  int connections() const { return server_.connections(); }

 private:
  std::string response_;
  std::promise<void> asked_;
  std::promise<void> closed_;
  ScriptedServer server_{[this](Peer& peer) {
    peer.request();
    peer.write(response_);
    asked_.set_value();
    peer.wait_until_closed();
    closed_.set_value();
  }};
};

/// Stops a question of one or two models when `ready` returns, and waits until the last server's
/// client has closed its connection. No time limit does that within an hour.
void stop_and_wait_until_closed(
    std::vector<std::string> responses,
    const std::function<void(testing::TestServices&, const std::shared_ptr<Question>&)>& ready) {
  std::list<Waiting> servers;
  Upstream upstream;
  testing::TestServices services;
  auto request = services.request(std::vector<testing::Script>());
  request.models.clear();
  request.limits.max_time = 1h;
  for (auto& response : responses) {
    const auto& server = servers.emplace_back(std::move(response));
    request.models.push_back(upstream.candidate(server.url(), {.attempts = 1}));
  }
  const auto question = services.start(std::move(request));
  servers.back().wait_until_asked();
  ready(services, question);
  question->stop(StopReason::kAsked);
  servers.back().wait_until_closed();
  EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
  services.wait_until_idle();
  for (const auto& server : servers) EXPECT_EQ(server.connections(), 1);
}

void nothing_more(testing::TestServices&, const std::shared_ptr<Question>&) {}

TEST(Cancel, ClosesTheConnectionBeforeAnyResponse) {
  stop_and_wait_until_closed({""}, nothing_more);
}

TEST(Cancel, ClosesTheConnectionBeforeTheFirstToken) {
  stop_and_wait_until_closed({std::string(kHead)}, nothing_more);
}

TEST(Cancel, ClosesTheConnectionInTheMiddleOfAnAnswer) {
  stop_and_wait_until_closed(
      {std::string(kHead) + "t half\n"},
      [](testing::TestServices& services, const std::shared_ptr<Question>& question) {
        services.wait_for(question, "text.delta");
      });
}

TEST(Cancel, ClosesTheConnectionOfAFallback) {
  const std::string down =
      "HTTP/1.1 503 Down\r\nContent-Length: 7\r\nConnection: close\r\n\r\ne down\n";
  stop_and_wait_until_closed(
      {down, std::string(kHead) + "t half\n"},
      [](testing::TestServices& services, const std::shared_ptr<Question>& question) {
        services.wait_for(question, "text.delta");
      });
}

TEST(Cancel, EndsTheWaitForAnotherTry) {
  Waiting server("HTTP/1.1 503 Down\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n");
  Upstream upstream;
  testing::TestServices services;
  auto request = services.request(std::vector<testing::Script>());
  request.limits.max_time = 2h;
  request.models = {upstream.candidate(server.url(), {.longest_asked_wait = 1h})};
  request.models.push_back(upstream.candidate("http://127.0.0.1:1/"));
  const auto question = services.start(std::move(request));
  upstream.clock.wait_until_seen();
  question->stop(StopReason::kAsked);
  EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Cancel, ReachesEveryToolAndLeavesNothingBehind) {
  std::weak_ptr<Question> gone;
  std::weak_ptr<EventLog> log;
  testing::TestServices services;
  std::atomic<int> running = 0;
  std::latch both_run(2);
  services.tool = [&](std::string_view, const Json&, std::stop_token stop) -> Result<ToolResult> {
    ++running;
    both_run.count_down();
    wait_until_stopped(stop);
    --running;
    return Error{Code::kCancelled, "stopped"};
  };
  {
    const auto question = services.start(
        services.request({testing::call_tools({{"grep", R"({"a":1})"}, {"grep", R"({"a":2})"}})}));
    both_run.wait();
    question->stop(StopReason::kAsked);
    EXPECT_EQ(services.events(question).back().json["finishReason"], "cancelled");
    EXPECT_EQ(running, 0);
    gone = question;
    log = question->log();
  }
  wait_until([&] { return gone.expired() && log.expired(); });
}

}  // namespace
}  // namespace quarry::ask
