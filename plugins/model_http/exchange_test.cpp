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
