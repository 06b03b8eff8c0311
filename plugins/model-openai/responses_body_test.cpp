#include "model-openai/responses_body.h"

#include "model-openai/testing/steps.h"

namespace quarry::openai {
namespace {

using testing::three_steps;
using Json = nlohmann::json;

Json responses_body(const Json& request, const Json& options = Json::object()) {
  const auto chat = model_http::ChatRequest::read(request.dump());
  EXPECT_TRUE(chat) << chat.failure().message;
  const auto read = Options::read(options, Api::kResponses);
  EXPECT_TRUE(read) << read.failure().message;
  return responses_body(*chat, *read);
}

Json reasoning(const std::string& secret) {
  return {{"type", "reasoning"}, {"summary", Json::array()}, {"encrypted_content", secret}};
}

Json kept(const std::string& secret, int calls, bool after_text) {
  return {{"item", reasoning(secret)}, {"calls", calls}, {"afterText", after_text}};
}

TEST(ResponsesBody, CarriesAConversationOfThreeStepsWithReasoningWhereItCame) {
  const Json expected = Json::parse(R"json({
    "model": "m",
    "instructions": "Answer from the files.",
    "input": [
      {"type": "message", "role": "user", "content": "How?"},
      {"type": "reasoning", "summary": [], "encrypted_content": "s1"},
      {"type": "function_call", "call_id": "call_1", "name": "read",
       "arguments": "{\"path\":\"docs/a.md\"}"},
      {"type": "reasoning", "summary": [], "encrypted_content": "s2"},
      {"type": "function_call", "call_id": "call_2", "name": "list", "arguments": "{}"},
      {"type": "function_call_output", "call_id": "call_1", "output": "one\ntwo"},
      {"type": "function_call_output", "call_id": "call_2", "output": "no such folder"},
      {"type": "reasoning", "summary": [], "encrypted_content": "s3"},
      {"type": "message", "role": "assistant", "phase": "commentary",
       "content": [{"type": "output_text", "text": "Once more."}]},
      {"type": "reasoning", "summary": [], "encrypted_content": "s4"},
      {"type": "function_call", "call_id": "call_3", "name": "list",
       "arguments": "{\"path\":\"docs\"}"},
      {"type": "function_call_output", "call_id": "call_3", "output": "a.md"}],
    "tools": [{"type": "function", "name": "list", "description": "Lists a folder.",
               "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
               "strict": false}],
    "include": ["reasoning.encrypted_content"],
    "max_output_tokens": 8192,
    "store": false,
    "stream": true
  })json");
  EXPECT_EQ(responses_body(three_steps(
                {kept("s1", 0, false), kept("s2", 1, false)},
                {kept("s3", 0, false), {{"phase", "commentary"}}, kept("s4", 0, true)})),
            expected);
}

TEST(ResponsesBody, KeepsToolsDeclaredWhenTheyMayNotBeUsed) {
  Json request = three_steps({}, {});
  request["toolsAllowed"] = false;
  EXPECT_EQ(responses_body(request)["tool_choice"], "none");
  EXPECT_EQ(responses_body(request)["tools"].size(), 1u);
}

TEST(ResponsesBody, PassesOverWhatAnotherProviderKept) {
  const Json plain = responses_body(three_steps({}, {}));
  EXPECT_EQ(responses_body(three_steps({"reasoning", 7, {{"item", "x"}, {"calls", 0}}}, {})),
            plain);
}

TEST(ResponsesBody, AsksForEncryptedReasoningOnlyWhereThereIsSome) {
  Json request = three_steps({}, {});
  for (const char* model : {"gpt-4.1", "gpt-4o-mini", "ft:gpt-4o:a", "gpt-5-chat-latest"}) {
    request["model"] = model;
    EXPECT_FALSE(responses_body(request).contains("include")) << model;
  }
  for (const char* model : {"gpt-5.4-mini", "o4-mini", "qwen3"}) {
    request["model"] = model;
    EXPECT_TRUE(responses_body(request).contains("include")) << model;
  }
}

TEST(ResponsesBody, TakesTheOptionsOfTheUser) {
  Json request = three_steps({}, {});
  request.erase("system");
  request.erase("maxOutputTokens");
  const Json body = responses_body(request, {{"temperature", 1},
                                             {"reasoning_effort", "low"},
                                             {"body", {{"reasoning", {{"summary", "auto"}}}}}});
  EXPECT_EQ(body["temperature"], 1);
  EXPECT_EQ(body["reasoning"], Json({{"effort", "low"}, {"summary", "auto"}}));
  EXPECT_FALSE(body.contains("instructions"));
  EXPECT_FALSE(body.contains("max_output_tokens"));
  EXPECT_EQ(responses_body(request, {{"max_output_tokens", 99}})["max_output_tokens"], 99);
}

}  // namespace
}  // namespace quarry::openai
