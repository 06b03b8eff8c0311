#include "model-openai/testing/steps.h"

namespace quarry::openai {
namespace {

using testing::Finishes;
using testing::Words;
using Sink = quarry::testing::Sink;

constexpr std::string_view kChat = R"({"base_url":"http://127.0.0.1:1/v1","api":"chat"})";

Sink::Step step_of(std::string_view body, const char* name = "openai") {
  return testing::step_of(name, kChat, body);
}

/// A stream of these chunks and the end.
std::string chunks(std::initializer_list<std::string_view> list) {
  std::string out;
  for (const auto chunk : list) out.append("data: ").append(chunk).append("\n\n");
  return out + "data: [DONE]\n\n";
}

std::string delta(std::string_view delta, std::string_view finish = "null") {
  return R"({"choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" +
         std::string(finish) + "}]}";
}

TEST(ChatStream, OfTextReasoningAndUsageAsOpenAiSendsIt) {
  const auto step = step_of(
      R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763700000,"model":"gpt-5.4","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x"}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Zwölf "},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"🦆\n"},"finish_reason":null}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":1117,"completion_tokens":46,"total_tokens":1163,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":20,"audio_tokens":0}}}

data: [DONE]

)");
  EXPECT_EQ(step.text, "Zwölf 🦆\n");
  EXPECT_EQ(step.input_tokens, 1117);
  EXPECT_EQ(step.output_tokens, 46);
  EXPECT_EQ(step.reasoning_tokens, 20);
  EXPECT_EQ(step.cache_read_tokens, 1024);
  EXPECT_EQ(step.cache_write_tokens, -1);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
  EXPECT_TRUE(step.kept.empty());
}

TEST(ChatStream, OfTextIsReadHoweverItIsWritten) {
  const auto step = step_of(chunks(
      {delta(R"({"content":"a \"b\" \u00e9\ud83e\udd86\n"})"),
       R"( { "choices" : [ { "delta" : { "content" : "c" } , "logprobs":{"x":[1,"}"]} }, { "index":1, "delta":{"content":"of another choice"} } ] } )",
       delta(R"({"role":"assistant","content":null})"), delta(R"({"content":"d"})", R"("")")}));
  EXPECT_EQ(step.text, "a \"b\" \u00e9🦆\ncd");
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
}

TEST(ChatStream, WithTextThatIsNoWholeJsonIsAnError) {
  for (const char* chunk :
       {R"({"choices":[{"delta":{"content":"a"}}])", R"({"choices":[{"delta":{"content":"\x"}}]})",
        R"({"choices":[{"delta":{"content":"a"}}]} x)"}) {
    const auto step = step_of(chunks({chunk}));
    EXPECT_EQ(step.text, "") << chunk;
    EXPECT_EQ(step.errors.size(), 1u) << chunk;
  }
}

TEST(ChatStream, OfCallsThatInterleave) {
  const auto step = step_of(chunks(
      {delta(R"({"role":"assistant","content":null})"),
       delta(
           R"({"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]})"),
       delta(
           R"({"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"list","arguments":""}},{"index":0,"function":{"arguments":"{\"path\":"}}]})"),
       delta(R"({"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]})"),
       delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"\"a.md\"}"}}]})"),
       delta("{}", R"("tool_calls")")}));
  ASSERT_EQ(step.calls.size(), 2u);
  EXPECT_EQ(step.calls.at(0), (Sink::ToolCall{"call_a", "read", R"({"path":"a.md"})"}));
  EXPECT_EQ(step.calls.at(1), (Sink::ToolCall{"call_b", "list", "{}"}));
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});
}

