#include "model-openai/testing/steps.h"

#include <string>
#include <vector>

namespace quarry::openai {
namespace {

/// The step of a stream with these deltas.
quarry::testing::Sink::Step step_of_deltas(const std::vector<std::string>& list) {
  std::string body;
  for (const std::string& delta : list) {
    body += R"(data: {"choices":[{"index":0,"delta":)" + delta + "}]}\n\n";
  }
  return testing::step_of("openai", R"({"base_url":"http://127.0.0.1:1/v1","api":"chat"})",
                          body + "data: [DONE]\n\n");
}

// BerriAI/litellm#31185: a whole block at its end, after the deltas of its text
TEST(ChatReasoning, IsNotRepeatedByABlockAtItsEnd) {
  const auto step =
      step_of_deltas({R"({"reasoning_content":"Two "})", R"({"reasoning_content":"files."})",
                      R"({"reasoning_content":"","thinking_blocks":[)"
                      R"({"type":"thinking","thinking":"Two files.","signature":"c2ln"}]})",
                      R"({"content":"Here."})"});
  EXPECT_EQ(step.reasoning, "Two files.");
  EXPECT_EQ(step.text, "Here.");
}

constexpr const char* kCall =
    R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{}"}}]})";

// anomalyco/opencode#3077: Anthropic's models behind LiteLLM refuse the results of calls whose
// thinking is missing.
TEST(ChatReasoning, InBlocksIsKeptWithItsSignature) {
  const std::string blocks = R"([{"type":"thinking","thinking":"Two files.","signature":"c2ln"},)"
                             R"({"type":"redacted_thinking","data":"ZW5j"}])";
  const auto in_pieces = step_of_deltas(
      {R"({"reasoning_content":"Two ","thinking_blocks":[)"
       R"({"type":"thinking","thinking":"Two ","signature":null}]})",
       R"({"reasoning_content":"files.","thinking_blocks":[)"
       R"({"type":"thinking","thinking":"files.","signature":null}]})",
       R"({"reasoning_content":"","thinking_blocks":[)"
       R"({"type":"thinking","thinking":"","signature":"c2ln"}]})",
       R"({"thinking_blocks":[{"type":"redacted_thinking","data":"ZW5j"}]})", kCall});
  EXPECT_EQ(in_pieces.reasoning, "Two files.");
  const auto whole = step_of_deltas(
      {R"({"reasoning_content":"Two files."})", R"({"thinking_blocks":)" + blocks + "}", kCall});
  EXPECT_EQ(whole.reasoning, "Two files.");
  for (const auto& step : {in_pieces, whole}) {
    ASSERT_EQ(step.kept.size(), 1u);
    EXPECT_EQ(testing::Json::parse(step.kept[0]),
              testing::Json({{"thinking_blocks", testing::Json::parse(blocks)}}));
  }
  const auto unsigned_block =
      step_of_deltas({R"({"reasoning_content":"Two files.","thinking_blocks":[)"
                      R"({"type":"thinking","thinking":"Two files."}]})",
                      kCall});
  EXPECT_EQ(unsigned_block.kept, testing::Words{"\"reasoning_content\""});
}

TEST(ChatReasoning, InSeveralBlocksIsNotJoined) {
  const auto step = step_of_deltas(
      {R"({"thinking_blocks":[{"type":"thinking","thinking":"a","signature":"1"}]})",
       R"({"thinking_blocks":[{"type":"thinking","thinking":"b","signature":"2"}]})", kCall});
  EXPECT_EQ(step.reasoning, "ab");
  ASSERT_EQ(step.kept.size(), 1u);
  EXPECT_EQ(testing::Json::parse(step.kept[0])["thinking_blocks"].size(), 2u);
}

// OpenRouterTeam/ai-sdk-provider#423, agno-agi/agno#5802
TEST(ChatReasoning, OfARouterIsJoinedWithItsSignature) {
  const auto detail = [](const std::string& members) {
    return R"({"reasoning_details":[{"type":"reasoning.text",)" + members +
           R"(,"format":"anthropic-claude-v1","index":0}]})";
  };
  const auto step = step_of_deltas({detail(R"("text":"Let")"), detail(R"("text":" me.")"),
                                    detail(R"("signature":"Et8B")"), kCall});
  EXPECT_EQ(step.reasoning, "Let me.");
  ASSERT_EQ(step.kept.size(), 1u);
  const auto details = testing::Json::parse(step.kept[0])["reasoning_details"];
  ASSERT_EQ(details.size(), 1u) << details;
  EXPECT_EQ(details[0]["text"], "Let me.");
  EXPECT_EQ(details[0]["signature"], "Et8B");
}

TEST(ChatReasoning, IsNamedByAMemberThatIsEmpty) {
  EXPECT_EQ(step_of_deltas({R"({"content":null,"reasoning_content":""})", kCall}).kept,
            testing::Words{"\"reasoning_content\""});
  EXPECT_TRUE(step_of_deltas({R"({"content":null,"reasoning_content":null})", kCall}).kept.empty());
}

}  // namespace
}  // namespace quarry::openai
