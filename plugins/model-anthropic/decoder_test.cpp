#include "model-anthropic/testing/stream.h"

#include <quarry/testing.hpp>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace quarry::anthropic {
namespace {

using Json = nlohmann::json;
using quarry::testing::Response;
using quarry::testing::Sink;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;  // NOLINT(google-build-using-namespace): the events of a stream

constexpr const char* kChat = R"({"model":"m","messages":[{"role":"user","text":"?"}]})";

struct Decoder : ::testing::Test {
  quarry::testing::Component<quarry_model_v1> model{quarry_plugin_entry_v1, QUARRY_MODEL,
                                                    "anthropic"};

  Sink::Step read(std::string_view body) {
    return quarry::testing::exchange_cut_everywhere(model, kChat, body);
  }
  std::vector<quarry_finish> finishes(std::string_view stop_reason) {
    return read(message_start("{}") + text_block(0, "x") + message_end(stop_reason)).finishes;
  }
};

std::string with_carriage_returns(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, "\r");
  }
  return text;
}

std::vector<Json> parsed(const std::vector<std::string>& kept) {
  std::vector<Json> out;
  for (const auto& json : kept) out.push_back(Json::parse(json));
  return out;
}

constexpr std::string_view kText =
    "event: message_start\n"
    R"(data: {"type":"message_start","message":{"model":"claude-haiku-4-5-20251001","id":"msg_01A",)"
    R"("type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,)"
    R"("usage":{"input_tokens":14,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,)"
    R"("cache_creation":{"ephemeral_5m_input_tokens":0},"output_tokens":1}}})"
    "\n\n"
    "event: content_block_start\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}      })"
    "\n\n"
    "event: ping\n"
    R"(data: {"type": "ping"})"
    "\n\n"
    "event: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße, "}})"
    "\n\n"
    "event: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d\ude00\n"}  })"
    "\n\n"
    "event: content_block_stop\n"
    R"(data: {"type":"content_block_stop","index":0          })"
    "\n\n"
    "event: message_delta\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},)"
    R"("usage":{"input_tokens":14,"output_tokens":9}})"
    "\n\n"
    "event: message_stop\n"
    R"(data: {"type":"message_stop"   })"
    "\n\n";

TEST_F(Decoder, StreamsTextHoweverTheLinesEnd) {
  const auto step = read(kText);
  EXPECT_EQ(step.text, "Grüße, 😀\n");
  EXPECT_THAT(step.finishes, ElementsAre(QUARRY_FINISH_STOP));
  EXPECT_EQ(step.input_tokens, 14);
  EXPECT_EQ(step.output_tokens, 9);
  EXPECT_EQ(step.cache_read_tokens, 0);
  EXPECT_EQ(step.reasoning_tokens, -1);
  EXPECT_TRUE(step.kept.empty());
  EXPECT_TRUE(read(with_carriage_returns(std::string(kText))) == step);
}

