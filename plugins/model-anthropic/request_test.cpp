#include "model-anthropic/request.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::anthropic {
namespace {

using model_http::ChatRequest;
using model_http::Json;
using ::testing::HasSubstr;

Json body(const std::string& chat_request, const Json& options = Json::object()) {
  const auto chat = ChatRequest::read(chat_request);
  const auto read = Options::read(options);
  EXPECT_TRUE(chat) << chat.failure().message;
  EXPECT_TRUE(read) << read.failure().message;
  return chat && read ? body_of(*chat, *read) : Json();
}

std::string refused(const Json& options) {
  const auto read = Options::read(options);
  return read ? "accepted" : read.failure().message + " " + read.failure().details;
}

constexpr const char* kShort = R"({"model":"m","messages":[{"role":"user","text":"q"}],
                                   "maxOutputTokens":4000})";

/// The request of step `step` of a question: two calls at once, of which one fails, then another.
std::string step(int step, bool tools_allowed) {
  std::string messages = R"({"role":"user","text":"How?"})";
  if (step > 1) {
    messages += R"(,{"role":"assistant","text":"","reasoning":"hm",
      "kept":[{"anthropic":{"type":"thinking","thinking":"hm","signature":"s1"},"text":0,"calls":0}],
      "toolCalls":[{"id":"t1","name":"grep","arguments":{"pattern":"x"}},
                   {"id":"t2","name":"read","arguments":{"path":"a"}}]},
      {"role":"tool","toolCallId":"t1","name":"grep","text":"a:1","failed":false},
      {"role":"tool","toolCallId":"t2","name":"read","text":"no file a","failed":true})";
  }
  if (step > 2) {
    messages += R"(,{"role":"assistant","text":"One more.",
      "toolCalls":[{"id":"t3","name":"read","arguments":{"path":"b"}}]},
      {"role":"tool","toolCallId":"t3","name":"read","text":"hello","failed":false})";
  }
  if (!tools_allowed) messages += R"(,{"role":"user","text":"Answer now."})";
  return R"({"model":"claude-haiku-4-5","system":"Be exact.","messages":[)" + messages +
         R"(],"tools":[{"name":"grep","description":"Finds.","parameters":{"type":"object"}},
                       {"name":"read","description":"Reads.","parameters":{"type":"object"}}],
             "maxOutputTokens":8192,"toolsAllowed":)" +
         (tools_allowed ? "true" : "false") + R"(,"options":{}})";
}

TEST(Request, OfAThirdStepIsWholeAndMarkedForTheCache) {
  EXPECT_EQ(body(step(3, true)), Json::parse(R"({
    "model":"claude-haiku-4-5","max_tokens":8192,"stream":true,
    "system":[{"type":"text","text":"Be exact.","cache_control":{"type":"ephemeral"}}],
    "tools":[
      {"name":"grep","description":"Finds.","input_schema":{"type":"object"}},
      {"name":"read","description":"Reads.","input_schema":{"type":"object"},
       "cache_control":{"type":"ephemeral"}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"How?"}]},
      {"role":"assistant","content":[
        {"type":"thinking","thinking":"hm","signature":"s1"},
        {"type":"tool_use","id":"t1","name":"grep","input":{"pattern":"x"}},
        {"type":"tool_use","id":"t2","name":"read","input":{"path":"a"}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"t1","content":"a:1"},
        {"type":"tool_result","tool_use_id":"t2","content":"no file a","is_error":true,
         "cache_control":{"type":"ephemeral"}}]},
      {"role":"assistant","content":[
        {"type":"text","text":"One more."},
        {"type":"tool_use","id":"t3","name":"read","input":{"path":"b"}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"t3","content":"hello",
         "cache_control":{"type":"ephemeral"}}]}]})"));
}

/// The prefixes that a request would write to the cache or read from it: the text up to each mark.
std::vector<std::string> cached_prefixes(const Json& request) {
  std::vector<std::string> out;
  std::string prefix;
  const auto walk = [&](const Json& blocks) {
    for (Json block : blocks) {
      const bool marked = block.erase("cache_control") > 0;
      prefix += block.dump();
      if (marked) out.push_back(prefix);
    }
  };
  walk(request["tools"]);
  walk(request["system"]);
  for (const Json& turn : request["messages"]) {
    prefix += turn["role"].get<std::string>();
    walk(turn["content"]);
  }
  return out;
}

TEST(Request, OfEachStepReadsWhatTheOneBeforeCached) {
  std::vector<std::string> before;
  for (int number = 1; number <= 3; ++number) {
    const auto cached = cached_prefixes(body(step(number, true)));
    EXPECT_LE(cached.size(), 4u);
    EXPECT_TRUE(number == 1 || std::ranges::count(cached, before.back()) == 1) << number;
    before = cached;
  }
}