TEST(ChatStream, OfCallsInTheWild) {
  const auto repeated = step_of(chunks(
      {delta(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{"}}]})"),
       delta(
           R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"}"}}]})")}));
  EXPECT_EQ(repeated.calls.size(), 1u);
  EXPECT_EQ(repeated.calls.at(0), (Sink::ToolCall{"c", "read", "{}"}));

  const auto without_index = step_of(
      chunks({delta(R"({"tool_calls":[{"id":"c","function":{"name":"read","arguments":"{"}}]})"),
              delta(R"({"tool_calls":[{"function":{"arguments":"}"}}]})"),
              delta(R"({"tool_calls":[{"id":"d","function":{"name":"list","arguments":null}}]})",
                    R"("stop")")}));
  ASSERT_EQ(without_index.calls.size(), 2u);
  EXPECT_EQ(without_index.calls.at(0), (Sink::ToolCall{"c", "read", "{}"}));
  EXPECT_EQ(without_index.calls.at(1), (Sink::ToolCall{"d", "list", ""}));
  EXPECT_EQ(without_index.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});

  const auto all_first = step_of(chunks(
      {delta(
           R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})"),
       delta(
           R"({"tool_calls":[{"index":0,"id":"d","function":{"name":"list","arguments":{"path":"x"}}}]})")}));
  ASSERT_EQ(all_first.calls.size(), 2u);
  EXPECT_EQ(all_first.calls.at(1), (Sink::ToolCall{"d", "list", R"({"path":"x"})"}));
}

// langchain-ai/langchain#40392, ai-dynamo/dynamo#4723, su-kaka/gcli2api#406: several calls have one
// index, and the pieces of one have several.
TEST(ChatStream, OfCallsWhoseIndicesCollide) {
  using Calls = decltype(Sink::Step::calls);
  const Calls both = {{0, {"x1", "read", R"({"path":"a"})"}},
                      {1, {"x2", "read", R"({"path":"b"})"}}};
  const auto moved = step_of(chunks(
      {delta(R"({"tool_calls":[{"index":0,"id":"x1","function":{"name":"read","arguments":""}}]})"),
       delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":\"a\"}"}}]})"),
       delta(R"({"tool_calls":[{"index":0,"id":"x2","function":{"name":"read","arguments":""}}]})"),
       delta(R"({"tool_calls":[{"index":1,"function":{"arguments":"{\"path\":\"b\"}"}}]})")}));
  EXPECT_EQ(moved.calls, both);
  for (const char* index : {R"("index":0,)", ""}) {
    const auto piece = [&](const char* path) {
      return delta(std::string(R"({"tool_calls":[{)") + index +
                   R"("function":{"name":"read","arguments":"{\"path\":\")" + path + R"(\"}"}}]})");
    };
    const auto nameless = step_of(chunks({piece("a"), piece("b")}));
    ASSERT_EQ(nameless.calls.size(), 2u);
    EXPECT_EQ(nameless.calls.at(0).arguments, R"({"path":"a"})");
    EXPECT_EQ(nameless.calls.at(1).arguments, R"({"path":"b"})");
  }
  // agno-agi/agno#8880: an id, and the name, of their own with each piece of one call
  const auto renamed = step_of(chunks(
      {delta(
           R"({"tool_calls":[{"index":0,"id":"x1","function":{"name":"read","arguments":"{\"path\""}}]})"),
       delta(
           R"({"tool_calls":[{"index":0,"id":"x2","function":{"name":"read","arguments":":\"a\"}"}}]})")}));
  ASSERT_EQ(renamed.calls.size(), 1u);
  EXPECT_EQ(renamed.calls.at(0).arguments, R"({"path":"a"})");
  const auto old = step_of(chunks({delta(R"({"function_call":{"name":"read","arguments":"{"}})"),
                                   delta(R"({"function_call":{"arguments":"}"}})")}));
  ASSERT_EQ(old.calls.size(), 1u);
  EXPECT_EQ(old.calls.at(0).arguments, "{}");
}

// ChatGPTNextWeb/NextChat#1585, braintrustdata/braintrust-proxy#125, decolua/9router#3492: a whole
// completion though a stream was asked, as JSON, as an event, or with the end of a stream after it.
TEST(ChatStream, ThatIsAWholeCompletion) {
  const std::string reply =
      R"({"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"Here.","reasoning_content":"Hm.","tool_calls":[)"
      R"({"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]},)"
      R"("finish_reason":"tool_calls"}],"usage":{"prompt_tokens":7,"completion_tokens":2}})";
  for (const std::string& body : {reply, "data: " + reply + "\n\n", reply + "\n\ndata: [DONE]\n\n",
                                  nlohmann::json::parse(reply).dump(2)}) {
    const auto step = step_of(body);
    EXPECT_EQ(step.text, "Here.");
    EXPECT_EQ(step.reasoning, "Hm.");
    EXPECT_EQ(step.calls.size(), 1u);
    EXPECT_EQ(step.input_tokens, 7);
    EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});
  }
}

