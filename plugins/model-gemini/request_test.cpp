#include "model-gemini/request.h"

#include <gtest/gtest.h>

namespace quarry::gemini {
namespace {

using model_http::ChatRequest;
using model_http::RequestOptions;
using model_http::Settings;
using Json = nlohmann::json;

Json body(const std::string& chat, const RequestOptions& options = {}) {
  const auto request = ChatRequest::read(chat);
  EXPECT_TRUE(request) << request.failure().message;
  return body_of(*request, options);
}
Json contents(const std::string& messages) {
  return body(R"({"model":"gemini-2.5-flash","messages":)" + messages + "}")["contents"];
}

TEST(Request, GoesToTheModelWithTheKeyAsASecret) {
  Settings settings;
  settings.base_url = "https://generativelanguage.googleapis.com";
  settings.secret = "GEMINI_API_KEY";
  ChatRequest chat;
  chat.model = "gemini-2.5-flash";
  const auto request = request_of(settings, {}, chat);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url,
            "https://generativelanguage.googleapis.com/v1beta/models/"
            "gemini-2.5-flash:streamGenerateContent?alt=sse");
  ASSERT_EQ(request.headers.size(), 2u);
  EXPECT_EQ(request.headers[0].name, "x-goog-api-key");
  EXPECT_EQ(request.headers[0].value, "");
  EXPECT_EQ(request.headers[0].secret, "GEMINI_API_KEY");
  EXPECT_EQ(request.headers[1].value, "application/json");

  settings.base_url = "http://127.0.0.1:4010/v1beta";
  settings.secret.clear();
  chat.model = "models/x?y";
  EXPECT_EQ(request_of(settings, {}, chat).url,
            "http://127.0.0.1:4010/v1beta/models/x%3Fy:streamGenerateContent?alt=sse");
  EXPECT_EQ(request_of(settings, {}, chat).headers.size(), 1u);
  chat.model = "tunedModels/mine";
  EXPECT_EQ(request_of(settings, {}, chat).url,
            "http://127.0.0.1:4010/v1beta/tunedModels/mine:streamGenerateContent?alt=sse");
}

TEST(Request, CarriesAConversationOfThreeStepsWithParallelCalls) {
  const Json sent = body(R"({"model":"gemini-3-flash","system":"Be brief.","messages":[
      {"role":"user","text":"How are dates parsed?"},
      {"role":"assistant","text":"Looking.","reasoning":"hm",
       "toolCalls":[{"id":"call_1","name":"list","arguments":{"path":""}},
                    {"id":"q7","name":"search","arguments":{"query":"date"}}],
       "kept":[{"gemini":[{"text":"Looking."},
          {"functionCall":{"name":"list","args":{"path":""}},"thoughtSignature":"czE="},
          {"functionCall":{"id":"q7","name":"search","args":{"query":"date"}}}]}]},
      {"role":"tool","toolCallId":"call_1","name":"list","text":"docs/  2 files","failed":false},
      {"role":"tool","toolCallId":"q7","name":"search","text":"no index","failed":true},
      {"role":"assistant","text":"","toolCalls":[{"id":"call_3","name":"read","arguments":{"path":"docs/a"}}],
       "kept":[{"gemini":[{"functionCall":{"name":"read","args":{"path":"docs/a"}},"thoughtSignature":"czI="}]}]},
      {"role":"tool","toolCallId":"call_3","name":"read","text":"1\tx","failed":false},
      {"role":"user","text":"This is the last step."}],
    "tools":[{"name":"list","description":"Lists.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}],
    "maxOutputTokens":8192,"toolsAllowed":false})");
  EXPECT_EQ(sent, Json::parse(R"({
    "systemInstruction":{"parts":[{"text":"Be brief."}]},
    "contents":[
      {"role":"user","parts":[{"text":"How are dates parsed?"}]},
      {"role":"model","parts":[{"text":"Looking."},
        {"functionCall":{"name":"list","args":{"path":""}},"thoughtSignature":"czE="},
        {"functionCall":{"id":"q7","name":"search","args":{"query":"date"}}}]},
      {"role":"user","parts":[
        {"functionResponse":{"name":"list","response":{"output":"docs/  2 files"}}},
        {"functionResponse":{"id":"q7","name":"search","response":{"error":"no index"}}}]},
      {"role":"model","parts":[
        {"functionCall":{"name":"read","args":{"path":"docs/a"}},"thoughtSignature":"czI="}]},
      {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"1\tx"}}}]},
      {"role":"user","parts":[{"text":"This is the last step."}]}],
    "tools":[{"functionDeclarations":[{"name":"list","description":"Lists.",
      "parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}],
    "toolConfig":{"functionCallingConfig":{"mode":"NONE"}},
    "generationConfig":{"maxOutputTokens":8192,"thinkingConfig":{"includeThoughts":true}}})"));
}

TEST(Request, CarriesCallsThatAnotherProviderMade) {
  EXPECT_EQ(contents(R"([
      {"role":"assistant","text":"Looking.","toolCalls":[{"id":"toolu_1","name":"list","arguments":{}},
        {"id":"toolu_2","name":"list","arguments":{"path":"a"}}],"kept":[{"signature":"x"}]},
      {"role":"tool","toolCallId":"toolu_1","name":"list","text":"a"},
      {"role":"tool","toolCallId":"toolu_2","name":"list","text":"b"}])"),
            Json::parse(R"([
      {"role":"model","parts":[{"text":"Looking."},
        {"functionCall":{"id":"toolu_1","name":"list","args":{}},
         "thoughtSignature":"skip_thought_signature_validator"},
        {"functionCall":{"id":"toolu_2","name":"list","args":{"path":"a"}}}]},
      {"role":"user","parts":[
        {"functionResponse":{"id":"toolu_1","name":"list","response":{"output":"a"}}},
        {"functionResponse":{"id":"toolu_2","name":"list","response":{"output":"b"}}}]}])"));
}

