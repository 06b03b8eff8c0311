#include <quarry/json.hpp>
#include <quarry/testing.hpp>

namespace {

using quarry::testing::exchange;
using quarry::testing::Response;
using quarry::testing::Sink;

constexpr std::string_view kChat = R"({"model": "tiny", "system": "Be exact.",
  "tools": [{"name": "grep", "parameters": {
    "type": "object"}}], "toolsAllowed": true,
  "messages": [
    {"role": "user", "text": "When\ndoes it ship?"},
    {"role": "assistant", "text": "", "toolCalls": [{"name": "grep", "arguments": {"a": 1}}]},
    {"role": "tool", "text": "a.md:1", "failed": false}]})";

class @Name@Test : public testing::Test {
 protected:
  quarry::testing::Component<quarry_model_v1> model_{quarry_plugin_entry_v1, QUARRY_MODEL, "@name@",
                                                     R"({"base_url": "http://a.example"})"};
};

TEST_F(@Name@Test, AChatIsSentAsLines) {
  quarry::testing::StartedExchange started(model_, kChat);
  const quarry::HttpRequest request = started.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "http://a.example/answer");
  EXPECT_EQ(request.body,
            "model \"tiny\"\nsystem \"Be exact.\"\n"
            "tool grep {     \"type\": \"object\"}\n"
            "user \"When\\ndoes it ship?\"\n"
            "assistant \"\"\ncall grep {\"a\": 1}\ntool \"a.md:1\"\n");
}

TEST_F(@Name@Test, ToolsThatMayNotBeUsedAreNotDeclared) {
  quarry::testing::StartedExchange started(
      model_, R"({"model":"m","tools":[{"name":"grep"}],"toolsAllowed":false,"messages":[]})");
  EXPECT_EQ(started.request().body, "model \"m\"\nsystem \"\"\n");
}

TEST_F(@Name@Test, AResponseIsTheSameHoweverItIsCut) {
  const auto step =
      exchange_cut_everywhere(model_, kChat,
                              "think \"Hm.\"\ntext \"Gr\\u00fc\xc3\x9f\"\ntext \"e\"\n"
                              "call grep {\"a\": 1}\ncall list\nlater \"?\"\n"
                              "tokens 120 9\nend calls\ntext \"late\"\nend\n");
  EXPECT_EQ(step.reasoning, "Hm.");
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"", "grep", " {\"a\": 1}"}));
  EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"", "list", ""}));
  EXPECT_EQ(step.input_tokens, 120);
  EXPECT_EQ(step.output_tokens, 9);
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_TOOL_CALLS});
}

TEST_F(@Name@Test, AStepEndsAsTheServerSays) {
  const auto step = exchange(model_, kChat, {"text \"Friday\"\nend\n"});
  EXPECT_EQ(step.text, "Friday");
  EXPECT_EQ(step.finishes, std::vector<quarry_finish>{QUARRY_FINISH_STOP});
}

TEST_F(@Name@Test, AResponseThatBreaksOffIsAnError) {
  const auto step =
      exchange(model_, kChat, Response{.pieces = {"text \"Fri\"\nen"}, .end = QUARRY_END_CUT});
  EXPECT_EQ(step.text, "Fri");
  EXPECT_EQ(step.errors, std::vector<std::string>{"the response was incomplete"});
}

TEST_F(@Name@Test, ARefusalIsShownWithItsMessage) {
  const auto busy = exchange(model_, kChat, Response{.status = 503, .pieces = {"too ", "busy"}});
  EXPECT_EQ(busy.errors, std::vector<std::string>{"too busy"});
  EXPECT_EQ(busy.refusals, (std::vector<Sink::Refusal>{{QUARRY_UNAVAILABLE, 503, -1}}));
}

TEST_F(@Name@Test, DescribesItsServerAndItsKeys) {
  const quarry::testing::FakeCall call;
  quarry::testing::Reply reply;
  model_->describe(model_.instance(), call.get(), reply.get());
  EXPECT_EQ(quarry::json::string(reply.value(), "endpoint"), "http://a.example");
  const auto schema = quarry::json::member(reply.value(), "schema");
  EXPECT_TRUE(quarry::json::member(schema.value_or(""), "properties"));
}

}  // namespace