TEST(ChatStream, IsOverAfterUsage) {
  const auto step = testing::broken_step(
      "openai", kChat,
      "data: " + delta(R"({"content":"a"})", R"("stop")") +
          "\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n");
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
  EXPECT_TRUE(step.errors.empty());
}

// earendil-works/pi#7441: no reason to end and no mark, but usage after all others
TEST(ChatStream, IsWholeWithUsageInItsLastMessage) {
  const std::string usage =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}\n\n";
  const std::string text = "data: " + delta(R"({"content":"a"})") + "\n\n";
  EXPECT_EQ(step_of(text + usage).finishes, Finishes{QUARRY_FINISH_STOP});
  for (const std::string& cut : {usage + text, text + usage + text, usage}) {
    EXPECT_EQ(step_of(cut).errors, Words{"the response ended before it was complete"}) << cut;
  }
}

TEST(ChatStream, JoinsTheHalvesOfACharacter) {
  const auto step = step_of(
      chunks({R"({"choices":[{"delta":{"content":"Done \ud83d"}}]})",
              R"({"choices":[{"delta":{"content":"\udc4d"}}]})", delta("{}", R"("stop")")}));
  EXPECT_EQ(step.text, "Done 👍");
}

// vellum-ai/vellum-assistant#43134 (OpenRouter), NousResearch/hermes-agent#11171 (Gemini's
// translation), aaif-goose/goose and Groq's tool_use_failed
TEST(ChatStream, WithAMalformedCallSaysSo) {
  for (const char* reason :
       {R"("finish_reason":"stop","native_finish_reason":"MALFORMED_FUNCTION_CALL")",
        R"("finish_reason":"function_call_filter: MALFORMED_FUNCTION_CALL")"}) {
    const auto step =
        step_of(chunks({std::string(R"({"choices":[{"delta":{},)") + reason + "}]}"}));
    ASSERT_EQ(step.errors.size(), 1u) << reason;
    EXPECT_TRUE(step.errors[0].ends_with("MALFORMED_FUNCTION_CALL"));
  }
  const auto groq = step_of(
      "data: {\"error\":{\"message\":\"Failed to call a "
      "function.\",\"code\":\"tool_use_failed\"}}\n\n");
  EXPECT_EQ(groq.errors, Words{"Failed to call a function. (tool_use_failed)"});
}

TEST(ChatStream, OfTooManyCallsIsAnError) {
  std::string body;
  for (int i = 0; i < 200; ++i) {
    body += "data: " +
            delta(R"({"tool_calls":[{"index":)" + std::to_string(i) +
                  R"(,"id":"c","function":{"name":"f","arguments":""}}]})") +
            "\n\n";
  }
  const auto step = testing::broken_step("openai", kChat, body);
  EXPECT_EQ(step.errors, Words{"the model made too many tool calls"});
}

TEST(ChatStream, OfReasoningNamesWhereItMustGoBack) {
  const std::string call =
      R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})";
  const auto step =
      step_of(chunks({delta(R"({"content":null,"reasoning_content":"Let me "})"),
                      delta(R"({"content":"","reasoning_content":"see."})"), delta(call),
                      R"({"choices":[{"index":0,"delta":{"content":"","reasoning_content":null},)"
                      R"("finish_reason":"tool_calls"}],"usage":{"prompt_tokens":30,)"
                      R"("completion_tokens":9,"prompt_cache_hit_tokens":20,)"
                      R"("prompt_cache_miss_tokens":10}})"}),
              "deepseek");
  EXPECT_EQ(step.reasoning, "Let me see.");
  EXPECT_EQ(step.kept, Words{"\"reasoning_content\""});
  EXPECT_EQ(step.input_tokens, 30);
  EXPECT_EQ(step.cache_read_tokens, 20);
  EXPECT_EQ(step.reasoning_tokens, -1);

  EXPECT_EQ(step_of(chunks({delta(R"({"reasoning":"Hm."})"), delta(call)}), "vllm").kept,
            Words{"\"reasoning\""});
  EXPECT_TRUE(step_of(chunks({delta(R"({"reasoning":"Hm."})")}), "vllm").kept.empty());
}

