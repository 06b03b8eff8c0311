#include "retrieval/provider_encoder.h"

#include "base/json.h"
#include "base/testing/fake_clock.h"
#include "retrieval/testing/line_providers.h"
#include "services/log_scope.h"
#include "services/testing/scripted_server.h"

#include <condition_variable>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::retrieval {
namespace {

using namespace std::chrono_literals;
using corpus::TextKind;
using services::testing::ClientHost;
using services::testing::ok;
using services::testing::Peer;
using services::testing::ScriptedServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using EncodingProvider = testing::LineProvider<plugins::EmbeddingSink>;
using Texts = std::vector<std::string_view>;

std::string refusal(const char* status, std::string_view body, std::string_view headers = "") {
  return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

/// The bodies of a server's responses, in order; the last one repeatedly.
class Responses {
 public:
  explicit Responses(std::vector<std::string> responses)
      : responses_(std::move(responses)), server_([this](Peer& peer) { answer(peer); }) {}
  [[nodiscard]] std::string url() const { return server_.url("/embed"); }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  void wait_for_a_request() {
    std::unique_lock lock(mutex_);
    received_.wait(lock, [this] { return !requests_.empty(); });
  }

 private:
  void answer(Peer& peer) {
    while (auto request = peer.request()) {
      std::string response;
      {
        const std::lock_guard lock(mutex_);
        response = responses_[std::min(requests_.size(), responses_.size() - 1)];
        requests_.push_back(*request);
        received_.notify_all();
      }
      if (response == "reset") return peer.reset();
      if (response == "hang") return peer.wait_until_closed();
      if (!peer.write(response)) return;
      if (response.ends_with("cut")) return peer.end();
    }
  }

  std::mutex mutex_;
  std::condition_variable received_;
  std::vector<std::string> responses_;
  std::vector<std::string> requests_;
  ScriptedServer server_;
};

class ProviderEncoder : public ::testing::Test {
 protected:
  std::shared_ptr<corpus::Encoder> encoder(std::shared_ptr<EncodingProvider> provider) {
    ProviderUse use{.id = "work",
                    .component = "openai",
                    .model = "m",
                    .services = {.http = host_.client(),
                                 .clock = clock_,
                                 .secret = [](auto name, auto) -> Result<std::string> {
                                   if (name == "key") return std::string("hunter2");
                                   return Error(Code::kNotFound, "KEY is not set");
                                 },
                                 .retry = {.attempts = 3, .first_wait = 1ms, .longest_wait = 2ms}},
                    .limits = limits_};
    use.permit = [this] { return permit_; };
    use.spent = [this](const plugins::Usage& usage, bool failed) {
      const std::lock_guard lock(spent_mutex_);
      spent_.push_back(std::to_string(usage.input) + (failed ? " failed" : ""));
    };
    use.tracer = tracer_;
    use.operation = "embeddings";
    return retrieval::make_encoder(std::move(provider), std::move(use));
  }
  std::shared_ptr<corpus::Encoder> encoder(const Responses& server, std::uint32_t most = 10) {
    return encoder(std::make_shared<EncodingProvider>(server.url(), most));
  }
  Error failure(Responses server, const Texts& texts = {"a", "b"},
                TextKind kind = TextKind::kPassage) {
    auto rows = encoder(server)->encode(texts, kind, {});
    EXPECT_FALSE(rows);
    return rows ? Error() : rows.error();
  }

  ClientHost host_;
  FakeClock clock_;
  ExchangeLimits limits_;
  const services::Tracer* tracer_ = nullptr;
  Status permit_;
  std::mutex spent_mutex_;
  std::vector<std::string> spent_;
};

TEST_F(ProviderEncoder, IsIdentifiedByComponentModelAndVariant) {
  const auto provider = std::make_shared<EncodingProvider>("http://127.0.0.1:1/");
  EXPECT_EQ(encoder(provider)->identity(), "openai/m");
  provider->description.variant = R"({"dimensions":2})";
  EXPECT_EQ(encoder(provider)->identity(), R"(openai/m {"dimensions":2})");
}

TEST_F(ProviderEncoder, GivesARowATextInTheOrderOfTheTexts) {
  Responses server({ok("1 3 4\n0 1 2\nusage 7")});
  const auto rows = encoder(server)->encode(Texts{"a", "b\"\xC3\xA9"}, TextKind::kQuery, {});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_THAT(*rows, ElementsAre(1, 2, 3, 4));
  const std::string sent = server.requests().at(0);
  EXPECT_TRUE(sent.starts_with("POST /embed"));
  EXPECT_EQ(parse_json(sent.substr(sent.find("\r\n\r\n") + 4)),
            Json({{"model", "m"}, {"kind", "query"}, {"texts", {"a", "b\"\xC3\xA9"}}}));
  EXPECT_THAT(spent_, ElementsAre("7"));
}

TEST_F(ProviderEncoder, ARequestIsASpanWhoseTraceTheProviderGets) {
  std::vector<Json> spans;
  const services::Tracer tracer(clock_, {},
                                [&](std::string span) { spans.push_back(Json::parse(span)); });
  tracer_ = &tracer;
  Responses server({ok("0 1 2\nusage 7"), refusal("401 Unauthorized", "error")});
  const auto asked = encoder(server);
  ASSERT_TRUE(asked->encode(Texts{"some words"}, TextKind::kQuery, {}));
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0]["name"], "embeddings m");
  EXPECT_EQ(spans[0]["kind"], 3);
  EXPECT_THAT(server.requests().at(0),
              HasSubstr("traceparent: 00-" + spans[0]["traceId"].get<std::string>() + "-" +
                        spans[0]["spanId"].get<std::string>() + "-01\r\n"));
  const std::string attributes = spans[0]["attributes"].dump();
  EXPECT_THAT(attributes, HasSubstr(R"("gen_ai.provider.name","value":{"stringValue":"openai"})"));
  EXPECT_THAT(attributes, HasSubstr(R"("gen_ai.usage.input_tokens","value":{"intValue":"7"})"));
  EXPECT_EQ(attributes.find("some words"), std::string::npos);
  EXPECT_FALSE(asked->encode(Texts{"b"}, TextKind::kQuery, {}));
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[1]["status"]["code"], 2);
}

