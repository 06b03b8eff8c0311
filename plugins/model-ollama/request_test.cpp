#include "model-ollama/request.h"

#include <gtest/gtest.h>

namespace quarry::ollama {
namespace {

using model_http::ChatRequest;
using Json = nlohmann::json;

Json body(const std::string& chat, const Options& options = {}) {
  const auto request = ChatRequest::read(chat);
  EXPECT_TRUE(request) << request.failure().message;
  return body_of(*request, options);
}

TEST(Request, GoesToTheChatWithAKeyWhereThereIsOne) {
  model_http::Settings settings;
  settings.base_url = "http://127.0.0.1:11434";
  const auto local = request_of(settings, {}, {});
  EXPECT_EQ(local.method, "POST");
  EXPECT_EQ(local.url, "http://127.0.0.1:11434/api/chat");
  ASSERT_EQ(local.headers.size(), 1u);
  EXPECT_EQ(local.headers[0].value, "application/json");
  settings.secret = "OLLAMA_API_KEY";
  const auto cloud = request_of(settings, {}, {});
  ASSERT_EQ(cloud.headers.size(), 2u);
  EXPECT_EQ(cloud.headers[0].name, "authorization");
  EXPECT_EQ(cloud.headers[0].value, "Bearer ");
  EXPECT_EQ(cloud.headers[0].secret, "OLLAMA_API_KEY");
}

TEST(Request, CarriesAConversationOfThreeStepsWithParallelCalls) {
  Options options;
  options.context_tokens = 32768;
  const std::string conversation = R"({"model":"qwen3:8b","system":"Be brief.","messages":[
      {"role":"user","text":"How are dates parsed?"},
      {"role":"assistant","text":"Looking.","reasoning":"hm",
       "toolCalls":[{"id":"call_1","name":"list","arguments":{"path":""}},
                    {"id":"call_2","name":"search","arguments":{"query":"date"}}]},
      {"role":"tool","toolCallId":"call_1","name":"list","text":"docs/  2 files","failed":false},
      {"role":"tool","toolCallId":"call_2","name":"search","text":"no index","failed":true},
      {"role":"assistant","text":"","toolCalls":[{"id":"call_3","name":"read","arguments":{}}]},
      {"role":"tool","toolCallId":"call_3","name":"read","text":"1\tx","failed":false},
      {"role":"user","text":"Go on."}],
    "tools":[{"name":"list","description":"Lists.","parameters":{"type":"object"}}],
    "maxOutputTokens":8192,"toolsAllowed":)";
  const Json expected = Json::parse(R"({
    "model":"qwen3:8b","stream":true,
    "messages":[
      {"role":"system","content":"Be brief."},
      {"role":"user","content":"How are dates parsed?"},
      {"role":"assistant","content":"Looking.","thinking":"hm","tool_calls":[
        {"function":{"name":"list","arguments":{"path":""}}},
        {"function":{"name":"search","arguments":{"query":"date"}}}]},
      {"role":"tool","tool_name":"list","content":"docs/  2 files"},
      {"role":"tool","tool_name":"search","content":"Error: no index"},
      {"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{}}}]},
      {"role":"tool","tool_name":"read","content":"1\tx"},
      {"role":"user","content":"Go on."}],
    "tools":[{"type":"function","function":{"name":"list","description":"Lists.",
                                            "parameters":{"type":"object"}}}],
    "options":{"num_ctx":32768,"num_predict":8192}})");
  EXPECT_EQ(body(conversation + "true}", options), expected);
  Json without_tools = expected;
  without_tools.erase("tools");
  EXPECT_EQ(body(conversation + "false}", options), without_tools);
}

TEST(Request, LeavesOutTheReasoningOfEarlierAnswers) {
  const Json sent =
      body(R"({"model":"m","messages":[{"role":"assistant","text":"a","reasoning":"r"}]})");
  EXPECT_EQ(sent["messages"], Json::parse(R"([{"role":"assistant","content":"a"}])"));
}

TEST(Request, TakesWhatTheUserSets) {
  Options options;
  options.think = "low";
  options.keep_alive = "10m";
  options.request.temperature = 0;
  options.request.max_output_tokens = 50;
  options.request.headers = {{"x-team", "docs", {}}};
  options.request.body = {{"options", {{"top_k", 3}}}};
  const std::string chat = R"({"model":"m","messages":[],"maxOutputTokens":8192})";
  const Json sent = body(chat, options);
  EXPECT_EQ(sent["options"], Json::parse(R"({"num_predict":50,"temperature":0.0,"top_k":3})"));
  EXPECT_EQ(sent["think"], "low");
  EXPECT_EQ(sent["keep_alive"], "10m");
  EXPECT_EQ(request_of({}, options, *ChatRequest::read(chat)).headers.back().name, "x-team");
}

}  // namespace
}  // namespace quarry::ollama
