#include "model_http/chat_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

TEST(ChatRequest, IsReadWhole) {
  const auto request = ChatRequest::read(R"({"model":"m","system":"s","messages":[
    {"role":"user","text":"q"},
    {"role":"assistant","text":"t","reasoning":"r","kept":[{"sig":1}],
     "toolCalls":[{"id":"c1","name":"grep","arguments":{"pattern":"x"}}]},
    {"role":"tool","toolCallId":"c1","name":"grep","text":"none","failed":true}],
    "tools":[{"name":"grep","description":"d","parameters":{"type":"object"}}],
    "maxOutputTokens":7,"toolsAllowed":false,"options":{"temperature":0.5},"later":1})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->model, "m");
  EXPECT_EQ(request->system, "s");
  ASSERT_EQ(request->messages.size(), 3u);
  EXPECT_EQ(request->messages[0].role, Role::kUser);
  EXPECT_EQ(request->messages[0].text, "q");
  const Message& assistant = request->messages[1];
  EXPECT_EQ(assistant.reasoning, "r");
  EXPECT_EQ(assistant.kept, std::vector<Json>{Json({{"sig", 1}})});
  ASSERT_EQ(assistant.tool_calls.size(), 1u);
  EXPECT_EQ(assistant.tool_calls[0].arguments, Json({{"pattern", "x"}}));
  EXPECT_EQ(request->messages[2].role, Role::kTool);
  EXPECT_EQ(request->messages[2].tool_call_id, "c1");
  EXPECT_TRUE(request->messages[2].failed);
  ASSERT_EQ(request->tools.size(), 1u);
  EXPECT_EQ(request->tools[0].parameters, Json({{"type", "object"}}));
  EXPECT_EQ(request->max_output_tokens, 7);
  EXPECT_FALSE(request->tools_allowed);
  EXPECT_EQ(request->options["temperature"], 0.5);
}

TEST(ChatRequest, SaysWhatIsWrong) {
  for (const char* wrong : {"", "[]", R"({"messages":[{"role":"judge"}]})",
                            R"({"messages":[{"role":"user","text":3}]})", "{}"}) {
    const auto request = ChatRequest::read(wrong);
    ASSERT_FALSE(request) << wrong;
    EXPECT_EQ(request.failure().status, QUARRY_INVALID_ARGUMENT);
    EXPECT_THAT(request.failure().message, ::testing::HasSubstr("the chat request is invalid: "));
  }
}

TEST(ChatRequest, NamesAModel) {
  for (const char* nameless : {R"({"messages":[]})", R"({"model":"","messages":[]})"}) {
    const auto request = ChatRequest::read(nameless);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.failure().message, "no model is named");
    EXPECT_THAT(request.failure().hint, ::testing::HasSubstr("quarry models"));
  }
}

}  // namespace
}  // namespace quarry::model_http