TEST_F(ProviderEncoder, ARequestForAQuestionBelongsToItsTraceOneForPassagesDoesNot) {
  std::vector<Json> spans;
  const services::Tracer tracer(clock_, {},
                                [&](std::string span) { spans.push_back(Json::parse(span)); });
  tracer_ = &tracer;
  Responses server({ok("0 1 2"), ok("0 1 2"), ok("0 1 2"), ok("0 1 2")});
  const auto asked = encoder(server);
  services::LogSubject subject{.trace = services::new_trace(true)};
  const auto encode = [&](TextKind kind) {
    const services::LogScope scope(std::make_shared<const services::LogSubject>(subject));
    EXPECT_TRUE(asked->encode(Texts{"a"}, kind, {}));
  };
  encode(TextKind::kQuery);
  encode(TextKind::kPassage);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["traceId"], services::trace_id(subject.trace));
  EXPECT_EQ(spans[0]["parentSpanId"], services::span_id(subject.trace));
  EXPECT_NE(spans[1]["traceId"], services::trace_id(subject.trace));
  subject.trace.span = {};  // a request without a span, whose client named a trace
  encode(TextKind::kQuery);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_NE(spans[2]["traceId"], services::trace_id(subject.trace));
  subject.trace = services::new_trace(false);
  encode(TextKind::kQuery);
  EXPECT_EQ(spans.size(), 3u) << "the question is not recorded";
  EXPECT_THAT(server.requests().at(3), HasSubstr(services::to_traceparent(subject.trace)));
}

