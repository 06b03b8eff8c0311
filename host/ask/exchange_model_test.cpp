#include "ask/exchange_model.h"

#include "ask/testing/line_provider.h"
#include "ask/testing/test_services.h"
#include "base/text.h"
#include "services/log_scope.h"
#include "services/workers.h"

#include <future>
#include <optional>
#include <quarry_test.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

using namespace std::chrono_literals;
using testing::LineProvider;

/// One response of the fake server, cut into pieces.
struct Response {
  int status = 200;
  std::vector<services::HttpHeader> headers = {};
  std::vector<std::string> pieces = {};
  Status end = {};
  bool held = false;  ///< the connection stays open
};

class FakeTransfers final : public HttpTransfers {
 public:
  explicit FakeTransfers(boost::asio::io_context& io) : io_(io) {}
  void send(services::HttpRequest request, std::chrono::milliseconds idle, std::stop_token stop,
            std::shared_ptr<ResponseReceiver> receiver) override {
    idle_limit = idle;
    requests.push_back(request);
    const Response response = responses.at(requests.size() - 1);
    boost::asio::post(io_, [this, response, stop, receiver] {
      if (stop.stop_requested()) return receiver->end(Error{Code::kCancelled, "stopped"});
      if (response.status > 0) receiver->head(response.status, response.headers);
      if (on_head) on_head();
      Status end = response.end;
      for (const auto& piece : response.pieces) {
        if (receiver->data(piece)) continue;
        end = Error{Code::kCancelled, "not wanted"};
        break;
      }
      if (on_sent) on_sent();
      if (response.held) return hold(stop, receiver);
      receiver->end(end);
    });
  }
  std::vector<Response> responses;
  std::vector<services::HttpRequest> requests;
  std::function<void()> on_head;
  std::function<void()> on_sent;
  std::chrono::milliseconds idle_limit{0};

 private:
  using OnStop = std::stop_callback<std::function<void()>>;
  /// Ends the response after the stop.
  void hold(const std::stop_token& stop, std::shared_ptr<ResponseReceiver> receiver) {
    held_.emplace(stop, [this, receiver = std::move(receiver)] {
      boost::asio::post(io_, [receiver] { receiver->end(Error{Code::kCancelled, "stopped"}); });
    });
  }

  boost::asio::io_context& io_;
  std::optional<OnStop> held_;
};

/// Where the provider's functions run.
enum class Place { kHere, kInTurn, kOnWorkers, kDeferred };

struct ExchangeTest : ::testing::TestWithParam<Place> {
  ExchangeTest() {
    provider->elsewhere = GetParam() != Place::kHere;
    if (GetParam() != Place::kDeferred) return;
    provider->later = [this](std::function<void()> job) { boost::asio::post(io, std::move(job)); };
  }
  Executor& executor() {
    const bool on_workers = GetParam() == Place::kOnWorkers || GetParam() == Place::kDeferred;
    return on_workers ? static_cast<Executor&>(pool) : in_turn;
  }

  /// Runs one step to its end; the loop runs on this thread.
  Step step() {
    const auto model = make_exchange_model(
        provider, {.io = io,
                   .workers = executor(),
                   .transfers = transfers,
                   .clock = clock,
                   .secret = [this](std::string_view, std::stop_token) { return secret; },
                   .retry = policy,
                   .idle = 7s,
                   .tick = 1ms});
    Answer answer(testing::make_log(1000));
    Step out;
    const ToolNames tools;
    StepSink sink(out, answer, clock, tools, stop.get_token());
    std::atomic<int> done = 0;
    auto working = boost::asio::make_work_guard(io);
    {
      const services::LogScope scope(subject);
      model->step({"{}", traceparent}, stop.get_token(), sink, [&] {
        ++done;
        boost::asio::post(io, [&] { working.reset(); });
      });
    }
    io.run();
    io.restart();
    EXPECT_EQ(done, 1);
    sink.close();
    said = answer.text();
    waits.clear();
    answer.log().observe(0, [] {})->read(
        1 << 20, [&](std::uint64_t, std::string_view type, std::string_view json) {
          if (type == "model.waiting") waits.emplace_back(json);
        });
    return out;
  }

