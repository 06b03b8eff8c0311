#include "model-openai/usage.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace quarry::openai {
namespace {

quarry_usage usage_of(std::string_view json) {
  const auto usage = read_usage(nlohmann::json::parse(json));
  EXPECT_TRUE(usage) << json;
  return usage.value_or(quarry_usage{});
}

// vercel/ai#12425: xAI counts reasoning besides the output
TEST(Usage, HasReasoningInItsOutput) {
  const auto apart = usage_of(
      R"({"prompt_tokens":12,"completion_tokens":1,"total_tokens":399,
          "completion_tokens_details":{"reasoning_tokens":386}})");
  EXPECT_EQ(apart.output_tokens, 387);
  EXPECT_EQ(apart.reasoning_tokens, 386);
  const auto within = usage_of(
      R"({"prompt_tokens":12,"completion_tokens":387,"total_tokens":399,
          "completion_tokens_details":{"reasoning_tokens":386}})");
  EXPECT_EQ(within.output_tokens, 387);
  const auto untold = usage_of(
      R"({"prompt_tokens":12,"completion_tokens":387,
          "completion_tokens_details":{"reasoning_tokens":386}})");
  EXPECT_EQ(untold.output_tokens, 387) << "without a total";
}

TEST(Usage, HasTheCachedTokensOfEveryDialect) {
  for (const char* cached :
       {R"("prompt_tokens_details":{"cached_tokens":5})", R"("prompt_cache_hit_tokens":5)",
        R"("num_cached_tokens":5)", R"("cached_tokens":5)"}) {
    const std::string json =
        R"({"prompt_tokens":9,"completion_tokens":1,)" + std::string(cached) + "}";
    EXPECT_EQ(usage_of(json).cache_read_tokens, 5) << cached;
  }
}

}  // namespace
}  // namespace quarry::openai