TEST(ChatStream, OfOpenRouterKeepsReasoningDetailsJoined) {
  const auto step = step_of(
      ": OPENROUTER PROCESSING\n\n" +
          chunks(
              {delta(
                   R"({"role":"assistant","content":"","reasoning":"One ","reasoning_details":[{"type":"reasoning.text","text":"One ","format":"anthropic-claude-v1","index":0}]})"),
               delta(
                   R"({"content":"","reasoning":"two.","reasoning_details":[{"type":"reasoning.text","text":"two.","signature":null,"index":0}]})"),
               delta(
                   R"({"content":"","reasoning":null,"reasoning_details":[{"type":"reasoning.text","text":null,"signature":"c2ln","index":0},{"type":"reasoning.encrypted","data":"ZW5j","index":1}]})"),
               delta(
                   R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})",
                   R"("tool_calls")"),
               R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":194,"completion_tokens":12,"cost":0.95,"prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":100},"completion_tokens_details":{"reasoning_tokens":7}}})"}),
      "openrouter");
  EXPECT_EQ(step.reasoning, "One two.");
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(step.kept[0]), nlohmann::json::parse(R"({"reasoning_details":[
      {"type":"reasoning.text","text":"One two.","format":"anthropic-claude-v1","index":0,
       "signature":"c2ln"},
      {"type":"reasoning.encrypted","data":"ZW5j","index":1}]})"));
  EXPECT_EQ(step.cache_read_tokens, 3);
  EXPECT_EQ(step.cache_write_tokens, 100);
  EXPECT_EQ(step.reasoning_tokens, 7);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});
}

// To copy all of the text for each of its pieces would take minutes.
TEST(ChatStream, AddsEachPieceOfReasoningDetailsOnce) {
  constexpr std::size_t kPieces = 30'000;
  const std::string words(100, 'x');
  const std::string thought =
      delta(R"({"reasoning_details":[{"type":"reasoning.text","text":")" + words + R"("}]})");
  std::string body;
  for (std::size_t i = 0; i < kPieces; ++i) body.append("data: ").append(thought).append("\n\n");
  body += chunks({delta(
      R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})")});
  const testing::Component<quarry_model_v1> model(quarry_plugin_entry_v1, QUARRY_MODEL, "openai",
                                                  kChat);
  const auto step = exchange(model, testing::kAsked, {body});
  ASSERT_EQ(step.kept.size(), 1u);
  const auto kept = nlohmann::json::parse(step.kept[0])["reasoning_details"];
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0]["text"].get_ref<const std::string&>().size(), kPieces * words.size());
}

TEST(ChatStream, OfMistralHasPartsAndLinesThatEndWithCrLf) {
  const auto step = step_of(
      "data: {\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,"
      "\"delta\":{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
      "[{\"type\":\"text\",\"text\":\"Hm.\"}]}]},\"finish_reason\":null}]}\r\n\r\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"text\",\"text\":"
      "\"Yes\"}]},\"finish_reason\":null}]}\r\n\r\n"
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\".\"},\"finish_reason\":"
      "\"model_length\"}],\"usage\":{\"prompt_tokens\":13,\"total_tokens\":21,"
      "\"completion_tokens\":8,\"num_cached_tokens\":5}}\r\n\r\n"
      "data: [DONE]\r\n\r\n",
      "mistral");
  EXPECT_EQ(step.reasoning, "Hm.");
  EXPECT_EQ(step.text, "Yes.");
  EXPECT_EQ(step.output_tokens, 8);
  EXPECT_EQ(step.cache_read_tokens, 5);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_LENGTH});
}

TEST(ChatStream, OfGroqHasItsUsageApart) {
  const auto step = step_of(
      chunks({delta(R"({"content":"Yes."})"),
              R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
              R"("x_groq":{"id":"req_1","usage":{"prompt_tokens":4,"completion_tokens":2}}})"}),
      "groq");
  EXPECT_EQ(step.input_tokens, 4);
  EXPECT_EQ(step.output_tokens, 2);
}