TEST_F(ProviderEncoder, SendsManyTextsInSeveralRequests) {
  Responses server({ok("0 1\n1 2"), ok("0 3\n1 4"), ok("0 5")});
  const Texts texts{"a", "b", "c", "d", "e"};
  const auto rows = encoder(server, 2)->encode(texts, TextKind::kPassage, {});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_THAT(*rows, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_THAT(server.requests().at(2), HasSubstr(R"("kind":"passage","texts":["e"])"));
}

TEST_F(ProviderEncoder, SendsLongTextsInRequestsOfTheirOwn) {
  Responses server({ok("0 1")});
  const std::string text(400'000, 'x');
  const auto rows = encoder(server)->encode(Texts{text, text}, TextKind::kPassage, {});
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(ProviderEncoder, EncodesNoEmptyText) {
  const auto provider = std::make_shared<EncodingProvider>("http://127.0.0.1:1/");
  const auto rows = encoder(provider)->encode(Texts{"a", ""}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kInvalidArgument);
  EXPECT_EQ(rows.error().message, "text 1 to encode is empty");
  EXPECT_EQ(provider->begun, 0);
}

TEST_F(ProviderEncoder, RefusesAResponseThatIsNotAVectorForEachText) {
  const std::pair<const char*, const char*> wrongs[] = {
      {"0 1", "the response has 1 vectors for 2 texts"},
      {"0 1\n1 1\n2 1", "the response has a vector with the index 2, and the request 2 texts"},
      {"0 1\n0 1", "the response has two vectors with the index 0"},
      {"0 1\n1 1 2", "the response has a vector of 2 values, and another one of 1"},
      {"0 1\n1 nan", "the vector with the index 1 has a value that is not finite"},
      {"0 1\n1 -inf", "the vector with the index 1 has a value that is not finite"}};
  for (const auto& [body, message] : wrongs) {
    spent_.clear();
    const Error error = failure(Responses({ok(body)}));
    EXPECT_EQ(error.code, Code::kDataLoss) << body;
    EXPECT_EQ(error.message, std::string("the provider of work/m: ") + message);
    EXPECT_THAT(error.hint, HasSubstr("\"m\" is a model for this purpose"));
    EXPECT_THAT(spent_, ElementsAre("-1 failed"));
  }
}

TEST_F(ProviderEncoder, RefusesVectorsOfAnotherDimensionThanBefore) {
  Responses server({ok("0 1 2"), ok("0 1 2 3")});
  const auto made = encoder(server);
  EXPECT_TRUE(made->encode(Texts{"a"}, TextKind::kPassage, {}));
  const auto rows = made->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, HasSubstr("a vector of 3 values, and earlier ones had 2: the "
                                              "server uses another model under the same name"));
}

TEST_F(ProviderEncoder, TriesAgainAfterAFailureThatMayPass) {
  for (const auto* first : {"reset", "503"}) {
    Responses server(
        {std::string(first) == "reset" ? "reset" : refusal("503 Busy", "busy"), ok("0 1")});
    const auto rows = encoder(server)->encode(Texts{"a"}, TextKind::kPassage, {});
    ASSERT_TRUE(rows) << first << rows.error().message;
    EXPECT_EQ(server.requests().size(), 2u) << first;
  }
  EXPECT_THAT(spent_, ElementsAre("-1", "-1"));
}

TEST_F(ProviderEncoder, WaitsAsLongAsTheServerAsks) {
  Responses server({refusal("429 Slow", "slow down", "Retry-After-Ms: 40\r\n"), ok("0 1")});
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(encoder(server)->encode(Texts{"a"}, TextKind::kPassage, {}));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 40ms);
}

TEST_F(ProviderEncoder, ReportsAQuotaThatStaysUsedUp) {
  Responses server({refusal("429 Slow", "out of quota", "Retry-After: 600\r\n")});
  const auto rows = encoder(server)->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kResourceExhausted);
  EXPECT_EQ(rows.error().message, "the provider of work/m: HTTP 429: out of quota");
  EXPECT_EQ(server.requests().size(), 1u) << "a wait of ten minutes is too long";
}

TEST_F(ProviderEncoder, TriesThreeTimesForPassagesAndTwiceForAQuery) {
  for (const auto& [kind, attempts] : {std::pair(TextKind::kPassage, 3u), {TextKind::kQuery, 2u}}) {
    Responses server({refusal("500 Broken", "broken")});
    EXPECT_FALSE(encoder(server)->encode(Texts{"a"}, kind, {}));
    EXPECT_EQ(server.requests().size(), attempts);
  }
}

