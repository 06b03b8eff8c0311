#include "model-openai/testing/steps.h"

namespace quarry::openai {
namespace {

using testing::Finishes;
using testing::Json;
using testing::Words;
using Sink = quarry::testing::Sink;

constexpr std::string_view kResponses = R"({"base_url":"http://127.0.0.1:1/v1","api":"responses"})";

Sink::Step responses_step(std::string_view body) {
  return testing::step_of("openai", kResponses, body);
}

/// Events in wire form, each named by its type.
std::string events(std::initializer_list<std::string_view> list) {
  std::string out;
  for (const auto data : list) {
    const std::string type = Json::parse(data).value("type", "");
    out.append("event: ").append(type).append("\ndata: ").append(data).append("\n\n");
  }
  return out;
}

constexpr std::string_view kCompleted =
    R"({"type":"response.completed","response":{"status":"completed"}})";

TEST(ResponsesStream, OfReasoningCallsAndUsageAsOpenAiSendsIt) {
  const auto step = responses_step(
      R"(event: response.created
data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","error":null,"output":[],"usage":null}}

event: response.in_progress
data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress"}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"begin","summary":[]}}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","sequence_number":3,"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"**Söking**"}

event: response.reasoning_summary_part.added
data: {"type":"response.reasoning_summary_part.added","sequence_number":5,"item_id":"rs_1","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}

event: response.reasoning_summary_text.delta
data: {"type":"response.reasoning_summary_text.delta","sequence_number":6,"item_id":"rs_1","output_index":0,"summary_index":1,"delta":"Two files."}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":7,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA1","summary":[{"type":"summary_text","text":"**Söking**"}],"status":null}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":8,"output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_a","name":"read"}}

event: response.output_item.added
data: {"type":"response.output_item.added","sequence_number":9,"output_index":2,"item":{"id":"fc_2","type":"function_call","status":"in_progress","arguments":"","call_id":"call_b","name":"list"}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_1","output_index":1,"delta":"{\"path\":"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":11,"item_id":"fc_2","output_index":2,"delta":"{}"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","sequence_number":12,"item_id":"fc_1","output_index":1,"delta":"\"a.md\"}"}

event: response.function_call_arguments.done
data: {"type":"response.function_call_arguments.done","sequence_number":13,"item_id":"fc_1","output_index":1,"arguments":"{\"path\":\"a.md\"}"}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":14,"output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\":\"a.md\"}","call_id":"call_a","name":"read"}}

event: response.output_item.done
data: {"type":"response.output_item.done","sequence_number":15,"output_index":2,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"{}","call_id":"call_b","name":"list"}}

event: response.completed
data: {"type":"response.completed","sequence_number":16,"response":{"id":"resp_1","status":"completed","usage":{"input_tokens":75,"input_tokens_details":{"cached_tokens":32},"output_tokens":125,"output_tokens_details":{"reasoning_tokens":64},"total_tokens":200}}}

)");
  EXPECT_EQ(step.reasoning, "**Söking**\n\nTwo files.");
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"call_a", "read", R"({"path":"a.md"})"}));
  EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"call_b", "list", "{}"}));
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(Json::parse(step.kept[0]), Json::parse(R"({"item":{"type":"reasoning",
      "encrypted_content":"gAAA1","summary":[{"type":"summary_text","text":"**Söking**"}]},
      "calls":0,"afterText":false})"));
  EXPECT_EQ(step.input_tokens, 75);
  EXPECT_EQ(step.output_tokens, 125);
  EXPECT_EQ(step.cache_read_tokens, 32);
  EXPECT_EQ(step.reasoning_tokens, 64);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});
}