TEST(ChatStream, OfARefusalSaysItsWordsAndThatItIsOne) {
  const auto step = step_of(chunks({delta(R"({"refusal":"I cannot "})"),
                                    delta(R"({"refusal":"help."})"), delta("{}", R"("stop")")}));
  EXPECT_EQ(step.text, "I cannot help.");
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_CONTENT_FILTER});
}

TEST(ChatStream, SaysWhyItEnded) {
  const std::pair<const char*, quarry_finish> reasons[] = {
      {R"("stop")", QUARRY_FINISH_STOP},
      {R"("length")", QUARRY_FINISH_LENGTH},
      {R"("content_filter")", QUARRY_FINISH_CONTENT_FILTER},
      {R"("something_new")", QUARRY_FINISH_STOP}};
  for (const auto& [reason, finish] : reasons) {
    EXPECT_EQ(step_of(chunks({delta(R"({"content":"a"})", reason)})).finishes, Finishes{finish})
        << reason;
  }
}

TEST(ChatStream, IsWholeWithAFinishReasonOrDoneAlone) {
  const std::string finished = "data: " + delta(R"({"content":"a"})", R"("stop")") + "\n\n";
  EXPECT_EQ(step_of(finished).finishes, Finishes{QUARRY_FINISH_STOP});
  EXPECT_EQ(step_of("data: " + delta(R"({"content":"a"})", R"("stop")")).text, "a");
  EXPECT_EQ(step_of(chunks({delta(R"({"content":"a"})")})).finishes, Finishes{QUARRY_FINISH_STOP});
}

TEST(ChatStream, ThatEndsWithNeitherIsACut) {
  const std::string half = "data: " + delta(R"({"content":"half"})") + "\n\n";
  const auto step = step_of(half);
  EXPECT_EQ(step.text, "half");
  EXPECT_EQ(step.errors, Words{"the response ended before it was complete"});
  EXPECT_EQ(step.refusals[0].status, QUARRY_UNAVAILABLE);
  EXPECT_EQ(testing::broken_step("openai", kChat, half).errors,
            Words{"the connection broke before the response was complete"});
  EXPECT_EQ(step_of("").errors, Words{"the response ended before it was complete"});
}

struct StreamError {
  const char* data;
  const char* message;
  quarry_status status;
  int http_status;
};

TEST(ChatStream, TellsAnErrorInItWithItsStatus) {
  const StreamError errors[] = {
      {R"({"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}})",
       "Rate limit reached (rate_limit_exceeded)", QUARRY_RESOURCE_EXHAUSTED, 0},
      {R"({"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":null}})",
       "You exceeded your quota", QUARRY_RESOURCE_EXHAUSTED, 0},
      {R"({"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]})",
       "Provider disconnected", QUARRY_UNAVAILABLE, 502},
      {R"({"error":{"message":"Prompt too long","code":"context_length_exceeded"}})",
       "Prompt too long (context_length_exceeded)", QUARRY_INVALID_ARGUMENT, 0},
      {R"({"error":"overloaded"})", "overloaded", QUARRY_UNAVAILABLE, 0},
      {R"({"object":"error","message":"no such model","type":"NotFoundError","code":404})",
       "no such model", QUARRY_NOT_FOUND, 404},
      {R"({"error":{"message":"No key","type":"None","code":"401"}})", "No key",
       QUARRY_UNAUTHENTICATED, 401},
      {R"({"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]})",
       "the provider aborted the response: insufficient_system_resource", QUARRY_UNAVAILABLE, 0},
      {R"({"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"code":429,"message":"no quota"}}]})",
       "no quota", QUARRY_RESOURCE_EXHAUSTED, 429},
      {"no json", "the stream contains a message that is not a JSON object: no json",
       QUARRY_UNAVAILABLE, 0}};
  for (const auto& error : errors) {
    const auto step = step_of(chunks({delta(R"({"content":"half"})"), error.data}));
    EXPECT_EQ(step.text, "half");
    EXPECT_EQ(step.errors, Words{error.message});
    ASSERT_EQ(step.refusals.size(), 1u);
    EXPECT_EQ(step.refusals[0].status, error.status) << error.data;
    EXPECT_EQ(step.refusals[0].http_status, error.http_status) << error.data;
    EXPECT_TRUE(step.finishes.empty());
  }
  const auto counted =
      step_of(chunks({R"({"error":"gone","usage":{"prompt_tokens":4,"completion_tokens":2}})"}));
  EXPECT_EQ(counted.input_tokens, 4) << "a failed step may have costs";
  EXPECT_EQ(step_of("event: error\ndata: {\"message\":\"gone\"}\n\n").errors, Words{"gone"});
}

