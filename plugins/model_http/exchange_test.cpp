#include "model_http/exchange.h"

#include <quarry/testing.hpp>

#include <nlohmann/json.hpp>

namespace quarry::model_http {
namespace {

/// Passes messages on as text; the message "end" is the end.
class Echo final : public Decoder {
 public:
  void message(std::string_view name, std::string_view data, Output& output) override {
    if (data == "end") return output.finish(QUARRY_FINISH_STOP);
    output.text(std::string(name) + "(" + std::string(data) + ")");
  }
};

/// A decoder for which only the end of the stream is an end.
class Patient final : public Decoder {
 public:
  void message(std::string_view, std::string_view data, Output& output) override {
    output.text(data);
  }
  void over(Output& output) override { output.finish(QUARRY_FINISH_LENGTH); }
};

struct Fixture {
  quarry::testing::Sink recorder;
  ModelSink sink{recorder.get()};
};

TEST(Exchange, HandsEventsToItsDecoderAndTakesNothingAfterTheEnd) {
  Fixture fixture;
  Exchange exchange({"POST", "https://a.example", {}, "{}"}, Framing::kEvents,
                    std::make_unique<Echo>());
  EXPECT_EQ(exchange.request().body, "{}");
  exchange.head(200, {}, fixture.sink);
  exchange.data("event: a\ndata: 1\n\nda", fixture.sink);
  exchange.data("ta: end\n\ndata: late\n\n", fixture.sink);
  exchange.end(QUARRY_END_COMPLETE, fixture.sink);
  EXPECT_EQ(fixture.recorder.step.text, "a(1)");
  EXPECT_EQ(fixture.recorder.step.finishes.size(), 1u);
  EXPECT_TRUE(fixture.recorder.step.errors.empty());
}

TEST(Exchange, ReadsALastLineWithoutItsEnd) {
  Fixture fixture;
  Exchange exchange({}, Framing::kLines, std::make_unique<Echo>());
  exchange.data("1\n\nend", fixture.sink);
  exchange.end(QUARRY_END_COMPLETE, fixture.sink);
  EXPECT_EQ(fixture.recorder.step.text, "(1)");
  EXPECT_EQ(fixture.recorder.step.finishes.size(), 1u);
}

TEST(Exchange, HoldsItsRequestUntilTheResponseComes) {
  Fixture fixture;
  Exchange exchange({"POST", "https://a.example", {}, "{}"}, Framing::kLines,
                    std::make_unique<Echo>());
  EXPECT_EQ(exchange.request().body, "{}");
  EXPECT_EQ(exchange.request().body, "{}") << "for a retry";
  exchange.head(200, {}, fixture.sink);
  EXPECT_EQ(exchange.request().body, "");
}

TEST(Exchange, TellsAStreamThatEndsTooEarly) {
  for (const quarry_end reason : {QUARRY_END_COMPLETE, QUARRY_END_CUT}) {
    Fixture fixture;
    Exchange exchange({}, Framing::kEvents, std::make_unique<Echo>());
    exchange.data("data: 1\n\n", fixture.sink);
    exchange.end(reason, fixture.sink);
    ASSERT_EQ(fixture.recorder.step.errors.size(), 1u);
    EXPECT_EQ(fixture.recorder.step.errors[0],
              reason == QUARRY_END_CUT ? "the connection broke before the response was complete"
                                       : "the response ended before it was complete");
  }
}

/// A decoder of a protocol whose end is named before the last message.
class Named final : public Decoder {
 public:
  void message(std::string_view, std::string_view data, Output& output) override {
    named_ = named_ || data == R"({"reason":"stop"})";
    output.text(data);
  }
  void quiet(Output& output) override {
    if (named_) output.finish(QUARRY_FINISH_STOP);
  }

