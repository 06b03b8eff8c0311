#include "services/span_exporter.h"

#include "base/testing/waiting.h"
#include "services/testing/scripted_server.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <quarry_test.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::services {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ClientHost;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Peer;
using testing::ScriptedServer;

std::string empty_answer(std::string_view line, std::string_view headers = {}) {
  return "HTTP/1.1 " + std::string(line) + "\r\nContent-Length: 0\r\n" + std::string(headers) +
         "\r\n";
}

/// Answers with `answers` in turn, then with success; an empty one is none at all.
class Collector {
 public:
  explicit Collector(std::deque<std::string> answers) : answers_(std::move(answers)) {}

  [[nodiscard]] std::string url() const { return traces_url(server_.url()); }
  /// The next request; waits for it.
  std::string next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !requests_.empty(); });
    std::string request = std::move(requests_.front());
    requests_.pop_front();
    return request;
  }
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }

 private:
  void serve(Peer& peer) {
    while (auto request = peer.request()) {
      std::string answer = testing::ok("{}");
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(*request));
        if (!answers_.empty()) {
          answer = std::move(answers_.front());
          answers_.pop_front();
        }
      }
      arrived_.notify_all();
      if (answer.empty()) return peer.wait_until_closed();
      if (!peer.write(answer)) return;
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> answers_;
  std::deque<std::string> requests_;
  ScriptedServer server_{[this](Peer& peer) { serve(peer); }};
};

struct SpanExporterTest : ::testing::Test {
  SpanExporterTest() {
    limits.interval = 10ms;
    limits.first_wait = 1ms;
  }
  ~SpanExporterTest() override { host.destroy(); }

  /// Adds these spans before the I/O thread looks at any.
  void add_together(const std::vector<std::string>& spans) {
    std::promise<void> added;
    host.post([all = added.get_future().share()] { all.wait(); });
    for (const std::string& span : spans) exporter->add(span);
    added.set_value();
  }
  void start(const std::string& url, std::vector<HttpHeader> headers = {}) {
    exporter.emplace(SpanExporter::Parts{host.io(), host.client(), clock, metrics, log},
                     SpanExporter::Target{url, std::move(headers), {"[", "]"}}, limits);
  }
  /// What the log says, by line.
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex);
    return logged;
  }
  std::string dropped(const std::string& reason) {
    const std::string name = "quarry_spans_dropped_total{reason=\"" + reason + "\"} ";
    const std::string text = metrics.expose();
    const std::size_t at = text.find(name);
    if (at == text.npos) return "0";
    return text.substr(at + name.size(), text.find('\n', at) - at - name.size());
  }

  ClientHost host;
  SystemClock clock;
  Metrics metrics;
  std::mutex mutex;
  std::vector<std::string> logged;
  Redactor redactor;
  Log log{{.sink =
               [this](std::string_view line) {
                 const std::lock_guard lock(mutex);
                 logged.emplace_back(line);
               }},
          redactor};
  SpanExporter::Limits limits;
  std::optional<SpanExporter> exporter;
};

