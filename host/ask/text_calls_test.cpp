#include "ask/text_calls.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

const ToolNames& tools() {
  static const ToolNames names(R"([{"name":"read"},{"name":"search"}])");
  return names;
}

/// The calls of a text: "read {…}; search {…}", with its other text after a bar.
std::string calls_of(std::string_view text) {
  const TextCalls found = read_text_calls(text, tools());
  std::string out;
  for (const auto& [name, arguments] : found.calls) {
    out.append(out.empty() ? "" : "; ").append(name).append(" ").append(arguments);
  }
  if (!found.text.empty()) out.append("|").append(found.text);
  return found.malformed ? out + "!" : out;
}

struct Form {
  const char* reference;
  const char* text;
};

TEST(TextCalls, AreReadInTheFormOfEveryModel) {
  const Form forms[] = {
      {"NousResearch/hermes-agent#742: Hermes, Qwen",
       "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}\n</tool_call>"},
      {"NousResearch/hermes-agent#3518: without the end",
       "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}"},
      {"QwenLM/qwen-code#10692: Qwen Coder",
       "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</"
       "tool_call>"},
      {"ollama/ollama#17742: Qwen Coder without the beginning",
       "<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>"},
      {"meta-llama/llama-models: Llama 3.1", "<function=read>{\"path\":\"a\"}</function>"},
      {"vllm-project/vllm: Llama 3 JSON",
       "<|python_tag|>{\"name\":\"read\",\"parameters\":{\"path\":\"a\"}}<|eom_id|>"},
      {"vllm-project/vllm#19425: Mistral",
       "[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]"},
      {"raullenchai/Rapid-MLX#579: Devstral", "[TOOL_CALLS]read[ARGS]{\"path\":\"a\"}"},
      {"mistralai/mistral-common: v11", "[TOOL_CALLS]read[CALL_ID]abcdefghi[ARGS]{\"path\":\"a\"}"},
      {"kekzl/imp#1719: gpt-oss",
       "<|channel|>analysis<|message|>Read it.<|end|><|start|>assistant<|channel|>commentary "
       "to=functions.read <|constrain|>json<|message|>{\"path\":\"a\"}<|call|>"},
      {"ggml-org/llama.cpp#15181: gpt-oss, the recipient in the role",
       "<|start|>assistant to=functions.read<|channel|>commentary <|constrain|>json<|message|>"
       "{\"path\":\"a\"}"},
      {"raullenchai/Rapid-MLX#480: gpt-oss without marks",
       "commentary to=functions.read json{\"path\":\"a\"}"},
      {"ggml-org/llama.cpp#16932: Kimi",
       "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0"
       "<|tool_call_argument_begin|>{\"path\":\"a\"}<|tool_call_end|><|tool_calls_section_end|>"},
      {"vllm-project/vllm#13125: DeepSeek",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n"
       "{\"path\":\"a\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
      {"QwenLM/qwen-code#8003: invoke",
       "<function_calls>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n"
       "</invoke>\n</function_calls>"},
      {"openclaw/openclaw#116736: an object alone",
       "{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}"},
      {"pyrate-llama/hermes-ui#6: an object in a block of code",
       "```json\n{\"name\": \"read\", \"parameters\": {\"path\":\"a\"}}\n```"},
      {"OpenAI's own form as text",
       "{\"tool_calls\":[{\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"path\\\":\\\"a\\\"}"
       "\"}}]}"}};
  for (const auto& [reference, text] : forms) {
    const TextCalls found = read_text_calls(text, tools());
    ASSERT_EQ(found.calls.size(), 1u) << reference;
    EXPECT_EQ(found.calls[0].name, "read") << reference;
    EXPECT_EQ(found.calls[0].arguments, R"({"path":"a"})") << reference;
    EXPECT_EQ(found.text, "") << reference;
    EXPECT_FALSE(found.malformed) << reference;
  }
}

TEST(TextCalls, MayBeSeveral) {
  const std::string both = R"(read {"path":"a"}; search {"query":"b"})";
  EXPECT_EQ(calls_of(R"(<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>)"
                     "\n"
                     R"(<tool_call>{"name":"search","arguments":{"query":"b"}}</tool_call>)"),
            both);
  EXPECT_EQ(calls_of(R"([TOOL_CALLS]read[ARGS]{"path":"a"}[TOOL_CALLS]search[ARGS]{"query":"b"})"),
            both);
  EXPECT_EQ(calls_of(R"([{"name":"read","arguments":{"path":"a"}},)"
                     R"({"name":"search","arguments":{"query":"b"}}])"),
            both);
}

TEST(TextCalls, HaveTextAndReasoningBesideThem) {
  const TextCalls channels = read_text_calls(
      "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Here.",
      tools());
  EXPECT_EQ(channels.reasoning, "Hm.");
  EXPECT_EQ(channels.text, "Here.");
  // Augustas11/macprovider#743
  const TextCalls stripped = read_text_calls("analysisWe add.assistantfinalFour.", tools());
  EXPECT_EQ(stripped.reasoning, "We add.");
  EXPECT_EQ(stripped.text, "Four.");
  EXPECT_EQ(calls_of("<tool_call>{\"name\":\"read\"}</tool_call>\nDone."), "read {}|Done.");
}

TEST(TextCalls, ThatCannotBeReadAreMalformed) {
  EXPECT_EQ(calls_of("<tool_call>{\"name\": \"read\", \"arg"), "!");
  EXPECT_EQ(calls_of("[TOOL_CALLS][{\"name\": read}]"), "!");
  EXPECT_EQ(calls_of("<|start|>assistant to=functions.read<|message|>{\"pa"), "!");
}

TEST(TextCalls, AreNotInTextThatOnlyLooksLikeThem) {
  const char* object = R"({"name": "app", "arguments": {"port": 1}})";
  EXPECT_EQ(calls_of(object), std::string("|") + object) << "no tool of this name";
  EXPECT_EQ(begins_as_call(R"({"port": 1)"), Beginning::kNo);
  EXPECT_EQ(begins_as_call("```sh\nls"), Beginning::kNo);
  EXPECT_EQ(begins_as_call("The port"), Beginning::kNo);
  EXPECT_EQ(begins_as_call("{"), Beginning::kPerhaps);
}

// tontinton/maki#505, movieclaw/movieclaw#224, simonw/llm#1105: names have prefixes and marks.
TEST(ToolNames, AreFoundAsModelsWriteThem) {
  for (const char* written : {"read", "functions.read", "read<|channel|>commentary", "Read",
                              "default_api.read", "functions.read:0", "tools/read", " read\n"}) {
    EXPECT_EQ(tools().find(written), "read") << written;
  }
  EXPECT_EQ(tools().find("write"), "");
  EXPECT_EQ(tools().find(""), "");
}

}  // namespace
}  // namespace quarry::ask