TEST(Request, CarriesEarlierAnswersAndResultsWithoutTheirCall) {
  EXPECT_EQ(contents(R"([{"role":"user","text":"a"},{"role":"assistant","text":"b"},
      {"role":"assistant","text":""},{"role":"user","text":"c"},
      {"role":"tool","toolCallId":"gone","name":"read","text":"d"}])"),
            Json::parse(R"([{"role":"user","parts":[{"text":"a"}]},
      {"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]},
      {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"d"}}}]}])"));
}

TEST(Request, RebuildsPartsWhoseCallsAreNotThoseAnyMore) {
  const Json parts = contents(R"([{"role":"assistant","text":"t","toolCalls":[],
      "kept":[{"gemini":[{"functionCall":{"name":"list"}}]}]}])")[0]["parts"];
  EXPECT_EQ(parts, Json::parse(R"([{"text":"t"}])"));
}

TEST(Request, AsksForThoughtsWhereThereAreSome) {
  const auto config = [](const std::string& model) {
    return body(R"({"messages":[],"model":")" + model + R"("})")["generationConfig"];
  };
  const Json thoughts = {{"thinkingConfig", {{"includeThoughts", true}}}};
  for (const char* model : {"gemini-2.5-pro", "gemini-3-pro-preview", "gemini-flash-latest"}) {
    EXPECT_EQ(config(model), thoughts) << model;
  }
  for (const char* model : {"gemini-2.0-flash", "models/gemini-1.5-pro", "gemma-3-27b-it"}) {
    EXPECT_EQ(config(model), Json::object()) << model;
  }
}

TEST(Request, TakesWhatTheUserSets) {
  RequestOptions options;
  options.temperature = 0.5;
  options.max_output_tokens = 100;
  options.headers = {{"x-team", "docs", {}}};
  options.body = {
      {"generationConfig", {{"topP", 0.25}, {"thinkingConfig", {{"thinkingBudget", 0}}}}}};
  const std::string chat = R"({"model":"gemini-2.5-pro","messages":[],"maxOutputTokens":8192})";
  EXPECT_EQ(body(chat, options)["generationConfig"],
            Json::parse(R"({"maxOutputTokens":100,"temperature":0.5,"topP":0.25,
                            "thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}})"));
  EXPECT_EQ(request_of({}, options, *ChatRequest::read(chat)).headers.back().name, "x-team");
}

TEST(Request, SendsNeitherToolsNorASystemPromptThatAreNotThere) {
  const Json sent = body(R"({"model":"gemma-3","messages":[],"toolsAllowed":false})");
  EXPECT_EQ(sent, Json::parse(R"({"contents":[],"generationConfig":{}})"));
}

}  // namespace
}  // namespace quarry::gemini
