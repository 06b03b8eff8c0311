#include "ask/step_text.h"

#include <gtest/gtest.h>

namespace quarry::ask {
namespace {

struct Divided {
  std::string text;
  std::string reasoning;
  std::string calls;
  bool operator==(const Divided&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Divided& divided) {
  return out << divided.text << " | " << divided.reasoning << " | " << divided.calls;
}

Divided divided_in(std::string_view text, std::size_t piece) {
  Divided out;
  StepText parts;
  const auto give = [&](bool is_reasoning, std::string_view part) {
    (is_reasoning ? out.reasoning : out.text) += part;
  };
  for (std::size_t at = 0; at < text.size(); at += piece) parts.add(text.substr(at, piece), give);
  parts.finish(give);
  out.calls = parts.calls();
  return out;
}

/// The parts of `text`, which do not depend on how it is cut.
Divided divided(std::string_view text) {
  const Divided whole = divided_in(text, text.size());
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    EXPECT_EQ(divided_in(text, piece), whole) << "in pieces of " << piece;
  }
  return whole;
}

// anomalyco/opencode#43770, RooCodeInc/Roo-Code#1087, ikawrakow/ik_llama.cpp#690
TEST(StepText, BetweenTagsIsReasoning) {
  EXPECT_EQ(divided("<think>\nHm.\n</think>\n\nHere."), (Divided{"Here.", "\nHm.\n", ""}));
  EXPECT_EQ(divided("\n<thinking>Hm.</thinking>Here."), (Divided{"Here.", "Hm.", ""}));
  EXPECT_EQ(divided("[THINK]Hm.[/THINK]Here."), (Divided{"Here.", "Hm.", ""}));
  EXPECT_EQ(divided("<think></think>\n\nHere."), (Divided{"Here.", "", ""}));
  EXPECT_EQ(divided("<think>a</think><think>b</think>c"), (Divided{"c", "ab", ""}));
  for (const char* text :
       {"<Think>Hm.</THINK>Here.", "<think duration=\"3\">Hm.</think>Here.",
        "<scratchpad>Hm.</scratchpad>Here.", "[REASONING]Hm.[/REASONING]Here.",
        "<antml:thinking>Hm.</antml:thinking>Here.", "<inner_monologue>Hm.</inner_monologue>Here.",
        "<|thought_start|>Hm.<|thought_end|>Here.", "<think>Hm.</thinking>Here.",
        "<think>Hm.</think>\n</think>\n\nHere.", "<|START_THINKING|>Hm.<|END_THINKING|>Here.",
        "<|begin_of_thought|>Hm.<|end_of_thought|>Here.",
        "<|inner_prefix|>Hm.<|inner_suffix|>Here.", "<|channel>thoughtHm.<channel|>Here.",
        "<unused94>thoughtHm.<unused95>Here.",
        "Here is my thought process:Hm.Here is my response:Here.",
        "<details type=\"reasoning\" done=\"true\">Hm.</details>Here."}) {
    EXPECT_EQ(divided(text), (Divided{"Here.", "Hm.", ""})) << text;
  }
}

// Tags within tags, of which not each is closed
TEST(StepText, BetweenNestedTagsIsReasoning) {
  EXPECT_EQ(divided("<think>a <think>b</think> c</think>Here."),
            (Divided{"Here.", "a <think>b c", ""}));
  EXPECT_EQ(divided("<think>\n<think>b</think>\n\nHere."), (Divided{"Here.", "\n<think>b", ""}));
  const std::string link = "[Thinking](a.md) is about it.";
  EXPECT_EQ(divided(link), (Divided{link, "", ""}));
  EXPECT_EQ(divided("<thing>a</thing>"), (Divided{"<thing>a</thing>", "", ""}));
}

TEST(StepText, BetweenTagsWithinAnAnswerIsReasoningOnceTheyAreClosed) {
  EXPECT_EQ(divided("One.\n<think>Hm.</think>\nTwo."), (Divided{"One.\nTwo.", "Hm.", ""}));
  EXPECT_EQ(divided("One.\n<think>Hm."), (Divided{"One.\n<think>Hm.", "", ""}));
  EXPECT_EQ(divided("Use <think> and </think>."), (Divided{"Use <think> and </think>.", "", ""}));
}

// ggml-org/llama.cpp#4490, ollama/ollama#1977, abetlen/llama-cpp-python#1182: marks of the model's
// template that its server leaves in the text
TEST(StepText, HasNoMarksAroundTheAnswer) {
  for (const char* text :
       {"Here.<|im_end|>", "Here.<|eot_id|>", "Here.</s>", "Here.<end_of_turn>\n",
        "Here.<｜end▁of▁sentence｜>", "Here.[/INST]", "<answer>Here.</answer>",
        "<response>\nHere.</response>\n", "<|START_RESPONSE|>Here.<|END_RESPONSE|>",
        "<|begin_of_box|>Here.<|end_of_box|><|im_end|>", "Here.<|anything|>\n<pad><pad>",
        "Here.<|im_end|>\n<|im_start|>user\nAnd there?", "<s>Here.</s>", "</think>\nHere.",
        "<|start_header_id|>assistant<|end_header_id|>\n\nHere.", "Here.[EOS]"}) {
    EXPECT_EQ(divided(text), (Divided{"Here.", "", ""})) << text;
  }
  EXPECT_EQ(divided("<think>Hm.</think><answer>Here.</answer>"), (Divided{"Here.", "Hm.", ""}));
  for (const char* text : {"The token <|im_end|> ends it.", "`</s>`", "It ends with `<|im_end|>`",
                           "<answer", "a <im"}) {
    EXPECT_EQ(divided(text), (Divided{text, "", ""})) << text;
  }
}

// huggingface/chat-ui#2383, kekzl/imp#509: the limit of length was reached while it reasoned.
TEST(StepText, AfterATagThatIsNotClosedIsReasoning) {
  EXPECT_EQ(divided("<think>It is 9999 </thi"), (Divided{"", "It is 9999 </thi", ""}));
}

// vllm-project/vllm#13125, open-webui/open-webui#9808, InternLM/lmdeploy#3303: the prompt has the
// first tag.
TEST(StepText, BeforeTheEndOfReasoningIsReasoning) {
  EXPECT_EQ(divided("Maybe it is 9999.\n</think>\n\nIt is 1."),
            (Divided{"It is 1.", "Maybe it is 9999.\n", ""}));
  EXPECT_EQ(divided("Okay, I read it.\n</think>\n<tool_call>{}"),
            (Divided{"", "Okay, I read it.\n", "<tool_call>{}"}));
}

TEST(StepText, ThatOnlyBeginsLikeReasoningIsTheAnswer) {
  const std::string cited = "First, see [docs:a.md#L3]. Then `b`.";
  EXPECT_EQ(divided(cited), (Divided{cited, "", ""}));
  EXPECT_EQ(divided("I found nothing."), (Divided{"I found nothing.", "", ""}));
}

// Each bracket was searched for its beginning through all of the text before it.
TEST(StepText, LooksForACitationInWhatOneCanTake) {
  const std::string brackets = "Okay, " + std::string(5'000, ']');
  EXPECT_EQ(divided_in(brackets + "</think>Here.", 7), (Divided{"Here.", brackets, ""}));
  const std::string cited = brackets + " [docs:a.md#L3] </think>.";
  EXPECT_EQ(divided_in(cited, 7), (Divided{cited, "", ""}));
  const std::string far = "Okay, [docs:" + std::string(600, 'a') + "#L3] ";
  EXPECT_EQ(divided_in(far + "</think>Here.", 7), (Divided{"Here.", far, ""}));
}

TEST(StepText, OfAnAnswerArrivesAtOnce) {
  std::string given;
  StepText parts;
  const auto give = [&](bool, std::string_view part) { given += part; };
  parts.add("Because ", give);
  EXPECT_EQ(given, "Because ");
  parts.add("it [is", give);
  EXPECT_EQ(given, "Because it [is");
  StepText separate;
  separate.has_separate_reasoning();
  separate.add("Maybe it is.", give);
  EXPECT_TRUE(given.ends_with("Maybe it is."));
}

/// What is given before the end.
std::string given_early(const std::string& text, std::size_t piece) {
  std::string out;
  StepText parts;
  const auto give = [&](bool, std::string_view part) { out += part; };
  for (std::size_t at = 0; at < text.size(); at += piece) parts.add(text.substr(at, piece), give);
  return out;
}

// Such texts were held to their end, and looked through again with each delta.
TEST(StepText, ThatDoesNotGoOnAsItMayIsTheAnswer) {
  const std::string much(3'000, 'a');
  for (const std::string& text : {"[" + much, "It is:\n[" + much, "It is:\n{\"name\": \"" + much,
                                  "{" + std::string(3'000, ' '), std::string(3'000, ' '),
                                  std::string(3'000, '\t'), std::string(3'000, '\n') + "End."}) {
    EXPECT_EQ(given_early(text, text.size()), text);
    EXPECT_EQ(given_early(text, 7), text);
  }
  std::string marks = "It is.";
  for (int i = 0; i < 100; ++i) marks += "</s>";
  EXPECT_EQ(divided_in(marks, 7), (Divided{"It is.", "", ""}));
  marks.append(40'000, 'a');
  EXPECT_EQ(given_early(marks, marks.size()), marks);
  EXPECT_EQ(given_early(marks, 100), marks);
}

TEST(StepText, InCodeIsTheAnswer) {
  for (const char* text :
       {"Tags are `<think>` and `<tool_call>`.", "So:\n```xml\n<tool_call>\n```\nEnd.",
        "The text:\n\n```\n<function=read>\n```", "List<String> and a[0] <b>", "`[TOOL_CALLS]`"}) {
    EXPECT_EQ(divided(text), (Divided{text, "", ""}));
  }
}

// Of some of the pieces the first ends with the first line of the block.
TEST(StepText, InABlockMayArriveAfterItsFirstLine) {
  EXPECT_EQ(divided("```tool\n\x01 is no call"), (Divided{"```tool\n\x01 is no call", "", ""}));
  EXPECT_EQ(divided("```json\n[1]\n```"), (Divided{"```json\n[1]\n```", "", ""}));
  EXPECT_EQ(divided("```json\n \n"), (Divided{"```json\n \n", "", ""}));
}

TEST(StepText, FromTheMarkupOfACallIsHeld) {
  EXPECT_EQ(divided("I look.<tool_call>{\"a\":1}</tool_call>"),
            (Divided{"I look.", "", "<tool_call>{\"a\":1}</tool_call>"}));
  EXPECT_EQ(divided("I look.\n```tool_code\nread()\n```"),
            (Divided{"I look.\n", "", "```tool_code\nread()\n```"}));
  EXPECT_EQ(divided("[read(path=\"a\")]"), (Divided{"", "", "[read(path=\"a\")]"}));
  EXPECT_EQ(divided("Hm.<｜DSML｜invoke>"), (Divided{"Hm.", "", "<｜DSML｜invoke>"}));
  EXPECT_EQ(divided("See:\n[TOOL_CALLS]read"), (Divided{"See:\n", "", "[TOOL_CALLS]read"}));
  EXPECT_EQ(divided(R"({"name": "read"})"), (Divided{"", "", R"({"name": "read"})"}));
  const std::string call = "```json\n{\"name\": \"a\", \"arguments\": {}}\n```";
  EXPECT_EQ(divided("I look:\n\n" + call), (Divided{"I look:\n\n", "", call}));
  const std::string other = "So:\n```json\n{\"name\": \"a\", \"version\": 1}\n```\nEnd.";
  EXPECT_EQ(divided(other), (Divided{other, "", ""}));
  const std::string twice = R"({"name": "a", "arguments": {}}; {"name": "b", "arguments": {}})";
  EXPECT_EQ(divided(twice), (Divided{"", "", twice}));
  EXPECT_EQ(divided("Thought: Hm.\nAction: read\n"),
            (Divided{"Thought: Hm.\n", "", "Action: read\n"}));
}

}  // namespace
}  // namespace quarry::ask