  boost::asio::io_context io{1};
  std::string traceparent;
  std::shared_ptr<const services::LogSubject> subject;  ///< of the step's lines
  std::string said;                                     ///< text of the last step
  std::vector<std::string> waits;                       ///< its model.waiting events
  InlineExecutor in_turn;
  FakeTransfers transfers{io};
  SystemClock clock;
  std::stop_source stop;
  std::shared_ptr<LineProvider> provider = std::make_shared<LineProvider>("http://model.test/");
  Result<std::string> secret = test_key();
  RetryPolicy policy{
      .attempts = 3, .first_wait = 1ms, .longest_wait = 2ms, .longest_asked_wait = 5s};
  services::WorkerPool pool{2};
};

std::string name_of(const ::testing::TestParamInfo<Place>& info) {
  return info.param == Place::kHere        ? "Here"
         : info.param == Place::kInTurn    ? "InTurn"
         : info.param == Place::kOnWorkers ? "OnWorkers"
                                           : "Deferred";
}
INSTANTIATE_TEST_SUITE_P(Places, ExchangeTest,
                         ::testing::Values(Place::kHere, Place::kInTurn, Place::kOnWorkers,
                                           Place::kDeferred),
                         name_of);

/// The provider runs in another process, which takes its time.
struct SlowExchangeTest : ExchangeTest {};
INSTANTIATE_TEST_SUITE_P(Places, SlowExchangeTest, ::testing::Values(Place::kOnWorkers), name_of);

/// Functions that are deferred begin under them: what makes the call takes them along.
TEST_P(ExchangeTest, RunsItsFunctionsUnderTheIdsOfTheStep) {
  subject = std::make_shared<const services::LogSubject>();
  std::vector<const void*> seen;
  const auto see = [&] { seen.push_back(services::LogScope::current().get()); };
  if (GetParam() == Place::kDeferred) {
    provider->later = [&](std::function<void()> job) {
      see();
      boost::asio::post(io, std::move(job));
    };
  } else {
    provider->before_data = see;
  }
  transfers.responses = {{.status = 503}, {.pieces = {"t a\n", "t b\n", ".\n"}}};
  EXPECT_TRUE(step().finish);
  EXPECT_FALSE(seen.empty());
  for (const void* each : seen) EXPECT_EQ(each, subject.get());
}

TEST_P(ExchangeTest, StreamsAResponseCutAnywhere) {
  const std::string whole = "t Hello\nt  world\n.\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    transfers.requests.clear();
    transfers.responses = {{.pieces = {whole.substr(0, cut), whole.substr(cut)}}};
    const Step result = step();
    EXPECT_EQ(said, "Hello world") << cut;
    EXPECT_EQ(result.finish, plugins::Finish::kStop);
  }
}

// openai/openai-node#2317: the connection stays open after the end of the answer.
TEST_P(ExchangeTest, IsOverAtTheEndOfTheAnswer) {
  transfers.responses = {{.pieces = {"t Hel", "lo\n.\n"}, .held = true}};
  EXPECT_EQ(step().finish, plugins::Finish::kStop);
  EXPECT_EQ(said, "Hello");
}

TEST_P(ExchangeTest, IsToldThatTimePassesWhileTheServerStaysConnected) {
  provider->ends_at_tick = true;
  transfers.responses = {{.pieces = {"t Hel", "lo\n"}, .held = true}};
  EXPECT_EQ(step().finish, plugins::Finish::kStop);
  EXPECT_EQ(said, "Hello");
}