TEST_F(Decoder, KeepsThinkingWithItsSignatureAndStreamsParallelCalls) {
  const auto step =
      read(message_start(R"({"input_tokens":10,"output_tokens":2})") +
           block(0, R"({"type":"thinking","thinking":"","signature":""})") +
           delta(0, "thinking_delta", R"("thinking":"Look for ")") +
           delta(0, "thinking_delta", R"("thinking":"\"dates\".")") +
           delta(0, "signature_delta", R"("signature":"Eq\/4+Ag==")") + block_stop(0) +
           text_block(1, "I look.") +
           block(2, R"({"type":"tool_use","id":"toolu_1","name":"grep","input":{}})") +
           delta(2, "input_json_delta", R"("partial_json":"")") +
           delta(2, "input_json_delta", R"("partial_json":"{\"pattern\": \"da")") +
           delta(2, "input_json_delta", R"("partial_json":"te\"}")") + block_stop(2) +
           block(3, R"({"type":"tool_use","id":"toolu_2","name":"list","input":{}})") +
           delta(3, "input_json_delta", R"("partial_json":"{}")") + block_stop(3) +
           message_end("tool_use",
                       R"({"output_tokens":77,"output_tokens_details":{"thinking_tokens":30}})"));
  EXPECT_EQ(step.reasoning, "Look for \"dates\".");
  EXPECT_EQ(step.text, "I look.");
  EXPECT_EQ(step.calls, (std::map<std::uint32_t, Sink::ToolCall>{
                            {0, {"toolu_1", "grep", R"({"pattern": "date"})"}},
                            {1, {"toolu_2", "list", "{}"}}}));
  EXPECT_THAT(
      parsed(step.kept),
      ElementsAre(Json{
          {"anthropic",
           {{"type", "thinking"}, {"thinking", "Look for \"dates\"."}, {"signature", "Eq/4+Ag=="}}},
          {"text", 0},
          {"calls", 0}}));
  EXPECT_THAT(step.finishes, ElementsAre(QUARRY_FINISH_TOOL_CALLS));
  EXPECT_EQ(step.output_tokens, 77);
  EXPECT_EQ(step.reasoning_tokens, 30);
}

TEST_F(Decoder, KeepsThePlaceOfThinkingBetweenTextAndCalls) {
  const auto step =
      read(message_start("{}") + text_block(0, "Grüße.") +
           block(1, R"({"type":"redacted_thinking","data":"EmwK"})") + block_stop(1) +
           block(2, R"({"type":"tool_use","id":"t1","name":"list","input":{}})") + block_stop(2) +
           block(3, R"({"type":"thinking","thinking":"","signature":""})") +
           delta(3, "signature_delta", R"("signature":"c2ln")") + block_stop(3) +
           message_end("tool_use"));
  EXPECT_THAT(parsed(step.kept),
              ElementsAre(Json{{"anthropic", {{"type", "redacted_thinking"}, {"data", "EmwK"}}},
                               {"text", 8},
                               {"calls", 0}},
                          Json{{"anthropic",
                                {{"type", "thinking"}, {"thinking", ""}, {"signature", "c2ln"}}},
                               {"text", 8},
                               {"calls", 1}}));
  EXPECT_EQ(step.reasoning, "") << "redacted thinking is not shown";
}

TEST_F(Decoder, TellsInterleavedBlocksApartByTheirIndex) {
  const auto step =
      read(message_start("{}") + block(7, R"({"type":"tool_use","id":"a","name":"read"})") +
           block(2, R"({"type":"tool_use","id":"b","name":"grep"})") +
           delta(2, "input_json_delta", R"("partial_json":"{\"b\":")") +
           delta(7, "input_json_delta", R"("partial_json":"{\"a\":")") +
           delta(2, "input_json_delta", R"("partial_json":"2}")") + block_stop(2) +
           delta(7, "input_json_delta", R"("partial_json":"1}")") + block_stop(7) +
           message_end("tool_use"));
  EXPECT_EQ(step.calls.at(0).arguments, R"({"a":1})");
  EXPECT_EQ(step.calls.at(1).arguments, R"({"b":2})");
}

TEST_F(Decoder, GivesTheInputThatCameWithTheStartOfACall) {
  const auto step = read(
      message_start("{}") + block(0, R"({"type":"tool_use","id":"a","name":"list","input":{}})") +
      delta(0, "input_json_delta", R"("partial_json":"")") + block_stop(0) +
      block(1, R"({"type":"tool_use","id":"b","name":"read","input":{"path":"x"}})") +
      block_stop(1) + block(2, R"({"type":"tool_use","id":"c","name":"list"})") + block_stop(2) +
      message_end("tool_use"));
  EXPECT_EQ(step.calls.at(0).arguments, "{}");
  EXPECT_EQ(step.calls.at(1).arguments, R"({"path":"x"})");
  EXPECT_EQ(step.calls.at(2).arguments, "{}");
}

TEST_F(Decoder, TakesInputThatIsAnObjectInThePlaceOfItsText) {
  const auto step = read(message_start("{}") +
                         block(0, R"({"type":"tool_use","id":"a","name":"read","input":{}})") +
                         delta(0, "input_json_delta", R"("partial_json":{"path":"x"})") +
                         block_stop(0) + message_end("tool_use"));
  EXPECT_EQ(step.calls.at(0).arguments, R"({"path":"x"})");
}

TEST_F(Decoder, CountsWhatTheCacheGaveAsInput) {
  const auto step =
      read(message_start(R"({"input_tokens":3,"cache_read_input_tokens":4000,)"
                         R"("cache_creation_input_tokens":250,"output_tokens":1})") +
           text_block(0, "x") +
           message_end("end_turn", R"({"input_tokens":3,"cache_read_input_tokens":4000,)"
                                   R"("cache_creation_input_tokens":250,"output_tokens":12})"));
  EXPECT_EQ(step.input_tokens, 4253);
  EXPECT_EQ(step.cache_read_tokens, 4000);
  EXPECT_EQ(step.cache_write_tokens, 250);
  EXPECT_EQ(step.output_tokens, 12);
}

TEST_F(Decoder, TakesCountsFromWhicheverEventHasThem) {
  const auto late =
      read(message_start(R"({"input_tokens":0,"cache_read_input_tokens":null,"output_tokens":0})") +
           text_block(0, "x") + message_end("end_turn", R"({"input_tokens":6,"output_tokens":2})"));
  EXPECT_EQ(late.input_tokens, 6);
  EXPECT_EQ(late.cache_read_tokens, -1);
  // maximhq/bifrost#5355: Moonshot and Qwen have cached tokens within the input of the beginning
  const auto corrected =
      read(message_start(R"({"input_tokens":8834,"output_tokens":0})") + text_block(0, "x") +
           message_end("end_turn", R"({"input_tokens":18,"cache_read_input_tokens":8831,)"
                                   R"("cache_creation_input_tokens":0,"output_tokens":426})"));
  EXPECT_EQ(corrected.input_tokens, 8849);
  EXPECT_EQ(corrected.cache_read_tokens, 8831);
  const auto zero =
      read(message_start(R"({"input_tokens":6,"output_tokens":0})") + text_block(0, "x") +
           message_end("end_turn", R"({"input_tokens":0,"output_tokens":2})"));
  EXPECT_EQ(zero.input_tokens, 6);
  const auto never =
      read(message_start("null") + text_block(0, "x") + message_end("end_turn", "7"));
  EXPECT_EQ(never.input_tokens, -1);
  EXPECT_EQ(never.output_tokens, -1);
}

TEST_F(Decoder, PassesOverWhatItDoesNotKnow) {
  const auto step =
      read("data: {\"type\":\"applause\"}\n\n" + message_start("{}") +
           event("content_block_applause", R"("index":0)") + ": a comment\n\n" +
           block(0, R"({"type":"server_tool_use","id":"s1","name":"web_search","input":{}})") +
           delta(0, "input_json_delta", R"("partial_json":"{\"query\":1}")") + block_stop(0) +
           block(1, R"({"type":"web_search_tool_result","content":[]})") + block_stop(1) +
           block(2, R"({"type":"text","text":"a"})") +
           delta(2, "citations_delta", R"("citation":{"cited_text":"c"})") +
           delta(2, "text_delta", R"("text":"b")") + delta(2, "text_delta", R"("text":null)") +
           block_stop(2) + block_stop(9) + event("message_delta") + message_end("end_turn"));
  EXPECT_EQ(step.text, "ab");
  EXPECT_TRUE(step.calls.empty());
  EXPECT_TRUE(step.kept.empty());
  EXPECT_THAT(step.finishes, ElementsAre(QUARRY_FINISH_STOP));
}

/// `body` without its `event:` lines.
std::string without_names(std::string body) {
  for (std::size_t at = 0; (at = body.find("event: ", at)) != body.npos;) {
    body.erase(at, body.find('\n', at) + 1 - at);
  }
  return body;
}

// earendil-works/pi#1983, openclaw/openclaw#37571, ranxianglei/billion-context#549: proxies leave
// the names of events out, or give all the same.
TEST_F(Decoder, ReadsTheTypeInTheDataOfAnEventWithoutAName) {
  const std::string body = message_start(R"({"input_tokens":5,"output_tokens":1})") +
                           text_block(0, "Here.") +
                           block(1, R"({"type":"tool_use","id":"a","name":"list","input":{}})") +
                           delta(1, "input_json_delta", R"("partial_json":"{\"path\":1}")") +
                           block_stop(1) + message_end("tool_use");
  std::string generic = without_names(body);
  for (std::size_t at = 0; (at = generic.find("data: ", at)) != generic.npos; at += 20) {
    generic.insert(at, "event: message\n");
  }
  const auto whole = read(body);
  for (const auto& deviating : {without_names(body), generic}) {
    const auto step = read(deviating);
    EXPECT_EQ(step.text, "Here.");
    EXPECT_EQ(step.calls, whole.calls);
    EXPECT_EQ(step.finishes, whole.finishes);
    EXPECT_EQ(step.input_tokens, 5);
  }
}

// mistralai/mistral-vibe#619: a whole message though a stream was asked.
TEST_F(Decoder, ReadsAWholeMessage) {
  const auto step =
      read(R"({"id":"m","type":"message","role":"assistant","content":[)"
           R"({"type":"thinking","thinking":"Hm.","signature":"s"},{"type":"text","text":"Here."},)"
           R"({"type":"tool_use","id":"a","name":"read","input":{"path":"a.md"}}],)"
           R"("stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":9}})");
  EXPECT_EQ(step.text, "Here.");
  EXPECT_EQ(step.reasoning, "Hm.");
  EXPECT_EQ(step.kept.size(), 1u);
  ASSERT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.calls.at(0).arguments, R"({"path":"a.md"})");
  EXPECT_EQ(step.output_tokens, 9);
  EXPECT_THAT(step.finishes, ElementsAre(QUARRY_FINISH_TOOL_CALLS));
}

TEST_F(Decoder, KnowsWhyAMessageStopped) {
  EXPECT_THAT(finishes("end_turn"), ElementsAre(QUARRY_FINISH_STOP));
  EXPECT_THAT(finishes("stop_sequence"), ElementsAre(QUARRY_FINISH_STOP));
  EXPECT_THAT(finishes("max_tokens"), ElementsAre(QUARRY_FINISH_LENGTH));
  EXPECT_THAT(finishes("model_context_window_exceeded"), ElementsAre(QUARRY_FINISH_LENGTH));
  EXPECT_THAT(finishes("pause_turn"), ElementsAre(QUARRY_FINISH_LENGTH));
  EXPECT_THAT(finishes("tool_use"), ElementsAre(QUARRY_FINISH_TOOL_CALLS));
  EXPECT_THAT(finishes("refusal"), ElementsAre(QUARRY_FINISH_CONTENT_FILTER));
  EXPECT_THAT(finishes("of_a_later_version"), ElementsAre(QUARRY_FINISH_STOP));
  const auto unsaid =
      read(message_start("{}") + block(0, R"({"type":"tool_use","id":"a","name":"list"})") +
           block_stop(0) + event("message_stop"));
  EXPECT_THAT(unsaid.finishes, ElementsAre(QUARRY_FINISH_TOOL_CALLS));
}

TEST_F(Decoder, AnErrorInTheStreamKeepsItsMessageAndTheStatusItWouldHaveHad) {
  const auto failed = [&](std::string_view type) {
    return read(message_start("{}") + text_block(0, "half") +
                event("error", R"("error":{"type":")" + std::string(type) +
                                   R"(","message":"Overloaded today"},"request_id":"req_1")") +
                message_end("end_turn"));
  };
  const auto step = failed("overloaded_error");
  EXPECT_EQ(step.text, "half");
  EXPECT_THAT(step.errors, ElementsAre(HasSubstr("Overloaded today")));
  EXPECT_TRUE(step.finishes.empty());
  const auto told = [](quarry_status status, int http) {
    return ElementsAre(Sink::Refusal{status, http, -1});
  };
  EXPECT_THAT(step.refusals, told(QUARRY_UNAVAILABLE, 529));
  EXPECT_THAT(failed("rate_limit_error").refusals, told(QUARRY_RESOURCE_EXHAUSTED, 429));
  EXPECT_THAT(failed("invalid_request_error").refusals, told(QUARRY_INVALID_ARGUMENT, 400));
  EXPECT_THAT(failed("authentication_error").refusals, told(QUARRY_UNAUTHENTICATED, 401));
  EXPECT_THAT(failed("permission_error").refusals, told(QUARRY_PERMISSION_DENIED, 403));
  EXPECT_THAT(failed("not_found_error").refusals, told(QUARRY_NOT_FOUND, 404));
  EXPECT_THAT(failed("timeout_error").refusals, told(QUARRY_DEADLINE_EXCEEDED, 504));
  EXPECT_THAT(failed("api_error").refusals, told(QUARRY_UNAVAILABLE, 500));
  EXPECT_THAT(failed("of_a_later_version").refusals, told(QUARRY_UNAVAILABLE, 500));
}