TEST_F(ProviderEncoder, ReportsARefusalOnce) {
  Responses server({refusal("401 No", "who are you")});
  const auto rows = encoder(server)->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kUnauthenticated);
  EXPECT_FALSE(rows.error().hint.empty());
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ProviderEncoder, ReportsAResponseThatBreaksOff) {
  const Error error = failure(Responses({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut"}));
  EXPECT_EQ(error.message, "the provider of work/m: it broke off");
  EXPECT_EQ(error.code, Code::kUnavailable);
}

TEST_F(ProviderEncoder, ReportsAServerThatIsNotThere) {
  const auto provider = std::make_shared<EncodingProvider>("http://127.0.0.1:1/");
  const auto rows = encoder(provider)->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kUnavailable);
}

TEST_F(ProviderEncoder, GivesUpAServerThatSendsNothing) {
  limits_.idle = 50ms;
  const Error error = failure(Responses({"hang"}));
  EXPECT_EQ(error.code, Code::kDeadlineExceeded);
}

TEST_F(ProviderEncoder, RefusesAResponseThatIsTooLarge) {
  const Error error = failure(Responses({ok(std::string(2u << 20, 'x'))}), {"a"});
  EXPECT_EQ(error.code, Code::kResourceExhausted) << error.message;
}

TEST_F(ProviderEncoder, EndsWithItsCaller) {
  std::stop_source stop;
  std::promise<void> asked;
  ScriptedServer server([&](Peer& peer) {
    peer.request();
    asked.set_value();
    peer.wait_until_closed();
  });
  const auto made = encoder(std::make_shared<EncodingProvider>(server.url()));
  std::jthread stopper([&] {
    asked.get_future().wait();
    stop.request_stop();
  });
  const auto rows = made->encode(Texts{"a"}, TextKind::kPassage, stop.get_token());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kCancelled);
}

TEST_F(ProviderEncoder, EndsWithItsCallerWhileItWaits) {
  Responses server({refusal("429 Slow", "slow down", "Retry-After: 20\r\n")});
  std::stop_source stop;
  std::jthread stopper([&] {
    server.wait_for_a_request();
    stop.request_stop();
  });
  const auto rows = encoder(server)->encode(Texts{"a"}, TextKind::kPassage, stop.get_token());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kCancelled);
}

TEST_F(ProviderEncoder, SendsTheKeyAndNothingWithoutIt) {
  Responses server({ok("0 1")});
  EXPECT_TRUE(encoder(std::make_shared<EncodingProvider>(server.url(), 10, "key"))
                  ->encode(Texts{"a"}, TextKind::kPassage, {}));
  EXPECT_THAT(server.requests().at(0), HasSubstr("Authorization: Bearer hunter2\r\n"));
  const auto rows = encoder(std::make_shared<EncodingProvider>(server.url(), 10, "other"))
                        ->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::kUnauthenticated);
  EXPECT_THAT(rows.error().message, HasSubstr("KEY is not set"));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ProviderEncoder, SpendsNothingThatIsNotPermitted) {
  permit_ = Error(Code::kResourceExhausted, "the budget is used up");
  Responses server({ok("0 1")});
  EXPECT_EQ(encoder(server)->encode(Texts{"a"}, TextKind::kPassage, {}).error().message,
            "the budget is used up");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_TRUE(spent_.empty());
}

TEST_F(ProviderEncoder, PassesOnTheProvidersRefusal) {
  const auto provider = std::make_shared<EncodingProvider>("http://127.0.0.1:1/");
  provider->refuses = true;
  const auto rows = encoder(provider)->encode(Texts{"a"}, TextKind::kPassage, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, "no such model");
}

TEST_F(ProviderEncoder, MayBeUsedBySeveralThreads) {
  Responses server({ok("0 1 2")});
  const auto made = encoder(server);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 5; ++j) {
          if (made->encode(Texts{"a"}, TextKind::kPassage, {})) ++good;
        }
      });
    }
  }
  EXPECT_EQ(good, 20);
}

}  // namespace
}  // namespace quarry::retrieval