// Always sent by some servers: an error without anything.
TEST(ChatStream, WithAnErrorThatSaysNothingGoesOn) {
  for (const char* nothing : {"null", "\"\"", "{}", "false"}) {
    const auto step = step_of(chunks(
        {R"({"error":)" + std::string(nothing) + R"(,"choices":[{"delta":{"content":"a"}}]})"}));
    EXPECT_EQ(step.text, "a") << nothing;
    EXPECT_EQ(step.errors, Words{}) << nothing;
  }
}

// continuedev/continue#5849, NousResearch/hermes-agent#8259, vercel/ai#14722: names in pieces, with
// each piece, and after the arguments
TEST(ChatStream, JoinsNamesThatComeInPieces) {
  const auto call = [](std::string_view name, std::string_view arguments) {
    return delta(R"({"tool_calls":[{"index":0,"id":"a","function":{"name":")" + std::string(name) +
                 R"(","arguments":")" + std::string(arguments) + R"("}}]})");
  };
  const auto names = [](const Sink::Step& step) {
    std::string out;
    for (const auto& [index, one] : step.calls) out += one.name;
    return out;
  };
  EXPECT_EQ(names(step_of(chunks({call("read", ""), call("read", "{}")}))), "read");
  EXPECT_EQ(names(step_of(chunks({call("re", ""), call("ad", "{}")}))), "read");
  EXPECT_EQ(names(step_of(chunks({call("", "{"), call("read", "}")}))), "read");
}

// Fields of other servers in the place of "content", "reasoning_content" and "tool_calls".
TEST(ChatStream, IsReadInTheFieldsOfOtherServers) {
  for (const char* said :
       {R"({"content":{"type":"text","text":"a"}})", R"({"content":[{"type":"text","text":"a"}]})",
        R"({"content":[{"type":"text","text":{"value":"a"}}]})", R"({"content":["a"]})"}) {
    EXPECT_EQ(step_of(chunks({delta(said)})).text, "a") << said;
  }
  EXPECT_EQ(step_of(chunks({R"({"choices":[{"index":0,"text":"a"}]})"})).text, "a");
  for (const char* thought :
       {R"({"reasoning_text":"b"})", R"({"thinking":"b"})", R"({"reasoning":{"content":"b"}})",
        R"({"reasoning_content":"","reasoning":"b"})",
        R"({"reasoning_content":"b","reasoning":"b"})",
        R"({"thinking_blocks":[{"type":"thinking","thinking":"b"}]})",
        R"({"reasoning_details":[{"type":"reasoning.text","text":"b"}]})",
        R"({"content":[{"type":"thinking","thinking":"b"}]})",
        R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"b"}]}]})",
        R"({"content":[{"type":"reasoning","text":"b"}]})"}) {
    const auto step = step_of(chunks({delta(thought), delta(R"({"content":"a"})")}));
    EXPECT_EQ(step.reasoning + "|" + step.text, "b|a") << thought;
  }
  for (const char* call :
       {R"({"tool_calls":{"id":"i","function":{"name":"read","arguments":"{\"a\":1}"}}})",
        R"({"tool_calls":[{"id":"i","name":"read","arguments":{"a":1}}]})",
        R"({"tool_calls":[{"id":"i","function":{"name":"read","parameters":{"a":1}}}]})"}) {
    const auto step = step_of(chunks({delta(call)}));
    ASSERT_EQ(step.calls.size(), 1u) << call;
    EXPECT_EQ(step.calls.at(0).name + step.calls.at(0).arguments, R"(read{"a":1})") << call;
  }
}