std::string body_of(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

TEST_F(SpanExporterTest, PostsWhatWaitedForTheInterval) {
  Collector collector({});
  start(collector.url(), {{"Authorization", "Bearer ", "key"}});
  add_together({"1", "2"});
  const std::string request = collector.next();
  EXPECT_THAT(request, HasSubstr("POST /v1/traces HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer " + test_key()));
  EXPECT_EQ(body_of(request), "[1,2]");
  exporter->add("3");
  EXPECT_EQ(body_of(collector.next()), "[3]");
  exporter->shutdown(patience(10s));
  EXPECT_TRUE(lines().empty());
}

TEST_F(SpanExporterTest, SendsAFullBatchAtOnce) {
  Collector collector({});
  limits.interval = 1h;
  limits.queue.batch = 2;
  start(collector.url());
  for (const char* span : {"1", "2", "3"}) exporter->add(span);
  EXPECT_EQ(body_of(collector.next()), "[1,2]");
  exporter->add("4");
  EXPECT_EQ(body_of(collector.next()), "[3,4]");
}

TEST_F(SpanExporterTest, SendsTheRestAtTheEnd) {
  Collector collector({});
  limits.interval = 1h;
  limits.queue.batch = 2;
  start(collector.url());
  for (const char* span : {"1", "2", "3"}) exporter->add(span);
  exporter->shutdown(patience(10s));
  EXPECT_EQ(body_of(collector.next()), "[1,2]");
  EXPECT_EQ(body_of(collector.next()), "[3]");
  exporter->add("late");
  EXPECT_EQ(dropped("queue"), "1");
  EXPECT_EQ(dropped("undelivered"), "0");
}

TEST_F(SpanExporterTest, RetriesWhatIsTemporary) {
  Collector collector({empty_answer("429 X"), empty_answer("502 X"),
                       empty_answer("503 X", "Retry-After: 0\r\n"), empty_answer("504 X")});
  start(collector.url());
  exporter->add("1");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(body_of(collector.next()), "[1]");
  exporter->shutdown(patience(10s));
  EXPECT_EQ(dropped("undelivered"), "0");
  EXPECT_EQ(lines().size(), 4u);  // each status once
}

TEST_F(SpanExporterTest, WaitsAsLongAsTheCollectorAsks) {
  Collector collector({empty_answer("503 X", "Retry-After: 0.2\r\n")});
  limits.queue.batch = 1;
  start(collector.url());
  const auto begin = clock.steady_now();
  exporter->add("1");
  collector.next();
  collector.next();
  EXPECT_GE(clock.steady_now() - begin, 200ms);
}

TEST_F(SpanExporterTest, DropsABatchForWhichItShouldWaitTooLong) {
  Collector collector({empty_answer("503 X", "Retry-After: 61\r\n")});
  start(collector.url());
  exporter->add("1");
  collector.next();
  exporter->add("2");
  EXPECT_EQ(body_of(collector.next()), "[2]");
  EXPECT_EQ(dropped("undelivered"), "1");
}

TEST_F(SpanExporterTest, GivesUpAfterSomeAttempts) {
  limits.attempts = 3;
  Collector collector({empty_answer("503 X"), empty_answer("503 X"), empty_answer("503 X")});
  start(collector.url());
  exporter->add("1");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(body_of(collector.next()), "[1]");
  exporter->add("2");
  EXPECT_EQ(body_of(collector.next()), "[2]");
  EXPECT_EQ(dropped("undelivered"), "1");
  exporter->shutdown(patience(10s));
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_THAT(lines()[0], HasSubstr("do not reach " + collector.url() + ": HTTP 503"));
  EXPECT_THAT(lines()[1], HasSubstr("reach the collector again"));
}

TEST_F(SpanExporterTest, DoesNotRetryOtherRefusalsOrFollowRedirects) {
  const std::string away = testing::redirect(307, "http://127.0.0.1:1/");
  Collector collector({empty_answer("400 X"), empty_answer("401 X"), empty_answer("500 X"), away});
  limits.queue.batch = 1;
  start(collector.url(), {{"X", "", "key"}});
  for (const char* span : {"1", "2", "3", "4", "5"}) {
    exporter->add(span);
    EXPECT_EQ(body_of(collector.next()), "[" + std::string(span) + "]");
  }
  exporter->shutdown(patience(10s));
  EXPECT_EQ(dropped("undelivered"), "4");
}

TEST_F(SpanExporterTest, SaysEachCauseOnce) {
  std::deque<std::string> answers(20, empty_answer("401 X"));
  answers.emplace_back(empty_answer("403 X"));
  Collector collector(answers);
  limits.queue.batch = 1;
  start(collector.url());
  for (int i = 0; i < 21; ++i) {
    exporter->add("1");
    collector.next();
  }
  exporter->shutdown(patience(10s));
  EXPECT_EQ(lines().size(), 2u);
  EXPECT_EQ(dropped("undelivered"), "21");
}

TEST_F(SpanExporterTest, CountsWhatTheCollectorRejects) {
  Collector collector(
      {testing::ok(R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}})"),
       testing::ok(R"({"partialSuccess":{"rejectedSpans":99}})"), testing::ok("no JSON")});
  limits.interval = 1h;
  limits.queue.batch = 3;
  start(collector.url());
  for (int i = 0; i < 9; ++i) exporter->add("1");
  for (int i = 0; i < 3; ++i) collector.next();
  exporter->shutdown(patience(10s));
  EXPECT_EQ(dropped("rejected"), "5");
  EXPECT_EQ(lines().size(), 1u);
  EXPECT_EQ(collector.waiting(), 0u);  // nothing is sent again
}

