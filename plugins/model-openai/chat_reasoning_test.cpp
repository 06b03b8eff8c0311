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

}  // namespace
}  // namespace quarry::openai