 private:
  bool named_ = false;
};

/// The step of a stream in which empty pieces are ticks, and that stays open.
quarry::testing::Sink::Step ticked(const std::vector<std::string_view>& pieces) {
  Fixture fixture;
  Exchange exchange({}, Framing::kEvents, std::make_unique<Named>());
  for (const auto piece : pieces) exchange.data(piece, fixture.sink);
  return fixture.recorder.step;
}

// maximhq/bifrost#6784, agentscope-ai/agentscope-java#2073: the server stays connected.
TEST(Exchange, IsOverAfterTwoTicksOnceTheServerHasNamedItsEnd) {
  const std::string_view named = "data: {\"reason\":\"stop\"}\n\n";
  EXPECT_EQ(ticked({named, "", ""}).finishes.size(), 1u);
  EXPECT_EQ(ticked({named, "", ": ping\n\n", ""}).finishes.size(), 1u)
      << "comments are no messages";
  EXPECT_EQ(ticked({named, ""}).finishes.size(), 0u) << "usage may follow";
  EXPECT_EQ(ticked({named, "", "data: {}\n\n", ""}).finishes.size(), 0u);
  EXPECT_EQ(ticked({"data: {}\n\n", "", "", "", ""}).finishes.size(), 0u) << "the model thinks";
}

TEST(Exchange, ReadsAMessageWithoutItsLineEndWhenTheServerWaits) {
  EXPECT_EQ(ticked({"data: {\"reason\":\"stop\"}", "", "", ""}).finishes.size(), 1u);
  EXPECT_EQ(ticked({"{\"reason\":\"stop\"}", "", "", ""}).finishes.size(), 1u);
  const auto half = ticked({"data: {\"rea", "", "", "son\":\"stop\"}\n\n", "", ""});
  EXPECT_EQ(half.finishes.size(), 1u);
  EXPECT_EQ(half.text, "{\"reason\":\"stop\"}");
}

// npuichigo/openai_trtllm#31: the connection breaks between the reason and the end of the body.
TEST(Exchange, IsWholeWhenTheConnectionBreaksAfterTheEndWasNamed) {
  Fixture fixture;
  Exchange exchange({}, Framing::kEvents, std::make_unique<Named>());
  exchange.data("data: {\"reason\":\"stop\"}\n\n", fixture.sink);
  exchange.end(QUARRY_END_CUT, fixture.sink);
  EXPECT_EQ(fixture.recorder.step.finishes.size(), 1u);
  EXPECT_TRUE(fixture.recorder.step.errors.empty());
}

/// A decoder that makes nothing of what it hears.
class Deaf final : public Decoder {
 public:
  void message(std::string_view, std::string_view, Output&) override {}
};

/// What is told of a response with status 200 that has no answer.
std::string told_of(std::string_view body, Framing framing = Framing::kEvents) {
  Fixture fixture;
  Exchange exchange({}, framing, std::make_unique<Deaf>());
  exchange.head(200, {}, fixture.sink);
  exchange.data(body, fixture.sink);
  exchange.end(QUARRY_END_COMPLETE, fixture.sink);
  return fixture.recorder.step.errors.front();
}

// decolua/9router#3051, vllm-project/vllm#18826: errors with status 200, in shapes of their own
TEST(Exchange, TellsTheWordsOfAFailureInAMessageThatItsDecoderDoesNotKnow) {
  constexpr std::string_view kEarly = "the response ended before it was complete";
  EXPECT_EQ(told_of("data: {\"detail\":\"no quota\"}\n\n"), std::string(kEarly) + ": no quota");
  EXPECT_EQ(told_of("data: {\"type\":\"ping\"}\n\ndata: {\"msg\":\"no quota\"}\n\ndata: {}\n\n"),
            std::string(kEarly) + ": no quota");
  EXPECT_EQ(told_of("data: {\"message\":{\"role\":\"assistant\",\"content\":[]}}\n\n"), kEarly);
  EXPECT_EQ(told_of("{\"errors\":[{\"message\":\"no quota\"}]}\n", Framing::kLines),
            std::string(kEarly) + ": no quota");
}

TEST(Exchange, TellsPlainTextWhereEventsShouldBe) {
  const std::string wanted = "the response is not a stream: rate limit exceeded";
  EXPECT_EQ(told_of("rate limit exceeded"), wanted) << "begins like the field \"retry\"";
  EXPECT_EQ(told_of("rate limit exceeded", Framing::kLines), wanted);
  EXPECT_EQ(told_of("Internal error"), "the response is not a stream: Internal error");
  EXPECT_EQ(told_of(": keep-alive\n\n"), "the response ended before it was complete");
}

TEST(Exchange, LetsADecoderTellTheEndOfAStreamThatJustEnds) {
  Fixture whole;
  Exchange complete({}, Framing::kEvents, std::make_unique<Patient>());
  complete.end(QUARRY_END_COMPLETE, whole.sink);
  EXPECT_EQ(whole.recorder.step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_LENGTH});
  Fixture cut;
  Exchange broken({}, Framing::kEvents, std::make_unique<Patient>());
  broken.end(QUARRY_END_CUT, cut.sink);
  EXPECT_EQ(cut.recorder.step.errors.size(), 1u);
}

TEST(Exchange, AMessageIsAJsonObject) {
  OutputState state;
  Fixture fixture;
  Output output(fixture.sink, state);
  EXPECT_EQ(read_message(R"({"a":1})", output)["a"], 1);
  EXPECT_FALSE(state.ended);
  EXPECT_EQ(read_message(R"([{"a":1}])", output)["a"], 1) << "as Google sends an error";
  EXPECT_TRUE(read_message("[1]", output).is_discarded());
  EXPECT_TRUE(read_message("{", output).is_discarded());
  EXPECT_EQ(fixture.recorder.step.errors,
            std::vector<std::string>{"the stream contains a message that is not a JSON object"});
}

TEST(Exchange, TellsAFailureInTheProvidersWords) {
  Fixture fixture;
  Exchange exchange({}, Framing::kEvents, std::make_unique<Echo>());
  exchange.head(429, {{"Retry-After", "3", {}}}, fixture.sink);
  exchange.data(R"({"error":{"mess)", fixture.sink);
  exchange.data(R"(age":"slow down"}})", fixture.sink);
  exchange.end(QUARRY_END_COMPLETE, fixture.sink);
  EXPECT_EQ(fixture.recorder.step.errors, std::vector<std::string>{"slow down"});
  EXPECT_TRUE(fixture.recorder.step.text.empty());
}

TEST(Exchange, TellsAPageWhereEventsShouldBe) {
  Fixture fixture;
  Exchange exchange({}, Framing::kEvents, std::make_unique<Echo>());
  exchange.head(200, {{"Content-Type", "application/json; charset=utf-8", {}}}, fixture.sink);
  exchange.data(R"({"error":"Unexpected endpoint"})", fixture.sink);
  exchange.end(QUARRY_END_COMPLETE, fixture.sink);
  EXPECT_EQ(fixture.recorder.step.errors,
            std::vector<std::string>{"the response is not a stream: Unexpected endpoint"});
}

}  // namespace
}  // namespace quarry::model_http
