#include <quarry/testing.hpp>

namespace quarry::ollama {
namespace {

using quarry::testing::Sink;

constexpr const char* kChat = R"({"model":"m","messages":[{"role":"user","text":"?"}]})";

struct Ollama : ::testing::Test {
  quarry::testing::Component<quarry_model_v1> model{quarry_plugin_entry_v1, QUARRY_MODEL, "ollama"};

  Sink::Step read(std::string_view body) {
    return quarry::testing::exchange_cut_everywhere(model, kChat, body);
  }
  std::string failure(std::string_view body) {
    const auto step = read(body);
    return step.errors.empty() ? "none" : step.errors.front();
  }
};

TEST_F(Ollama, StreamsThinkingAndTextAndCountsAtTheEnd) {
  const auto step = read(
      R"({"model":"qwen3:8b","created_at":"2026-01-02T03:04:05.6Z","message":{"role":"assistant","content":"","thinking":"The user "},"done":false})"
      "\n"
      R"({"model":"qwen3:8b","created_at":"2026-01-02T03:04:05.7Z","message":{"role":"assistant","content":"","thinking":"asks."},"done":false})"
      "\n"
      R"({"model":"qwen3:8b","created_at":"2026-01-02T03:04:05.8Z","message":{"role":"assistant","content":"Grüße "},"done":false})"
      "\n"
      R"({"model":"qwen3:8b","created_at":"2026-01-02T03:04:05.9Z","message":{"role":"assistant","content":"\u003cb\u003e"},"done":false})"
      "\n"
      R"({"model":"qwen3:8b","created_at":"2026-01-02T03:04:06Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":5191566416,"load_duration":2154458,"prompt_eval_count":26,"prompt_eval_duration":383809000,"eval_count":298,"eval_duration":4799921000})"
      "\n");
  EXPECT_EQ(step.reasoning, "The user asks.");
  EXPECT_EQ(step.text, "Grüße <b>");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
  EXPECT_EQ(step.input_tokens, 26);
  EXPECT_EQ(step.output_tokens, 298);
  EXPECT_EQ(step.reasoning_tokens, -1) << "Ollama does not report them";
}

TEST_F(Ollama, TakesWholeCallsOverSeveralLinesAndALastLineWithoutItsEnd) {
  const auto step = read(
      R"({"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"a","offset":3}}},{"id":"call_x","function":{"index":1,"name":"list","arguments":{}}}]},"done":false})"
      "\n"
      R"({"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}},{"function":{"name":"glob"}}]},"done":false})"
      "\n"
      R"({"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"})");
  ASSERT_EQ(step.calls.size(), 4u);
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"", "read", R"({"offset":3,"path":"a"})"}));
  EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"call_x", "list", "{}"}));
  EXPECT_EQ(step.calls.at(2), (Sink::ToolCall{"", "grep", R"({"pattern":"x"})"}));
  EXPECT_EQ(step.calls.at(3), (Sink::ToolCall{"", "glob", "{}"}));
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_TOOL_CALLS});
  EXPECT_EQ(step.input_tokens, -1);
}

TEST_F(Ollama, TakesACallWithoutAFunctionAroundIt) {
  const auto step = read(
      R"({"message":{"tool_calls":[{"name":"read","arguments":{"path":"a"}},null,7]},"done":true})");
  ASSERT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"", "read", R"({"path":"a"})"}));
}

TEST_F(Ollama, TellsACallThatTheServerCouldNotRead) {
  const auto step = read(R"({"done":true,"done_reason":"malformed_tool_call"})");
  EXPECT_EQ(step.errors, std::vector<std::string>{"the model stopped (malformed_tool_call)"});
}

TEST_F(Ollama, EndsWhenTheContextIsFull) {
  const auto step =
      read("{\"message\":{\"content\":\"x\"},\"done\":true,\"done_reason\":\"length\"}\r\n");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_LENGTH});
}

TEST_F(Ollama, TellsAnErrorInTheMiddleOfTheStream) {
  const auto step =
      read(R"({"message":{"content":"half"},"done":false})"
           "\n"
           R"({"error":"an error was encountered while running the model: CUDA error"})"
           "\n");
  EXPECT_EQ(step.text, "half");
  EXPECT_EQ(step.errors, std::vector<std::string>{
                             "an error was encountered while running the model: CUDA error"});
}

TEST_F(Ollama, TellsAModelThatIsNotThere) {
  const auto step = quarry::testing::exchange(
      model, kChat,
      quarry::testing::Response{
          .status = 404, .headers = {}, .pieces = {R"({"error":"model 'm' not found"})"}});
  EXPECT_EQ(step.errors, std::vector<std::string>{"model 'm' not found"});
  EXPECT_EQ(step.refusals.front(), (Sink::Refusal{QUARRY_NOT_FOUND, 404, -1}));
}

TEST_F(Ollama, TellsAStreamThatIsCut) {
  EXPECT_EQ(failure("{\"message\":{\"content\":\"x\"},\"done\":false}\n"),
            "the response ended before it was complete");
  EXPECT_EQ(failure(""), "the response ended before it was complete");
  const auto cut = quarry::testing::exchange(
      model, kChat,
      quarry::testing::Response{.pieces = {"{\"message\":{\"content\":\"x\"}}\n{\"mess"},
                                .end = QUARRY_END_CUT});
  EXPECT_EQ(cut.text, "x");
  EXPECT_EQ(cut.errors,
            std::vector<std::string>{"the connection broke before the response was complete"});
}

// ollama/ollama behind proxies that speak server-sent events, or that collect the stream.
TEST_F(Ollama, IsReadInTheFramingThatItHas) {
  const std::string last = R"({"message":{"content":"b"},"done":true,"done_reason":"stop"})";
  for (const std::string& body :
       {R"(data: {"message":{"content":"a"}})" + std::string("\n\ndata: ") + last + "\n\n",
        R"([{"message":{"content":"a"}},)" + last + "]",
        std::string("{\n\"message\": {\"content\": \"ab\"},\n\"done\": true\n}\n")}) {
    EXPECT_EQ(read(body).text, "ab") << body;
    EXPECT_EQ(read(body).finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP}) << body;
  }
}

TEST_F(Ollama, SurvivesLinesOfAnotherShape) {
  for (const char* line : {"{", "[1]", "7", "\"done\""}) {
    EXPECT_EQ(failure(std::string(line) + "\n"),
              "the stream contains a message that is not a JSON object")
        << line;
  }
  for (const char* line :
       {R"({})", R"({"message":7})", R"({"message":{"content":7,"thinking":[]}})",
        R"({"done":"yes"})", R"({"message":{"tool_calls":7}})",
        R"({"message":{"tool_calls":[7,{},{"function":7}]}})", R"({"error":null})"}) {
    EXPECT_EQ(failure(std::string(line) + "\n"), "the response ended before it was complete")
        << line;
  }
}

}  // namespace
}  // namespace quarry::ollama