TEST(ResponsesStream, OfTextWithCrLfInTwoMessages) {
  const auto step = responses_step(
      "event: response.output_item.added\r\n"
      "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\"}}\r\n\r\n"
      "event: response.output_text.delta\r\n"
      "data: {\"type\":\"response.output_text.delta\",\"delta\":\"I look.\"}\r\n\r\n"
      "event: response.output_item.done\r\n"
      "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\","
      "\"phase\":\"commentary\"}}\r\n\r\n"
      "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\","
      "\"encrypted_content\":\"e\"}}\r\n\r\n"
      "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\"}}\r\n\r\n"
      "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Größe\"}\r\n\r\n"
      "data: {\"type\":\"response.completed\",\"response\":{}}\r\n\r\n");
  EXPECT_EQ(step.text, "I look.\n\nGröße");
  ASSERT_EQ(step.kept.size(), 2u);
  EXPECT_EQ(step.kept[0], R"({"phase":"commentary"})");
  EXPECT_EQ(Json::parse(step.kept[1])["afterText"], true);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
  EXPECT_EQ(step.input_tokens, -1);
}

TEST(ResponsesStream, OfLlamaCppHasArgumentsInDeltasAlone) {
  const auto step = responses_step(events(
      {R"({"type":"response.reasoning_text.delta","delta":"Hm.","item_id":"rs_9"})",
       R"({"type":"response.output_item.added","item":{"type":"function_call","id":"fc_9","call_id":"fc_9","name":"read","arguments":""}})",
       R"({"type":"response.function_call_arguments.delta","item_id":"fc_9","delta":"{\"path\":"})",
       R"({"type":"response.function_call_arguments.delta","item_id":"fc_9","delta":"\"x\"}"})",
       R"({"type":"response.output_item.done","item":{"type":"reasoning","id":"rs_9","summary":[],"content":[{"type":"reasoning_text","text":"Hm."}],"encrypted_content":""}})",
       R"({"type":"response.output_item.done","item":{"type":"function_call","id":"fc_9","call_id":"fc_9","name":"read","arguments":"{\"path\":\"x\"}"}})",
       kCompleted}));
  EXPECT_EQ(step.reasoning, "Hm.");
  ASSERT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"fc_9", "read", R"({"path":"x"})"}));
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(Json::parse(step.kept[0])["item"], Json::parse(R"({"type":"reasoning","id":"rs_9",
      "summary":[],"content":[{"type":"reasoning_text","text":"Hm."}]})"));
}

TEST(ResponsesStream, TakesWholeArgumentsWhenNoPiecesCame) {
  const auto at_done = responses_step(events(
      {R"({"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"a","name":"read"}})",
       R"({"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"n\":1}"})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"read","arguments":"{\"n\":1}"}})",
       R"({"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"b","name":"list","arguments":"{\"n\":2}"}})",
       R"({"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c","name":"list"}})",
       R"({"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c","name":"list","arguments":""}})",
       kCompleted}));
  ASSERT_EQ(at_done.calls.size(), 3u);
  EXPECT_EQ(at_done.calls.at(0), (Sink::ToolCall{"a", "read", R"({"n":1})"}));
  EXPECT_EQ(at_done.calls.at(1), (Sink::ToolCall{"b", "list", R"({"n":2})"}));
  EXPECT_EQ(at_done.calls.at(2), (Sink::ToolCall{"c", "list", ""}));
}

TEST(ResponsesStream, FindsACallByItsPlaceWhenEachEventHasAnotherId) {
  const auto step = responses_step(events(
      {R"({"type":"response.output_item.added","output_index":0,"item":{"id":"x1","type":"function_call","call_id":"a","name":"read"}})",
       R"({"type":"response.output_item.added","output_index":1,"item":{"id":"x2","type":"function_call","call_id":"b","name":"list"}})",
       R"({"type":"response.function_call_arguments.delta","output_index":0,"item_id":"x3","delta":"{}"})",
       R"({"type":"response.output_item.done","output_index":0,"item":{"id":"x4","type":"function_call","call_id":"a","name":"read","arguments":"{}"}})",
       R"({"type":"response.function_call_arguments.delta","output_index":7,"item_id":"x5","delta":"lost"})",
       R"({"type":"response.function_call_arguments.delta","delta":"{ }"})", kCompleted}));
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.calls.at(0).arguments, "{}");
  EXPECT_EQ(step.calls.at(1).arguments, "{ }");
}