TEST(ChatStream, OfMessagesInThePlaceOfDeltasIsReadToItsEnd) {
  const auto message = [](std::string_view text, std::string_view finish) {
    return R"({"choices":[{"message":{"role":"assistant","content":")" + std::string(text) +
           R"("},"finish_reason":)" + std::string(finish) + "}]}";
  };
  const auto step =
      step_of(chunks({message("a", "null"), message("b", "null"), message("", "\"length\"")}));
  EXPECT_EQ(step.text, "ab");
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_LENGTH});
}

// vllm-project/vllm-ascend#7220, CherryHQ/cherry-studio#8065: an empty message beside each delta
TEST(ChatStream, OfDeltasBesideEmptyMessagesIsReadByItsDeltas) {
  constexpr std::string_view kMessage =
      R"(,"message":{"role":null,"content":"","tool_calls":null,"reasoning_content":""}}]})";
  const auto chunk = [&](std::string_view delta, std::string_view finish) {
    return R"({"choices":[{"index":0,"delta":)" + std::string(delta) + R"(,"finish_reason":)" +
           std::string(finish) + std::string(kMessage);
  };
  const auto step = step_of(chunks(
      {chunk(R"({"role":"assistant","content":"a"})", "null"), chunk(R"({"content":"b"})", "null"),
       chunk(R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})",
             R"("tool_calls")")}));
  EXPECT_EQ(step.text, "ab");
  EXPECT_EQ(step.calls.size(), 1u);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_TOOL_CALLS});
}

// earendil-works/pi#2017
TEST(ChatStream, CountsTheUsageOfAChoice) {
  const auto step = step_of(chunks(
      {delta(R"({"content":"a"})"),
       R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":1}}]})"}));
  EXPECT_EQ(step.text, "a");
  EXPECT_EQ(step.input_tokens, 3);
}

// mnfst/llm-gateway#2053
TEST(ChatStream, PassesOverACommentThatAGatewayMadeAMessage) {
  const auto step = step_of("data: : OPENROUTER PROCESSING\n\n" +
                            chunks({delta(R"({"content":"a"})", R"("stop")")}));
  EXPECT_EQ(step.text, "a");
  EXPECT_EQ(step.errors, Words{});
}

// maximhq/bifrost#6784: no [DONE], and comments as long as the client waits.
TEST(ChatStream, IsOverWhenNothingFollowsTheReason) {
  const std::string end = "data: " + delta(R"({"content":"a"})", R"("stop")") + "\n\n";
  const std::string later = "data: " + delta(R"({"content":"b"})", R"("stop")") + "\n\n";
  const std::string usage =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n";
  const testing::Component<quarry_model_v1> model(quarry_plugin_entry_v1, QUARRY_MODEL, "openai",
                                                  kChat);
  const auto step = [&](const std::vector<std::string_view>& pieces) {
    return exchange(model, testing::kAsked, pieces);
  };
  EXPECT_EQ(step({end, "", ": ping\n\n", "", later}).text, "a");
  EXPECT_EQ(step({end, "", usage, later}).input_tokens, 4);
  // BerriAI/litellm#31634: the model thinks, though each chunk names a reason.
  const std::string nothing = "data: " + delta("{}", R"("stop")") + "\n\n";
  EXPECT_EQ(step({nothing, "", "", "", end}).text, "a");
  // BerriAI/litellm#376: every chunk names a reason.
  EXPECT_EQ(step({end, later, "", "", later}).text, "abb");
}

TEST(ChatStream, PassesOverWhatItDoesNotKnow) {
  const auto step = step_of(chunks(
      {R"({"choices":null})", R"({"choices":[7]})", R"({"choices":[{"delta":null}]})",
       R"({"choices":[{"delta":{"content":7,"tool_calls":{},"annotations":[]}}],"usage":"none"})",
       delta(R"({"content":"a"})", R"("stop")")}));
  EXPECT_EQ(step.text, "a");
  EXPECT_EQ(step.input_tokens, -1);
  EXPECT_EQ(step.finishes, Finishes{QUARRY_FINISH_STOP});
}

}  // namespace
}  // namespace quarry::openai
