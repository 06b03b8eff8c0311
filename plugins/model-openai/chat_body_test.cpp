#include "model-openai/chat_body.h"

#include "model-openai/testing/steps.h"

namespace quarry::openai {
namespace {

using testing::three_steps;
using Json = nlohmann::json;

Json body_of(const Json& request, const Vendor& vendor = kVllm, const Json& options = {},
             const RefusedParameters& refused = {}) {
  const auto chat = model_http::ChatRequest::read(request.dump());
  EXPECT_TRUE(chat) << chat.failure().message;
  const auto read = Options::read(options.is_null() ? Json::object() : options, Api::kChat);
  EXPECT_TRUE(read) << read.failure().message;
  return chat_body(*chat, vendor, *read, refused);
}

TEST(ChatBody, CarriesAConversationOfThreeSteps) {
  const Json expected = Json::parse(R"json({
    "model": "m",
    "messages": [
      {"role": "system", "content": "Answer from the files."},
      {"role": "user", "content": "How?"},
      {"role": "assistant", "content": null, "reasoning_content": "Two files.", "tool_calls": [
        {"id": "call_1", "type": "function",
         "function": {"name": "read", "arguments": "{\"path\":\"docs/a.md\"}"}},
        {"id": "call_2", "type": "function", "function": {"name": "list", "arguments": "{}"}}]},
      {"role": "tool", "tool_call_id": "call_1", "content": "one\ntwo"},
      {"role": "tool", "tool_call_id": "call_2", "content": "no such folder"},
      {"role": "assistant", "content": "Once more.", "reasoning_content": "Where?", "tool_calls": [
        {"id": "call_3", "type": "function",
         "function": {"name": "list", "arguments": "{\"path\":\"docs\"}"}}]},
      {"role": "tool", "tool_call_id": "call_3", "content": "a.md"}],
    "tools": [{"type": "function", "function": {
      "name": "list", "description": "Lists a folder.",
      "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}],
    "max_tokens": 8192,
    "stream": true,
    "stream_options": {"include_usage": true}
  })json");
  EXPECT_EQ(body_of(three_steps({"reasoning_content"}, {"reasoning_content"})), expected);
}

TEST(ChatBody, KeepsToolsDeclaredWhenTheyMayNotBeUsed) {
  Json request = three_steps({}, {});
  request["toolsAllowed"] = false;
  EXPECT_EQ(body_of(request)["tool_choice"], "none");
  EXPECT_EQ(body_of(request)["tools"].size(), 1u);
  request["tools"] = Json::array();
  EXPECT_FALSE(body_of(request).contains("tool_choice"));
  EXPECT_FALSE(body_of(request).contains("tools"));
}

TEST(ChatBody, GivesBackWhatWasKeptAndNothingElse) {
  const Json details = {{{"type", "reasoning.encrypted"}, {"data", "abc"}}};
  const Json body = body_of(
      three_steps({{{"reasoning_details", details}}, "content", 7, "tools", {{"calls", 1}}}, {}));
  const Json& first = body["messages"][2];
  EXPECT_EQ(first["reasoning_details"], details);
  EXPECT_EQ(first["content"], nullptr);
  EXPECT_EQ(first.size(), 4u) << first;
  EXPECT_FALSE(body["messages"][5].contains("reasoning_content"));
  const Json blocks = {{{"type", "thinking"}, {"thinking", "a"}, {"signature", "c2ln"}}};
  const Json other = body_of(three_steps(Json::array({Json{{"thinking_blocks", blocks}}}), {}));
  EXPECT_EQ(other["messages"][2]["thinking_blocks"], blocks);
}

TEST(ChatBody, GivesBackEmptyReasoningToThoseWhoInsist) {
  Json request = three_steps({"reasoning_content"}, {});
  request["messages"][1].erase("reasoning");
  EXPECT_EQ(body_of(request)["messages"][2]["reasoning_content"], "");
}

// Oaklight/llm-rosetta#356, HKUDS/nanobot#946: DeepSeek and Kimi miss it in each step with calls
TEST(ChatBody, GivesBackEmptyReasoningForStepsWithoutAny) {
  const Json messages = body_of(three_steps({}, {"reasoning_content"}))["messages"];
  EXPECT_EQ(messages[2]["reasoning_content"], "");
  EXPECT_EQ(messages[5]["reasoning_content"], "Where?");
}

// crmne/ruby_llm#591, 0xsline/OpenChatCut#6
TEST(ChatBody, GivesBackTheMembersOfCalls) {
  const Json extra = {{"extra_content", {{"google", {{"thought_signature", "CvcB"}}}}}};
  const Json kept = {{"calls", {Json::object(), extra, extra}}};
  const Json calls = body_of(three_steps(Json::array({kept}), {}))["messages"][2]["tool_calls"];
  EXPECT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].size(), 3u) << calls[0];
  EXPECT_EQ(calls[1]["extra_content"], extra["extra_content"]);
  EXPECT_EQ(calls[1]["type"], "function");
}

// onyx-dot-app/onyx#6458, datapizza-labs/datapizza-ai#98: "Unexpected role 'user' after role
// 'tool'"
TEST(ChatBody, TellsMistralsModelsAboutTheLastStepInTheResultBefore) {
  Json request = three_steps({}, {});
  request["messages"].push_back({{"role", "user"}, {"text", "This is the last step."}});
  const auto last = [&](const char* model, const Vendor& vendor) {
    request["model"] = model;
    return body_of(request, vendor)["messages"].back();
  };
  for (const Json& message : {last("m", kMistral), last("mistralai/Devstral-Small", kVllm)}) {
    EXPECT_EQ(message["role"], "tool");
    EXPECT_EQ(message["content"], "a.md\n\nThis is the last step.");
  }
  EXPECT_EQ(last("m", kVllm)["role"], "user");
}

// heshengtao/super-agent-party#384, anomalyco/opencode#4698
TEST(ChatBody, LeavesOutWhatTheServerHasRefused) {
  RefusedParameters refused;
  const auto says = [&](int status, const char* message) {
    return refused.note({QUARRY_INVALID_ARGUMENT, message, status});
  };
  EXPECT_FALSE(says(400, "max_tokens is too large: 8192. The model supports at most 4096."));
  EXPECT_FALSE(says(500, "Unsupported parameter: 'max_tokens'"));
  EXPECT_FALSE(refused.token_limit);
  constexpr const char* kUseAnother =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
      "'max_completion_tokens' instead.";
  EXPECT_TRUE(says(400, kUseAnother));
  EXPECT_FALSE(says(400, kUseAnother)) << "once";
  EXPECT_TRUE(says(422, "stream_options: Extra inputs are not permitted"));
  const Json body = body_of(three_steps({}, {}), kVllm, {}, refused);
  EXPECT_EQ(body["max_completion_tokens"], 8192);
  EXPECT_FALSE(body.contains("max_tokens"));
  EXPECT_FALSE(body.contains("stream_options"));
}

TEST(ChatBody, ALimitInTheBodyReplacesItsOwn) {
  const Json body = body_of(three_steps({}, {}), kVllm, {{"body", {{"max_completion_tokens", 7}}}});
  EXPECT_EQ(body["max_completion_tokens"], 7);
  EXPECT_FALSE(body.contains("max_tokens"));
}

TEST(ChatBody, LimitsTokensInTheWordsOfTheModelsMaker) {
  Json request = three_steps({}, {});
  for (const char* model : {"gpt-5.4-mini", "o3", "ft:gpt-4o-mini:acme::x", "openai/gpt-5-nano"}) {
    request["model"] = model;
    EXPECT_EQ(body_of(request, kOpenAi)["max_completion_tokens"], 8192) << model;
    EXPECT_FALSE(body_of(request, kOpenAi).contains("max_tokens")) << model;
  }
  request["model"] = "gpt-oss-20b";
  EXPECT_EQ(body_of(request, kOpenAi)["max_tokens"], 8192);
  request["model"] = "openai/gpt-5.4";
  EXPECT_EQ(body_of(request, kOpenRouter)["max_tokens"], 8192);
  request.erase("maxOutputTokens");
  EXPECT_FALSE(body_of(request, kOpenRouter).contains("max_tokens"));
}

TEST(ChatBody, TakesTheOptionsOfTheUser) {
  const Json body = body_of(three_steps({}, {}), kGroq,
                            {{"temperature", 0.5},
                             {"max_output_tokens", 100},
                             {"reasoning_effort", "low"},
                             {"body", {{"seed", 7}, {"stream_options", nullptr}}}});
  EXPECT_EQ(body["temperature"], 0.5);
  EXPECT_EQ(body["max_tokens"], 100);
  EXPECT_EQ(body["reasoning_effort"], "low");
  EXPECT_EQ(body["seed"], 7);
  EXPECT_FALSE(body.contains("stream_options"));
}

TEST(ChatBody, SpeaksTheDialectsOfItsVendors) {
  const Json options = {{"reasoning_effort", "high"}};
  const Json routed = body_of(three_steps({}, {}), kOpenRouter, options);
  EXPECT_EQ(routed["reasoning"]["effort"], "high");
  EXPECT_FALSE(routed.contains("reasoning_effort"));
  EXPECT_FALSE(body_of(three_steps({}, {}), kMistral).contains("stream_options"));
}

TEST(ChatBody, GivesMistralIdsOfNineCharactersThatStillMatch) {
  Json request = three_steps({}, {});
  request["messages"][1]["toolCalls"][1]["id"] = "D681PevKs";
  request["messages"][3]["toolCallId"] = "D681PevKs";
  const Json messages = body_of(request, kMistral)["messages"];
  const std::string id = messages[2]["tool_calls"][0]["id"];
  EXPECT_EQ(id.size(), 9u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"), std::string::npos) << id;
  EXPECT_EQ(messages[3]["tool_call_id"], id);
  EXPECT_EQ(messages[2]["tool_calls"][1]["id"], "D681PevKs");
  EXPECT_NE(messages[5]["tool_calls"][0]["id"], id);
}

}  // namespace
}  // namespace quarry::openai