TEST_F(Decoder, ARefusedRequestKeepsStatusMessageAndWait) {
  const auto step = quarry::testing::exchange(
      model, kChat,
      Response{.status = 429,
               .headers = {{"Retry-After", "7", ""}},
               .pieces = {R"({"type":"error","error":{"type":"rate_limit_error",)",
                          R"("message":"too many tokens a minute"},"request_id":"req_2"})"}});
  EXPECT_THAT(step.errors, ElementsAre(HasSubstr("too many tokens a minute")));
  EXPECT_THAT(step.refusals, ElementsAre(Sink::Refusal{QUARRY_RESOURCE_EXHAUSTED, 429, 7000}));
}

// npuichigo/openai_trtllm#31: proxies cut the connection after the last event.
TEST_F(Decoder, AStreamThatIsCutBeforeItsReasonHasNoFinish) {
  const std::size_t named = kText.find("\n\nevent: message_stop");
  for (std::size_t at = 0; at < kText.size() - 1; ++at) {
    const auto step = quarry::testing::exchange(
        model, kChat, Response{.pieces = {kText.substr(0, at)}, .end = QUARRY_END_CUT});
    ASSERT_EQ(step.finishes.size() + step.errors.size(), 1u) << at;
    ASSERT_EQ(step.errors.size(), at < named ? 1u : 0u) << at;
  }
}