TEST(ResponsesStream, OfTooManyCallsIsAnError) {
  std::string body;
  for (int i = 0; i < 129; ++i) {
    body += events({R"({"type":"response.output_item.added","item":{"type":"function_call"}})"});
  }
  EXPECT_EQ(testing::broken_step("openai", kResponses, body).errors,
            Words{"the model made too many tool calls"});
}

TEST(ResponsesStream, OfARefusalSaysItsWordsAndThatItIsOne) {
  const auto step = responses_step(
      events({R"({"type":"response.refusal.delta","delta":"I cannot."})", kCompleted}));
  EXPECT_EQ(step.text, "I cannot.");
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_CONTENT_FILTER});
}

TEST(ResponsesStream, SaysWhyItIsIncomplete) {
  const auto length = responses_step(events(
      {R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":1,"output_tokens":2}}})"}));
  EXPECT_EQ(length.finishes, Finishes{QUARRY_FINISH_LENGTH});
  EXPECT_EQ(length.output_tokens, 2);
  const auto filtered = responses_step(events(
      {R"({"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}})"}));
  EXPECT_EQ(filtered.finishes, Finishes{QUARRY_FINISH_CONTENT_FILTER});
}

TEST(ResponsesStream, ThatReachedItsLimitIsCutEvenWhereItIsCalledComplete) {
  const auto step = [](const char* most) {
    return testing::step_of(
        "openai", std::string(R"({"api":"responses","max_output_tokens":)") + most + "}",
        events(
            {R"({"type":"response.output_text.delta","delta":"and so"})",
             R"({"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":2}}})"}));
  };
  EXPECT_EQ(step("2").finishes, Finishes{QUARRY_FINISH_LENGTH});
  EXPECT_EQ(step("3").finishes, Finishes{QUARRY_FINISH_STOP});
}

struct ResponsesError {
  const char* data;
  const char* message;
  quarry_status status;
};

TEST(ResponsesStream, TellsAnErrorInItWithItsStatus) {
  const ResponsesError errors[] = {
      {R"({"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model failed"},"usage":null}})",
       "The model failed (server_error)", QUARRY_UNAVAILABLE},
      {R"({"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null,"sequence_number":3})",
       "Slow down (rate_limit_exceeded)", QUARRY_RESOURCE_EXHAUSTED},
      {R"({"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Too long"}})",
       "Too long (context_length_exceeded)", QUARRY_INVALID_ARGUMENT},
      {R"({"error":{"message":"gone","code":404}})", "gone", QUARRY_NOT_FOUND}};
  for (const auto& error : errors) {
    const auto step = responses_step(
        events({R"({"type":"response.output_text.delta","delta":"half"})", error.data}));
    EXPECT_EQ(step.text, "half");
    EXPECT_EQ(step.errors, Words{error.message});
    ASSERT_EQ(step.refusals.size(), 1u);
    EXPECT_EQ(step.refusals[0].status, error.status) << error.data;
  }
  EXPECT_EQ(responses_step("data: [1]\n\n").errors,
            Words{"the stream contains a message that is not a JSON object"});
}

TEST(ResponsesStream, SaysWhenToAskAgain) {
  const auto delay = [](const std::string& message) {
    return responses_step(events({R"({"type":"error","code":"rate_limit_exceeded","message":")" +
                                  message + "\"}"}))
        .refusals.at(0)
        .retry_after_ms;
  };
  EXPECT_EQ(delay("Rate limit reached. Please try again in 1.2s. Visit"), 1200);
  EXPECT_EQ(delay("Please try again in 350ms."), 350);
  EXPECT_EQ(delay("Please try again in 6m0s."), 360'000);
  EXPECT_EQ(delay("Please try again in "), -1);
}

