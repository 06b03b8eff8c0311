#include <quarry/testing.hpp>

#include <nlohmann/json.hpp>

namespace quarry::gemini {
namespace {

using Json = nlohmann::json;
using quarry::testing::Sink;

constexpr const char* kChat = R"({"model":"m","messages":[{"role":"user","text":"?"}]})";

struct Gemini : ::testing::Test {
  quarry::testing::Component<quarry_model_v1> model{quarry_plugin_entry_v1, QUARRY_MODEL, "gemini"};

  Sink::Step read(std::string_view body) {
    return quarry::testing::exchange_cut_everywhere(model, kChat, body);
  }
  /// One chunk with these parts, and another with only the end.
  Sink::Step ended_with(const std::string& reason, const std::string& parts = "[]") {
    return read(R"(data: {"candidates":[{"content":{"parts":)" + parts + "}}]}\n\n" +
                R"(data: {"candidates":[{"finishReason":")" + reason +
                R"(","finishMessage":"words"}]})" + "\n\n");
  }
  std::string failure(std::string_view body) {
    const auto step = read(body);
    return step.errors.empty() ? "none" : step.errors.front();
  }
};

// smallmain/vscode-unify-chat-provider#49
TEST_F(Gemini, JoinsArgumentsThatFollowTheirName) {
  const auto step = read(
      R"(data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{}}}]}}]})"
      "\n\n"
      R"(data: {"candidates":[{"content":{"parts":[{"functionCall":{"args":{"a":1}}}]},"finishReason":"STOP"}]})"
      "\n\n");
  ASSERT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.calls.at(0).name, "read");
  EXPECT_EQ(step.calls.at(0).arguments, R"({}{"a":1})") << "the host reads the last object";
}

TEST_F(Gemini, StreamsTextAndReasoningInChunksWithCarriageReturns) {
  const auto step = read(
      "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"**Dates**\\n\",\"thought\": "
      "true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": "
      "12,\"totalTokenCount\": 40,\"thoughtsTokenCount\": 28},\"modelVersion\": \"m\"}\r\n\r\n"
      "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Grüße \"}],\"role\": "
      "\"model\"},\"index\": 0}]}\r\n\r\n"
      "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": "
      "\"\\ud83d\\ude00\"}],\"role\": "
      "\"model\"},\"finishReason\": \"STOP\",\"index\": 0}],\"usageMetadata\": "
      "{\"promptTokenCount\": 12,\"candidatesTokenCount\": 4,\"totalTokenCount\": 49,"
      "\"thoughtsTokenCount\": 33}}\r\n\r\n");
  EXPECT_EQ(step.text, "Grüße 😀");
  EXPECT_EQ(step.reasoning, "**Dates**\n");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
  EXPECT_EQ(step.input_tokens, 12);
  EXPECT_EQ(step.output_tokens, 37)
      << "thoughts are output, and the latest counts replace earlier ones";
  EXPECT_TRUE(step.kept.empty()) << "without a signature or a call nothing need be sent back";
}

TEST_F(Gemini, TakesParallelCallsWholeWithAndWithoutAnId) {
  const auto step = read(
      R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Let me "}]}}]})"
      "\n\n"
      R"(data: {"candidates":[{"content":{"role":"model","parts":[{"text":"look."},)"
      R"({"functionCall":{"name":"read","args":{"path":"a/b.md","offset":3}},"thoughtSignature":"c2ln"},)"
      R"({"functionCall":{"id":"q7","name":"list"}}]},"finishReason":"STOP"}]})"
      "\n\n");
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.calls.at(0).name, "read");
  EXPECT_EQ(step.calls.at(0).id, "");
  EXPECT_EQ(Json::parse(step.calls.at(0).arguments), Json({{"path", "a/b.md"}, {"offset", 3}}));
  EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"q7", "list", "{}"}));
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_TOOL_CALLS});
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(Json::parse(step.kept[0]), Json::parse(R"({"gemini":[
      {"text":"Let me look."},
      {"functionCall":{"name":"read","args":{"path":"a/b.md","offset":3}},"thoughtSignature":"c2ln"},
      {"functionCall":{"id":"q7","name":"list"}}]})"));
}

TEST_F(Gemini, KeepsEverySignatureOnItsOwnPart) {
  const auto step = ended_with(
      "STOP",
      R"([{"text":"thinking","thought":true},{"text":"A"},{"text":"B","thoughtSignature":"cw=="},)"
      R"({"text":"C"},{"text":"","thoughtSignature":"ZQ=="}])");
  EXPECT_EQ(step.text, "ABC");
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(Json::parse(step.kept[0]), Json::parse(R"({"gemini":[{"text":"A"},
      {"text":"B","thoughtSignature":"cw=="},{"text":"C"},{"text":"","thoughtSignature":"ZQ=="}]})"));
}

TEST_F(Gemini, CountsWhatToolsPutIntoThePrompt) {
  const auto step = read(
      R"(data: {"usageMetadata":{"promptTokenCount":900}})"
      "\n\n"
      R"(data: {"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1000,)"
      R"("cachedContentTokenCount":800,"toolUsePromptTokenCount":50}})"
      "\n\n");
  EXPECT_EQ(step.input_tokens, 1050);
  EXPECT_EQ(step.cache_read_tokens, 800);
  EXPECT_EQ(step.output_tokens, 0);
}