TEST_F(Decoder, TellsACallThatTheServerCouldNotRead) {
  const auto step = read(message_start("{}") + message_end("malformed_tool_call"));
  EXPECT_THAT(step.errors, ElementsAre("the model stopped (malformed_tool_call)"));
}

TEST_F(Decoder, AWholeResponseMayLackItsLastEvent) {
  const std::string stop = event("message_stop");
  std::string body = message_start("{}") + text_block(0, "x") + message_end("max_tokens");
  body.resize(body.size() - stop.size());
  EXPECT_THAT(read(body).finishes, ElementsAre(QUARRY_FINISH_LENGTH));
  const auto none = read(message_start("{}") + text_block(0, "x"));
  EXPECT_THAT(none.errors, ElementsAre("the response ended before it was complete"));
}

TEST_F(Decoder, ReadsTextHoweverItIsWritten) {
  const auto step =
      read(message_start("{}") + block(0, R"({"type":"text","text":""})") +
           "event: content_block_delta\n"
           R"(data: { "delta" : { "text":"a \"b\" \u00e9\n", "type":"text_delta" }, "index":0 })"
           "\n\n" +
           delta(0, "text_delta", R"("text":"c","more":[{"text":"}"}])") + block_stop(0) +
           message_end("end_turn"));
  EXPECT_EQ(step.text, "a \"b\" \u00e9\nc");
}