// earendil-works/pi#9057
TEST(ResponsesStream, ThatIsWholeMayHaveCallsWithoutIds) {
  const auto call = [](const std::string& id) {
    return R"({"type":"function_call","call_id":")" + id + R"(","name":"read","arguments":"{}"})";
  };
  const auto step = responses_step(R"({"object":"response","status":"completed","output":[)" +
                                   call("a") + "," + call("b") + "]}");
  EXPECT_EQ(step.calls.size(), 2u);
}

TEST(ResponsesStream, MayGiveTheTextOfAMessageAtItsEndOnly) {
  const std::string done =
      R"({"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"whole"}]}})";
  EXPECT_EQ(responses_step(events({done, kCompleted})).text, "whole");
  EXPECT_EQ(responses_step(events({R"({"type":"response.output_text.delta","delta":"whole"})", done,
                                   kCompleted}))
                .text,
            "whole");
}

TEST(ResponsesStream, MayGiveTheTextOfAPartAtItsEndOnly) {
  const std::string done = R"({"type":"response.output_text.done","text":"whole"})";
  const std::string delta = R"({"type":"response.output_text.delta","delta":"whole"})";
  for (const std::string& stream : {events({done, kCompleted}), events({delta, done, kCompleted}),
                                    events({delta, done}) + "data: [DONE]\n\n",
                                    events({delta, R"({"type":"response.done"})"})}) {
    const auto step = responses_step(stream);
    EXPECT_EQ(step.text, "whole") << stream;
    EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP}) << stream;
  }
}

TEST(ResponsesStream, ThatIsCompleteMayHaveAnAnswerThatIsCut) {
  const auto step = responses_step(events(
      {R"({"type":"response.output_text.delta","delta":"half"})",
       R"({"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}})"}));
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_LENGTH});
}

TEST(ResponsesStream, ThatEndsTooEarlyIsACut) {
  const std::string half = events({R"({"type":"response.output_text.delta","delta":"half"})"});
  EXPECT_EQ(responses_step(half).errors, Words{"the response ended before it was complete"});
  EXPECT_EQ(responses_step(half + "data: [DONE]\n\n").errors,
            Words{"the response ended before it was complete"});
  EXPECT_EQ(testing::broken_step("openai", kResponses, half).errors,
            Words{"the connection broke before the response was complete"});
}

TEST(ResponsesStream, PassesOverWhatItDoesNotKnow) {
  const auto step = responses_step(
      "data: {\"type\":7}\n\n" +
      events({R"({"type":"response.web_search_call.searching","item_id":"ws_1"})", R"({})",
              R"({"type":"response.output_item.done","item":{"type":"reasoning","summary":7}})",
              R"({"type":"response.output_item.added","item":null})",
              R"({"type":"response.output_text.delta","delta":null})",
              R"({"type":"response.output_text.delta","delta":"a"})", kCompleted}));
  EXPECT_EQ(step.text, "a");
  EXPECT_TRUE(step.kept.empty());
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
}

// mistralai/mistral-vibe#619: a whole response though a stream was asked.
TEST(ResponsesStream, ThatIsAWholeResponse) {
  const auto step = responses_step(
      R"({"object":"response","status":"incomplete","incomplete_details":{"reason":)"
      R"("max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text",)"
      R"("text":"Here."}]},{"type":"function_call","id":"i","call_id":"c","name":"read",)"
      R"("arguments":"{}"}],"usage":{"input_tokens":7,"output_tokens":2}})");
  EXPECT_EQ(step.text, "Here.");
  ASSERT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.calls.at(0).arguments, "{}");
  EXPECT_EQ(step.input_tokens, 7);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_LENGTH});
}

}  // namespace
}  // namespace quarry::openai