TEST_F(Gemini, EndsForEveryReason) {
  EXPECT_EQ(ended_with("STOP").finishes.front(), QUARRY_FINISH_STOP);
  EXPECT_EQ(ended_with("MAX_TOKENS").finishes.front(), QUARRY_FINISH_LENGTH);
  for (const char* reason : {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}) {
    EXPECT_EQ(ended_with(reason).finishes.front(), QUARRY_FINISH_CONTENT_FILTER) << reason;
  }
  EXPECT_EQ(ended_with("A_REASON_OF_TOMORROW").finishes.front(), QUARRY_FINISH_STOP);
  // google-gemini/gemini-cli#12965, pydantic/pydantic-ai#631, agno-agi/agno#5628
  for (const std::string reason : {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"}) {
    EXPECT_EQ(ended_with(reason.c_str()).errors.front(),
              "the model stopped (" + reason + "): words");
  }
}

// langgenius/dify and clients of streamGenerateContent without alt=sse: an array of chunks.
TEST_F(Gemini, ReadsAnArrayOfChunks) {
  const auto step = read(R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}
,
{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}
])");
  EXPECT_EQ(step.text, "ab");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
}

TEST_F(Gemini, TellsABlockedPrompt) {
  EXPECT_EQ(failure("data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"},"
                    "\"usageMetadata\":{\"promptTokenCount\":9}}\n\n"),
            "the prompt was blocked (PROHIBITED_CONTENT)");
  EXPECT_EQ(failure("data: {\"promptFeedback\":{\"blockReason\":\"OTHER\",\"blockReasonMessage\":"
                    "\"no\"},\"candidates\":[]}\n\n"),
            "the prompt was blocked (OTHER): no");
}

TEST_F(Gemini, TellsAnErrorInTheMiddleOfTheStream) {
  const auto step = read(
      R"(data: {"candidates":[{"content":{"parts":[{"text":"half"}]}}]})"
      "\n\n"
      R"(data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})"
      "\n\n");
  EXPECT_EQ(step.text, "half");
  EXPECT_EQ(step.errors, std::vector<std::string>{"The model is overloaded."});
  EXPECT_EQ(step.refusals.front(), (Sink::Refusal{QUARRY_UNAVAILABLE, 503, -1}));
}

TEST_F(Gemini, TellsHowLongAQuotaIsUsedUp) {
  const auto step = quarry::testing::exchange(
      model, kChat,
      quarry::testing::Response{
          .status = 429,
          .headers = {},
          .pieces = {
              R"({"error":{"code":429,"message":"You exceeded your current quota.","status":)",
              R"("RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},)"
              R"({"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}})"}});
  EXPECT_EQ(step.refusals.front(), (Sink::Refusal{QUARRY_RESOURCE_EXHAUSTED, 429, 34'500}));
}

TEST_F(Gemini, TellsAKeyThatIsRefusedAsSuchThoughTheStatusIsAnother) {
  const auto step = quarry::testing::exchange(
      model, kChat,
      quarry::testing::Response{
          .status = 400,
          .headers = {},
          .pieces = {
              R"([{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT",)",
              R"("details":[{"reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}])"}});
  EXPECT_EQ(step.errors, std::vector<std::string>{"API key not valid."});
  EXPECT_EQ(step.refusals.front(), (Sink::Refusal{QUARRY_UNAUTHENTICATED, 400, -1}));
}

TEST_F(Gemini, IsOverWhenNothingFollowsTheReason) {
  const auto chunk = [](const char* text, const char* more) {
    return std::string(R"(data: {"candidates":[{"content":{"parts":[{"text":")") + text + "\"}]}" +
           more + "}]}\n\n";
  };
  const std::string begin = chunk("a", "");
  const std::string end = chunk("b", R"(,"finishReason":"STOP")");
  const std::string later = chunk("c", R"(,"finishReason":"STOP")");
  const auto text_of = [&](const std::vector<std::string_view>& pieces) {
    return quarry::testing::exchange(model, kChat, pieces).text;
  };
  EXPECT_EQ(text_of({begin, end, "", "", later}), "ab");
  EXPECT_EQ(text_of({begin, end, "", later}), "abc");
  EXPECT_EQ(text_of({end, later, "", "", later}), "bcc") << "Gemini 1 names it in every chunk";
}

TEST_F(Gemini, TellsAStreamThatEndsWithoutAReason) {
  EXPECT_EQ(failure("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}}]}\n\n"),
            "the response ended before it was complete");
  EXPECT_EQ(failure(""), "the response ended before it was complete");
}

TEST_F(Gemini, SurvivesWhatIsNoChunk) {
  EXPECT_EQ(failure("data: {\n\n"), "the stream contains a message that is not a JSON object");
  EXPECT_EQ(failure("data: [1]\n\n"), "the stream contains a message that is not a JSON object");
  for (
      const char* chunk :
      {R"({})", R"({"candidates":7})", R"({"candidates":[7]})",
       R"({"candidates":[{"content":[]}]})", R"({"candidates":[{"content":{"parts":"x"}}]})",
       R"({"usageMetadata":[]})",
       R"({"candidates":[{"content":{"parts":[7,{},{"text":7},{"functionCall":7},{"inlineData":{}}]}}]})",
       R"({"promptFeedback":7})"}) {
    EXPECT_EQ(failure("data: " + std::string(chunk) + "\n\n"),
              "the response ended before it was complete")
        << chunk;
  }
}

}  // namespace
}  // namespace quarry::gemini