TEST(Request, OfTheLastStepDeclaresTheToolsAndForbidsThem) {
  const Json last = body(step(3, false));
  EXPECT_EQ(last["tool_choice"], Json({{"type", "none"}}));
  EXPECT_EQ(last["tools"].size(), 2u);
  EXPECT_EQ(last["messages"].back()["content"].back()["text"], "Answer now.");
  EXPECT_EQ(cached_prefixes(last).size(), 2u)
      << "messages cached for another tool choice are useless";
}

TEST(Request, LeavesOutWhatIsNotThere) {
  EXPECT_EQ(body(R"({"model":"m","system":" ","messages":[{"role":"user","text":"q"}],
                     "toolsAllowed":false})"),
            Json::parse(R"({"model":"m","max_tokens":8192,"stream":true,
    "messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]})"));
}

TEST(Request, FollowsTheOptions) {
  const Json out = body(kShort, {{"temperature", 0.25},
                                 {"max_output_tokens", 12000},
                                 {"body", {{"service_tier", "auto"}, {"stream", nullptr}}}});
  EXPECT_EQ(out["temperature"], 0.25);
  EXPECT_EQ(out["max_tokens"], 12000);
  EXPECT_EQ(out["service_tier"], "auto");
  EXPECT_FALSE(out.contains("stream"));
}

TEST(Request, AsksForThinkingAndThenForNoTemperature) {
  const Json budget = body(kShort, {{"thinking", 2048}, {"temperature", 1}});
  EXPECT_EQ(budget["thinking"], Json({{"type", "enabled"}, {"budget_tokens", 2048}}));
  EXPECT_EQ(budget["max_tokens"], 6048) << "the answer keeps its full limit";
  EXPECT_FALSE(budget.contains("temperature"));

  const Json adaptive = body(kShort, {{"thinking", "adaptive"}});
  EXPECT_EQ(adaptive["thinking"], Json({{"type", "adaptive"}, {"display", "summarized"}}));
  EXPECT_EQ(adaptive["max_tokens"], 4000);
  EXPECT_FALSE(adaptive.contains("output_config"));

  const Json effort = body(kShort, {{"thinking", "xhigh"}});
  EXPECT_EQ(effort["thinking"]["type"], "adaptive");
  EXPECT_EQ(effort["output_config"], Json({{"effort", "xhigh"}}));

  const Json off = body(kShort, {{"thinking", "off"}, {"temperature", 1}});
  EXPECT_EQ(off["thinking"], Json({{"type", "disabled"}}));
  EXPECT_EQ(off["temperature"], 1);
}

TEST(Request, OptionsNameWhatIsWrong) {
  for (const Json& wrong : {Json(1023), Json("much"), Json(2048.5), Json(true), Json(2'000'000)}) {
    EXPECT_THAT(refused({{"thinking", wrong}}), HasSubstr(R"("field":"/thinking")")) << wrong;
  }
  EXPECT_THAT(refused({{"thinkin", 2048}}), HasSubstr("thinkin is not known"));
  EXPECT_THAT(refused({{"temperature", 9}}), HasSubstr(R"("field":"/temperature")"));
}

TEST(Request, GoesToTheAddressWithVersionAndKey) {
  model_http::Settings settings{.base_url = "https://api.anthropic.com", .secret = "KEY"};
  auto chat = ChatRequest::read(kShort);
  const auto options = Options::read({{"headers", {{"anthropic-beta", "x-2026"}}}});
  const HttpRequest request = request_of(settings, *chat, *options);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(header(request.headers, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(header(request.headers, "content-type"), "application/json");
  EXPECT_EQ(header(request.headers, "anthropic-beta"), "x-2026");
  EXPECT_EQ(request.headers[1].name, "x-api-key");
  EXPECT_EQ(request.headers[1].value, "");
  EXPECT_EQ(request.headers[1].secret, "KEY");
  EXPECT_EQ(Json::parse(request.body), body(kShort));
}

TEST(Request, TakesAddressesWithAndWithoutTheirVersionAndSendsNoKeyThatIsNone) {
  model_http::Settings settings;
  settings.base_url = "http://127.0.0.1:8080/v1";
  EXPECT_EQ(url_of(settings, "messages"), "http://127.0.0.1:8080/v1/messages");
  settings.base_url = "http://127.0.0.1:8080";
  EXPECT_EQ(url_of(settings, "models"), "http://127.0.0.1:8080/v1/models");
  EXPECT_EQ(headers_of(settings).size(), 1u);
}

}  // namespace
}  // namespace quarry::anthropic
