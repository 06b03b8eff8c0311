#include "model_http/ending.h"

#include <gtest/gtest.h>

namespace quarry::model_http {
namespace {

// crewAIInc/crewAI#7110, mozilla-ai/any-llm#1202, No-Compromise-AI/glm-mcp#41: each provider has a
// word of its own for a cut answer, and routers pass foreign ones on.
TEST(Ending, OfACutAnswerIsReadInTheWordsOfAnyProvider) {
  for (const char* word :
       {"length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens",
        "model_context_window_exceeded", "max-tokens", "maxTokens", "max_length", "max_new_tokens",
        "contextLengthReached", "tokens_limit_reached", "ERROR_LIMIT", "truncated", "incomplete"}) {
    EXPECT_EQ(read_ending(word), Ending::kLength) << word;
  }
  for (const char* word :
       {"content_filter", "SAFETY", "RECITATION", "refusal", "sensitive", "content-filter",
        "contentFilter", "safety_filter", "moderation", "blocked", "ERROR_TOXIC", "LANGUAGE",
        "MODEL_ARMOR", "IMAGE_PROHIBITED_CONTENT", "policy_violation", "SPII"}) {
    EXPECT_EQ(read_ending(word), Ending::kFiltered) << word;
  }
  for (const char* word :
       {"insufficient_system_resource", "ERROR", "abort", "cancelled", "USER_CANCEL", "timeout",
        "server_error", "network_error", "modelUnloaded", "rate_limited", "OTHER"}) {
    EXPECT_EQ(read_ending(word), Ending::kAborted) << word;
  }
  for (const char* word :
       {"", "stop", "end_turn", "STOP", "eos", "tool_calls", "eos_token", "stop_sequence",
        "COMPLETE", "eosFound", "<|im_end|>", "function_call"}) {
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