TEST_P(ExchangeTest, FillsSecretsIntoHeaders) {
  transfers.responses = {{.pieces = {".\n"}}};
  step();
  EXPECT_EQ(transfers.requests[0].headers[0].value, "Bearer " + test_key());
  EXPECT_EQ(transfers.requests[0].headers[0].secret, "");
  EXPECT_TRUE(transfers.requests[0].headers[0].credential);
}

TEST_P(ExchangeTest, SendsTheTraceToTheProviderAlone) {
  traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  transfers.responses = {{.status = 503}, {.pieces = {".\n"}}};
  step();
  ASSERT_EQ(transfers.requests.size(), 2u);
  for (const auto& request : transfers.requests) {
    const auto& header = request.headers.back();
    EXPECT_EQ(header.name, "traceparent");
    EXPECT_EQ(header.value, traceparent);
    EXPECT_TRUE(header.credential);  // a redirect elsewhere drops it
  }
}

TEST_P(ExchangeTest, AMissingSecretIsARefusedKeyAndSendsNothing) {
  secret = Error{Code::kNotFound, "KEY is not set"};
  const Step result = step();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, Code::kUnauthenticated);
  EXPECT_TRUE(transfers.requests.empty());
}

TEST_P(ExchangeTest, TriesAgainBeforeAnythingOfAnAnswerCame) {
  transfers.responses = {
      {.status = 429, .headers = {{"Retry-After", "0", ""}}, .pieces = {"e no\n"}},
      {.status = 0, .end = Error{Code::kUnavailable, "refused"}},
      {.pieces = {"t yes\n.\n"}}};
  step();
  EXPECT_EQ(said, "yes");
  EXPECT_EQ(transfers.requests.size(), 3u);
}

TEST_P(ExchangeTest, TellsReadersWhatIsLeftOfAWait) {
  transfers.responses = {
      {.status = 429, .headers = {{"retry-after-ms", "3", ""}}, .pieces = {"e no\n"}},
      {.pieces = {"t yes\n.\n"}}};
  step();
  const auto waiting = [](int seconds) {
    return R"json({"type":"model.waiting","reason":"too many requests (HTTP 429)","seconds":)json" +
           std::to_string(seconds) + "}";
  };
  EXPECT_EQ(waits, (std::vector{waiting(1), waiting(1), waiting(1), waiting(0)}));
  EXPECT_EQ(said, "yes");
}

TEST_P(ExchangeTest, TheLastAttemptShowsTheProvidersOwnWords) {
  const Response busy{.status = 503, .pieces = {"e overloaded\n"}};
  transfers.responses = {busy, busy, busy};
  const Step result = step();
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->http_status, 503);
  EXPECT_EQ(result.error->message, "overloaded");
}

TEST_P(ExchangeTest, NeverTriesAgainOnceAnAnswerHasBegun) {
  transfers.responses = {{.pieces = {"t half\n"}, .end = Error{Code::kUnavailable, "reset"}}};
  const Step result = step();
  EXPECT_EQ(said, "half");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "the connection broke");
  EXPECT_EQ(transfers.requests.size(), 1u);
}

// Alcova-AI/adk-anthropic-go#32, openai/openai-python#2699, router-for-me/CLIProxyAPI#2712
TEST_P(ExchangeTest, BeginsAnewAfterAPassingErrorInAResponseOfSuccess) {
  const Response busy{.pieces = {"e over", "loaded\n"}};
  transfers.responses = {busy, {.status = 503}, {.pieces = {"t yes\n.\n"}}};
  EXPECT_TRUE(step().finish);
  EXPECT_EQ(said, "yes");
  EXPECT_EQ(transfers.requests.size(), 3u);

  transfers.requests.clear();
  transfers.responses = {busy, busy, busy};
  EXPECT_EQ(step().error->message, "overloaded");
  EXPECT_EQ(transfers.requests.size(), 3u);
}

TEST_P(ExchangeTest, DoesNotBeginAnewAfterOutputOrALastingError) {
  for (const char* const last : {"t half\ne overloaded\n", "e no such model\n"}) {
    transfers.requests.clear();
    transfers.responses = {{.pieces = {last}}};
    EXPECT_TRUE(step().error);
    EXPECT_EQ(transfers.requests.size(), 1u) << last;
  }
}