TEST_F(Decoder, ReadsACallThatIsNotEndedOrWhoseDeltasHaveAnotherNumber) {
  const std::string begin =
      message_start("{}") +
      block(1, R"({"type":"tool_use","id":"t","name":"read","input":{"a":1}})");
  const auto open = read(begin + message_end("tool_use"));
  ASSERT_EQ(open.calls.size(), 1u);
  EXPECT_EQ(open.calls.at(0).arguments, R"({"a":1})");
  const auto other = read(begin + delta(0, "input_json_delta", R"("partial_json":"{\"b\":2}")") +
                          block_stop(1) + message_end("tool_use"));
  ASSERT_EQ(other.calls.size(), 1u);
  EXPECT_EQ(other.calls.at(0).arguments, R"({"b":2})");
}

TEST_F(Decoder, TellsAnErrorWithoutAType) {
  const auto step =
      read("data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n");
  EXPECT_THAT(step.errors, ElementsAre("busy"));
  EXPECT_EQ(step.refusals.at(0).http_status, 529);
  const auto coded =
      read("data: {\"error\":{\"type\":\"None\",\"code\":\"429\",\"message\":\"busy\"}}\n\n");
  EXPECT_THAT(coded.refusals, ElementsAre(Sink::Refusal{QUARRY_RESOURCE_EXHAUSTED, 429, -1}));
}

TEST_F(Decoder, TextThatIsNoWholeJsonEndsTheStep) {
  const auto step = read(message_start("{}") +
                         "event: content_block_delta\n"
                         R"(data: {"delta":{"type":"text_delta","text":"a"})"
                         "\n\n" +
                         message_end("end_turn"));
  EXPECT_EQ(step.text, "");
  EXPECT_THAT(step.errors, ElementsAre("the stream contains a message that is not a JSON object"));
}

TEST_F(Decoder, AnEventThatIsNoJsonEndsTheStep) {
  const auto step = read("event: message_start\ndata: {\"type\":\n\n" + message_end("end_turn"));
  EXPECT_THAT(step.errors, ElementsAre("the stream contains a message that is not a JSON object"));
}

}  // namespace
}  // namespace quarry::anthropic
