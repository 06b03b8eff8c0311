#include "ask/text_calls.h"

#include "ask/call_beginning.h"

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
      {"raullenchai/Rapid-MLX#703: Llama 3.1", "<function=read>{\"path\":\"a\"}</function>"},
      {"raullenchai/Rapid-MLX#703: Llama 3 JSON",
       "<|python_tag|>{\"name\":\"read\",\"parameters\":{\"path\":\"a\"}}<|eom_id|>"},
      {"vllm-project/vllm#19425: Mistral",
       "[TOOL_CALLS][{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]"},
      {"raullenchai/Rapid-MLX#579: Devstral", "[TOOL_CALLS]read[ARGS]{\"path\":\"a\"}"},
      {"vllm-project/vllm#19425: Mistral, with an id",
       "[TOOL_CALLS]read[CALL_ID]abcdefghi[ARGS]{\"path\":\"a\"}"},
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
      {"lablup/mlxcel#765: GLM",
       "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>"},
      {"lablup/mlxcel#765: LongCat",
       "<longcat_tool_call>read\n<longcat_arg_key>path</longcat_arg_key>\n"
       "<longcat_arg_value>a</longcat_arg_value>\n</longcat_tool_call>"},
      {"exo-explore/exo#2187: GLM without ends",
       "<tool_call>read<arg_key>path</arg_key><arg_value>a</arg_value>"},
      {"vllm-project/vllm#23454: DeepSeek 3.1, without the block of code",
       "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{\"path\":\"a\"}"
       "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
      {"sgl-project/sglang#40236: DeepSeek 3.2",
       "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read\">\n<｜DSML｜parameter name=\"path\" "
       "string=\"true\">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"},
      {"sgl-project/sglang#40236: DeepSeek 4, without the wrapper",
       "<｜DSML｜invoke name=\"read\"><｜DSML｜parameter name=\"path\" string=\"true\">a"
       "</｜DSML｜parameter></｜DSML｜invoke>"},
      {"lsdefine/GenericAgent#804: DeepSeek with marks twice",
       "<｜｜DSML｜｜tool_calls><｜｜DSML｜｜invoke name=\"read\"><｜｜DSML｜｜parameter "
       "name=\"path\">a"
       "</｜｜DSML｜｜parameter></｜｜DSML｜｜invoke></｜｜DSML｜｜tool_calls>"},
      {"CommandCodeAI/command-code#909: DeepSeek with another wrapper",
       "<｜｜DSML｜｜ calls>\n<｜｜DSML｜｜ invoke name=\"read\">\n<｜｜DSML｜｜ parameter "
       "name=\"path\" "
       "string=\"true\">a</｜｜DSML｜｜ parameter>\n</｜｜DSML｜｜ invoke>\n</｜｜DSML｜｜ calls>"},
      {"use-agent-os/agent-os#1581: DeepSeek with plain marks",
       "<|DSML|tool_calls><|DSML|invoke name=\"read\"><|DSML|parameter name=\"path\">a"
       "</|DSML|parameter></|DSML|invoke></|DSML|tool_calls>"},
      {"waybarrios/vllm-mlx#622: Gemma 4 in parentheses", "<|tool_call>call:read(path=\"a\")"},
      {"MiniMax-AI/MiniMax-M2.5#10",
       "<minimax:tool_call>\n<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>\n"
       "</invoke>\n</minimax:tool_call>"},
      {"ByteDance-Seed/seed-oss",
       "<seed:tool_call>\n<function=read>\n<parameter=path>a</parameter>\n</function>\n"
       "</seed:tool_call>"},
      {"smg-project/smg#305: Command",
       "<|START_ACTION|>[{\"tool_call_id\":\"0\",\"tool_name\":\"read\",\"parameters\":"
       "{\"path\":\"a\"}}]<|END_ACTION|>"},
      {"vllm-project/vllm#22917: Llama 4", "[read(path=\"a\")]"},
      {"vllm-project/vllm#16214: Llama 4", "<|python_start|>[read(path='a')]<|python_end|>"},
      {"meta-llama/llama-models: Llama 3.1, tools that it knows",
       "<|python_tag|>read.call(path=\"a\")<|eom_id|>"},
      {"vllm-project/vllm#39243: LFM", "<|tool_call_start|>[read(path=\"a\")]<|tool_call_end|>"},
      {"ml-explore/mlx-lm#1105: Gemma 4", "<|tool_call>call:read{path:<|\"|>a<|\"|>}<tool_call|>"},
      {"ml-explore/mlx-lm#1628: FunctionGemma",
       "<start_function_call>call:read{path:<escape>a<escape>}<end_function_call>"},
      {"waybarrios/vllm-mlx#622: Gemma, a block of code",
       "```tool_code\nprint(default_api.read(path='a'))\n```"},
      {"ollama/ollama#8287: Nemotron",
       "<TOOLCALL>[{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]</TOOLCALL>"},
      {"sgl-project/sglang#17132: Phi",
       "functools[{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]"},
      {"vllm-project/vllm#17148: xLAM", "[{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]"},
      {"ibm-granite/granite-3.1",
       "<|tool_call|>[{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}]"},
      {"lmstudio.ai/docs: LM Studio, for models without a form of their own",
       "[TOOL_REQUEST]{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}[END_TOOL_REQUEST]"},
      {"ml-explore/mlx-lm#1663: Apertus",
       "<|tools_prefix|>[{\"read\": {\"path\":\"a\"}}]<|tools_suffix|>"},
      {"vllm-project/vllm#29652: Step",
       "<steptml:toolcall>\n<steptml:invoke name=\"read\">\n<steptml:parameter name=\"path\">a"
       "</steptml:parameter>\n</steptml:invoke>\n</steptml:toolcall>"},
      {"InternLM/lmdeploy: InternLM",
       "<|action_start|><|plugin|>\n{\"name\": \"read\", \"parameters\": {\"path\":\"a\"}}"
       "<|action_end|>"},
      {"Solar",
       "<|tool_calls|><|tool_call:begin|>x1<|tool_call:name|>read<|tool_call:args|>{\"path\":\"a\"}"
       "<|tool_call:end|><|calls|>"},
      {"cline/cline: Cline's own form",
       "<use_mcp_tool>\n<server_name>q</server_name>\n<tool_name>read</tool_name>\n<arguments>\n"
       "{\"path\":\"a\"}\n</arguments>\n</use_mcp_tool>"},
      {"QwenLM/Qwen3-Coder: Qwen 2.5 Coder",
       "<tools>\n{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}\n</tools>"},
      {"Claude 2",
       "<function_calls>\n<invoke>\n<tool_name>read</tool_name>\n<parameters>\n<path>a</path>\n"
       "</parameters>\n</invoke>\n</function_calls>"},
      {"a name as an attribute",
       "<function name=\"read\">\n<parameter name=\"path\">a</parameter>\n</function>"},
      {"a name as an attribute, an object",
       "<tool_call name=\"read\">{\"path\":\"a\"}</tool_call>"},
      {"Functionary", ">>>read\n{\"path\":\"a\"}"},
      {"GigaChat",
       "function call<|role_sep|>\n{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}"},
      {"Command R",
       "Action:```json\n[\n {\n  \"tool_name\": \"read\",\n  \"parameters\": {\"path\":\"a\"}\n "
       "}\n]```"},
      {"QwenLM/Qwen3#197: an action with its input",
       "Action: read\nAction Input: {\"path\":\"a\"}\nObservation: It says"},
      {"a block of code with markup",
       "```xml\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}\n</tool_call>\n"
       "```"},
      {"NousResearch/atropos#478: literals of Python",
       "<tool_call>{'name': 'read', 'arguments': {'path': 'a',}}</tool_call>"},
      {"literals of Python, alone", "{'name': 'read', 'arguments': {'path': 'a'}}"},
      {"LangChain's form",
       "```json\n{\"action\": \"read\", \"action_input\": {\"path\":\"a\"}}\n```"},
      {"cline/cline: the tool is the element", "<read>\n<path>a</path>\n</read>"},
      {"the arguments are attributes", "<read path=\"a\"/>"},
      {"anthropics/claude-code: with a namespace",
       "<antml:function_calls>\n<antml:invoke name=\"read\">\n<antml:parameter name=\"path\">a"
       "</antml:parameter>\n</antml:invoke>\n</antml:function_calls>"},
      {"in upper case",
       "<TOOL_CALL>{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}</TOOL_CALL>"},
      {"glaiveai: functioncall",
       "<functioncall> {\"name\": \"read\", \"arguments\": '{\"path\":\"a\"}'} "},
      {"zai-org/GLM-4#698: a name before its arguments", "read\n{\"path\":\"a\"}"},
      {"Mistral, without its first mark", "read[ARGS]{\"path\":\"a\"}"},
      {"gpt-oss without marks, the recipient first",
       "assistant to=functions.read json{\"path\":\"a\"}"},
      {"MiniCPM: a block of code in markup",
       "<|tool_call_start|>\n```python\nread(path=\"a\")\n```\n<|tool_call_end|>"},
      {"ibm-granite: a mark behind the call",
       "<tool_call>\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n</tool_call>"
       "<|end_of_text|>"},
      {"a mark behind a list of calls", "[read(path=\"a\")]<|eot_id|>"},
      {"a mark around an object",
       "{\"name\": \"read\", \"arguments\": {\"path\":\"a\"}}<|/action|>"},
      {"a result that the model invented",
       "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}</tool_call>\n"
       "<tool_response>\n{\"text\": \"b\"}\n</tool_response>\nIt is b."},
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
  // meta-llama: objects one after another; vllm-project/vllm#19024: text behind an object
  const std::string two = R"({"name":"read","parameters":{"path":"a"}}; )"
                          R"({"name":"search","parameters":{"query":"b"}})";
  EXPECT_EQ(calls_of(two), both);
  EXPECT_EQ(calls_of(two + "\n\nWhat else?"), both + "|What else?");
  EXPECT_EQ(calls_of("<read><path>a</path></read>\n<search query=\"b\"></search>"), both);
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

// osaurus-ai/vmlx-swift#228
TEST(TextCalls, MayHaveNoArguments) {
  EXPECT_EQ(calls_of("<tool_call>read</tool_call>"), "read {}");
  EXPECT_EQ(calls_of("[read()]"), "read {}");
}

TEST(TextCalls, MayFollowProse) {
  EXPECT_EQ(calls_of("<tool_call>read<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>\n"
                     "<tool_call>search<arg_key>query</arg_key><arg_value>b</arg_value>"),
            R"(read {"path":"a"}; search {"query":"b"})");
  EXPECT_EQ(calls_of("```tool_code\nread(path='a')\nsearch(query='b')\n```\nDone."),
            R"(read {"path":"a"}; search {"query":"b"}|Done.)");
}

// ggml-org/llama.cpp#23678, open-webui/open-webui#21050, waybarrios/vllm-mlx#98: calls within
// <think>. lmstudio-ai/lmstudio-bug-tracker#1592: a thought about markup has none.
TEST(TextCalls, InAThoughtAreThoseThatAreCertain) {
  const auto thought = [](std::string_view text) {
    const TextCalls found = read_thought_calls(text, tools());
    std::string out(found.text);
    for (const auto& call : found.calls) out += "; " + call.name + " " + call.arguments;
    return out;
  };
  EXPECT_EQ(thought("I look.\n<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}"
                    "</tool_call>"),
            R"(I look.; read {"path":"a"})");
  EXPECT_EQ(thought("Hm.<minimax:tool_call><invoke name=\"read\"><parameter name=\"path\">a"
                    "</parameter></invoke></minimax:tool_call>"),
            R"(Hm.; read {"path":"a"})");
  for (const char* none : {"Some models write <tool_call> and others <function=name>.",
                           "Like `<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>`.",
                           "<tool_call>{\"name\":\"write\",\"arguments\":{}}</tool_call>",
                           "<tool_call>{\"name\":\"read\",\"argum",
                           "{\"name\":\"read\",\"arguments\":{}}", "[read(path=\"a\")]"}) {
    EXPECT_TRUE(read_thought_calls(none, tools()).calls.empty()) << none;
  }
}

TEST(TextCalls, OfALineAreNotThoseOfProse) {
  EXPECT_EQ(begins_as_call("{\"name\": \"re", false), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("{\"name\": \"read\", \"arguments\"", false), Beginning::kYes);
  EXPECT_EQ(begins_as_call("```json\n{'name': 'read',\n 'par", false), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("```json\n{'name': 'read',\n 'parameters'", false), Beginning::kYes);
  EXPECT_EQ(begins_as_call("```json\n{\n  \"name\": \"app\",\n  \"version\"", false),
            Beginning::kNo);
  EXPECT_EQ(begins_as_call("{\"parameters\": {", false), Beginning::kNo);
  EXPECT_EQ(begins_as_call("```", false), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("```py\n", false), Beginning::kNo);
  EXPECT_EQ(begins_as_call("analysisW", false), Beginning::kNo);
  EXPECT_EQ(begins_as_call(">>> open()", false), Beginning::kNo) << "of a console";
  for (const char* text : {"Action: open the file.", ">>>open\n{}",
                           "Action: open\nAction Input: {}", "```xml\n<tool_call>\n```\nEnd.",
                           "```xml\n<tool_call>{\"name\":\"open\"}</tool_call>\n```"}) {
    EXPECT_EQ(calls_of(text), std::string("|") + text);
  }
}

TEST(TextCalls, ThatCannotBeReadAreMalformed) {
  EXPECT_EQ(calls_of("<tool_call>{\"name\": \"read\", \"arg"), "!");
  EXPECT_EQ(calls_of("[TOOL_CALLS][{\"name\": read}]"), "!");
  EXPECT_EQ(calls_of("<|start|>assistant to=functions.read<|message|>{\"pa"), "!");
  EXPECT_EQ(calls_of("<tool_call>\nname: read\narguments:\n  path: a\n</tool_call>"), "!");
}

TEST(TextCalls, AreNotInTextThatOnlyLooksLikeThem) {
  const char* object = R"({"name": "app", "arguments": {"port": 1}})";
  EXPECT_EQ(calls_of(object), std::string("|") + object) << "no tool of this name";
  EXPECT_EQ(begins_as_call(R"({"port": 1)", true), Beginning::kNo);
  EXPECT_EQ(begins_as_call("```sh\nls", true), Beginning::kNo);
  EXPECT_EQ(begins_as_call("The port", true), Beginning::kNo);
  EXPECT_EQ(begins_as_call("{", true), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("[read(path", true), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("[The port](a.md)", true), Beginning::kNo);
  EXPECT_EQ(begins_as_call("read the file {", true, &tools()), Beginning::kNo);
  EXPECT_EQ(begins_as_call("re", true, &tools()), Beginning::kPerhaps);
  EXPECT_EQ(begins_as_call("read {", false, &tools()), Beginning::kNo);
  EXPECT_EQ(begins_as_call("<read> the file", false, &tools()), Beginning::kNo);
  EXPECT_EQ(begins_as_call("<details><summary>", false, &tools()), Beginning::kNo);
  for (const char* text : {"[open(path=\"a\")]", "[read(\"a\")]", "[read()](a.md) reads it.",
                           "```tool_code\nopen(path='a')\n```"}) {
    EXPECT_EQ(calls_of(text), std::string("|") + text);
  }
}

// tontinton/maki#505, movieclaw/movieclaw#224, simonw/llm#1105: names have prefixes and marks.
TEST(ToolNames, AreFoundAsModelsWriteThem) {
  for (const char* written :
       {"read", "functions.read", "read<|channel|>commentary", "Read", "default_api.read",
        "functions.read:0", "tools/read", " read\n", "mcp__quarry__read", "read()", "`read`",
        "read code", "mcp_quarry_read", "assistant<|channel|>commentary to=functions.read"}) {
    EXPECT_EQ(tools().find(written), "read") << written;
  }
  EXPECT_EQ(tools().find("write"), "");
  EXPECT_EQ(tools().find("web_search"), "") << "is another tool";
  EXPECT_EQ(tools().find(""), "");
}

/// As many repetitions as make a mebibyte.
std::string repeated(std::string_view text) {
  std::string out;
  while (out.size() < (1u << 20)) out += text;
  return out;
}

// Each looked for marks that are not there through all of the text behind it.
TEST(TextCalls, OfAMebibyteAreReadInTheTimeOfOnePass) {
  EXPECT_GT(read_text_calls(repeated("<function=read></function>"), tools()).calls.size(), 40'000u);
  const TextCalls messages =
      read_text_calls(repeated("<|channel|>final<|message|>a<|end|>"), tools());
  EXPECT_TRUE(messages.calls.empty());
  EXPECT_TRUE(messages.text.starts_with("a\n\na\n\na"));
  for (const std::string& text : {"<tool_call>read" + repeated("<arg_key>a<arg_value>b"),
                                  "<function=read>" + repeated("<parameter=a>b")}) {
    EXPECT_EQ(calls_of(text), R"(read {"a":"b"})");
  }
  EXPECT_EQ(calls_of("<read>" + repeated("<aaaaaaaa ")), "read {}");
  EXPECT_EQ(calls_of("<tool_call>" + repeated("[ARGS]")), "!");
  EXPECT_EQ(calls_of("<tool_call>read" + repeated("<|a|>") + "{}"), "read {}");
}

}  // namespace
}  // namespace quarry::ask