TEST_P(ExchangeTest, TriesAgainWhenTheConnectionBreaksBeforeTheFirstByteOfABody) {
  transfers.responses = {{.end = Error{Code::kUnavailable, "reset"}}, {.pieces = {"t yes\n.\n"}}};
  EXPECT_TRUE(step().finish);
  EXPECT_EQ(said, "yes");
  EXPECT_EQ(transfers.requests.size(), 2u);
}

TEST_P(ExchangeTest, WaitsAsLongAsTheBodyOfTheRefusalSays) {
  const std::string body = R"({"error":{"details":[{"@type":"x/google.rpc.RetryInfo",)"
                           R"("retryDelay":"0s"}]}})";
  policy.first_wait = policy.longest_wait = 1h;
  transfers.responses = {{.status = 429, .pieces = {body.substr(0, 9), body.substr(9)}},
                         {.pieces = {"t yes\n.\n"}}};
  EXPECT_TRUE(step().finish);
  EXPECT_EQ(said, "yes");
}

TEST_P(ExchangeTest, AProviderThatAsksForTooMuchPatienceIsTakenAtItsWord) {
  transfers.responses = {
      {.status = 429, .headers = {{"retry-after", "31", ""}}, .pieces = {"e in a ", "minute\n"}}};
  policy.longest_asked_wait = 30s;
  EXPECT_EQ(step().error->message, "in a minute");
  EXPECT_EQ(transfers.requests.size(), 1u);
}

TEST_P(ExchangeTest, ALargeRefusalIsCutAndStillRead) {
  policy.attempts = 1;
  std::vector<std::string> pieces = {"e overloaded\n"};
  for (int i = 0; i < 100; ++i) pieces.emplace_back(1000, 'x');
  transfers.responses = {{.status = 503, .pieces = pieces}};
  EXPECT_EQ(step().error->message, "overloaded");
}

TEST_P(ExchangeTest, ARefusalWhoseConnectionBreaksIsStillTheProvidersWord) {
  policy.attempts = 1;
  transfers.responses = {
      {.status = 500, .pieces = {"e broken\n"}, .end = Error{Code::kUnavailable, "reset"}}};
  EXPECT_EQ(step().error->message, "broken");
}

TEST_P(ExchangeTest, SilenceIsAnErrorThatNamesItsLimitAndKeepsWhatWasSaid) {
  const Error silent{Code::kDeadlineExceeded, "http://model.test sent nothing for 7000 ms"};
  transfers.responses = {{.status = 0, .end = silent}, {.pieces = {"t half\n"}, .end = silent}};
  for (const std::string words : {"", "half"}) {
    const Step result = step();
    EXPECT_EQ(said, words);
    EXPECT_EQ(result.error->code, Code::kDeadlineExceeded);
    EXPECT_EQ(result.error->message, "no data for 7 s (model.idle_seconds is the limit)");
  }
  EXPECT_EQ(transfers.idle_limit, 7s);
}

TEST_P(ExchangeTest, ARefusedKeyIsNotTriedAgain) {
  transfers.responses = {{.status = 401, .pieces = {"e invalid key\n"}}};
  const Step result = step();
  EXPECT_EQ(result.error->http_status, 401);
  EXPECT_EQ(transfers.requests.size(), 1u);
}

TEST_P(ExchangeTest, AConnectionThatNeverComesIsAnErrorInTheEnd) {
  const Response none{.status = 0, .end = Error{Code::kUnavailable, "connection refused"}};
  transfers.responses = {none, none, none};
  const Step result = step();
  EXPECT_EQ(result.error->message, "connection refused");
}

