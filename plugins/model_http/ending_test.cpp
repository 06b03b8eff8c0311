#include "model_http/ending.h"

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

// crewAIInc/crewAI#7110, mozilla-ai/any-llm#1202, No-Compromise-AI/glm-mcp#41: each provider has a
// word of its own for a cut answer, and routers pass foreign ones on.
TEST(Ending, OfACutAnswerIsReadInTheWordsOfAnyProvider) {
  for (const char* word : {"length", "max_tokens", "MAX_TOKENS", "model_length",
                           "max_output_tokens", "model_context_window_exceeded"}) {
    EXPECT_EQ(read_ending(word), Ending::kLength) << word;
  }
  for (const char* word : {"content_filter", "SAFETY", "RECITATION", "refusal", "sensitive"}) {
    EXPECT_EQ(read_ending(word), Ending::kFiltered) << word;
  }
  EXPECT_EQ(read_ending("insufficient_system_resource"), Ending::kAborted);
  for (const char* word : {"", "stop", "end_turn", "STOP", "eos", "tool_calls"}) {
    EXPECT_EQ(read_ending(word), Ending::kDone) << word;
  }
}

// google-gemini/gemini-cli#12965, vellum-ai/vellum-assistant#43134, NousResearch/hermes-agent#11171
TEST(Ending, OfAMalformedCallIsAnError) {
  for (const char* word : {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL",
                           "function_call_filter: MALFORMED_FUNCTION_CALL"}) {
    EXPECT_EQ(read_ending(word), Ending::kAborted) << word;
  }
}

}  // namespace
}  // namespace quarry::model_http