TEST_F(SpanExporterTest, NothingWaitsForACollectorThatDoesNotAnswer) {
  Collector collector({""});
  limits.queue = {.spans = 2, .batch = 2};
  start(collector.url());
  exporter->add("1");
  collector.next();
  for (const char* span : {"2", "3", "4", "5"}) exporter->add(span);
  EXPECT_EQ(dropped("queue"), "2");
  exporter->shutdown(10ms);
  EXPECT_EQ(dropped("undelivered"), "3");
  EXPECT_THAT(lines().back(), HasSubstr("3 spans were not delivered before the end"));
}

TEST_F(SpanExporterTest, SendsOneBatchAtATimeWhenTheIntervalEndsAsABatchIsFull) {
  Collector collector({""});
  limits.interval = 1ms;
  limits.queue.batch = 2;
  start(collector.url());
  // Between two turns of the loop, the interval of the first span ends and the batch fills.
  host.post([this] {
    exporter->add("1");
    host.post([this] {
      const auto over = clock.steady_now() + limits.interval;
      wait_until([&] { return clock.steady_now() > over; });
      for (const char* span : {"2", "3", "4"}) exporter->add(span);
    });
  });
  EXPECT_EQ(body_of(collector.next()), "[1,2]");
  exporter->shutdown(10ms);
  EXPECT_EQ(dropped("undelivered"), "4") << "the second batch waits for the first";
  EXPECT_EQ(collector.waiting(), 0u);
}

TEST_F(SpanExporterTest, ARequestHasATimeLimit) {
  Collector collector({""});
  limits.timeout = 500ms;
  limits.attempts = 10;  // one may be over before its request arrives
  start(collector.url());
  exporter->add("1");
  collector.next();
  EXPECT_EQ(body_of(collector.next()), "[1]");
}

TEST_F(SpanExporterTest, TheEndWaitsForNoRetry) {
  Collector collector({empty_answer("503 X", "Retry-After: 50\r\n")});
  start(collector.url());
  exporter->add("1");
  collector.next();
  wait_until([this] { return !lines().empty(); });
  exporter->shutdown(patience(10s));
  EXPECT_EQ(body_of(collector.next()), "[1]");
  EXPECT_EQ(dropped("undelivered"), "0");
}

TEST_F(SpanExporterTest, ACollectorThatRefusesConnectionsEndsNothingLater) {
  std::string url;
  {
    const ScriptedServer gone([](Peer&) {});
    url = traces_url(gone.url());
  }
  limits.first_wait = limits.longest_wait = 1h;
  start(url);
  exporter->add("1");
  wait_until([this] { return !lines().empty(); });
  exporter->shutdown(patience(10s));
  EXPECT_EQ(dropped("undelivered"), "1");
  EXPECT_EQ(lines().size(), 1u);
}

TEST_F(SpanExporterTest, AMissingSecretIsSaid) {
  Collector collector({});
  start(collector.url(), {{"Authorization", "", "no such secret"}});
  exporter->add("1");
  exporter->shutdown(patience(10s));
  EXPECT_EQ(dropped("undelivered"), "1");
  EXPECT_EQ(collector.waiting(), 0u);
  EXPECT_EQ(lines().size(), 1u);
}

TEST(TracesUrl, IsThatOfTheCollector) {
  EXPECT_EQ(traces_url("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/traces");
  EXPECT_EQ(traces_url("https://example.org/otlp/"), "https://example.org/otlp/v1/traces");
}

}  // namespace
}  // namespace quarry::services