TEST_P(ExchangeTest, AStopEndsTheWaitForAnotherTry) {
  policy.first_wait = policy.longest_wait = 1h;
  transfers.responses = {{.status = 500}};
  transfers.on_head = [this] { stop.request_stop(); };
  const Step result = step();
  EXPECT_EQ(result.error->code, Code::kCancelled);
}

TEST_P(ExchangeTest, ARequestTheProviderCannotMakeIsItsError) {
  provider->refuse = true;
  EXPECT_EQ(step().error->message, "no such option");
}

/// Blocks the provider's first data() until the loop has passed on all that follows.
TEST_P(SlowExchangeTest, TheLoopRunsOnAndLaterBytesArriveTogether) {
  std::promise<void> all_sent;
  provider->before_data = [&, first = true, sent = all_sent.get_future().share()]() mutable {
    if (std::exchange(first, false)) sent.wait();
  };
  transfers.responses = {{.pieces = {"t a\n", "t b\n", "t c\n", ".\n"}}};
  transfers.on_sent = [&] { all_sent.set_value(); };
  EXPECT_TRUE(step().finish);
  EXPECT_EQ(said, "abc");
  EXPECT_LE(provider->pieces, 2u) << "those before the wait, and the others";
}

/// The functions of the exchange are deferred, and the first one is held.
struct HeldExchangeTest : ExchangeTest {
  HeldExchangeTest() {
    provider->later = [this](std::function<void()> job) {
      if (held) return waiting.push_back(std::move(job));
      boost::asio::post(io, std::move(job));
    };
  }
  /// Has it end, after what the loop does now.
  void release() {
    held = false;
    for (auto& job : std::exchange(waiting, {})) boost::asio::post(io, std::move(job));
  }
  bool held = true;
  std::vector<std::function<void()>> waiting;
};
INSTANTIATE_TEST_SUITE_P(Places, HeldExchangeTest, ::testing::Values(Place::kDeferred), name_of);

TEST_P(HeldExchangeTest, BytesThatComeMeanwhileArriveTogether) {
  transfers.responses = {{.pieces = {"t a\n", "t b\n", "t c\n", ".\n"}}};
  transfers.on_sent = [this] {
    EXPECT_EQ(waiting.size(), 1u) << "one function at a time";
    release();
  };
  EXPECT_TRUE(step().finish);
  EXPECT_EQ(said, "abc");
  EXPECT_EQ(provider->pieces, 1u);
}

TEST_P(HeldExchangeTest, TooManyWaitingBytesCutTheResponse) {
  transfers.responses = {{.pieces = {"t a\n"}}};
  for (int i = 0; i < 12; ++i) transfers.responses[0].pieces.push_back(std::string(1u << 20, 'x'));
  transfers.on_sent = [this] { release(); };
  const Step result = step();
  EXPECT_EQ(said, "a");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "the connection broke");
}

TEST_P(HeldExchangeTest, AnErrorOfTheTransferFollowsWhatCameBefore) {
  transfers.responses = {
      {.pieces = {"t half\n"}, .end = Error{Code::kDeadlineExceeded, "sent nothing for 7000 ms"}}};
  transfers.on_sent = [this] { boost::asio::post(io, [this] { release(); }); };
  const Step result = step();
  EXPECT_EQ(said, "half");
  EXPECT_EQ(result.error->message, "no data for 7 s (model.idle_seconds is the limit)");
}

TEST_P(SlowExchangeTest, TooManyWaitingBytesCutTheResponse) {
  std::promise<void> all_sent;
  provider->before_data = [&, first = true, sent = all_sent.get_future().share()]() mutable {
    if (std::exchange(first, false)) sent.wait();
  };
  transfers.responses = {{.pieces = {"t a\n"}}};
  for (int i = 0; i < 12; ++i) transfers.responses[0].pieces.push_back(std::string(1u << 20, 'x'));
  transfers.on_sent = [&] { all_sent.set_value(); };
  const Step result = step();
  EXPECT_EQ(said, "a");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "the connection broke");
}

}  // namespace
}  // namespace quarry::ask
