#include "model-openai/usage.h"

#include "model_http/json_text.h"

#include <initializer_list>

namespace quarry::openai {
namespace {

using model_http::count_member;
using model_http::member;
using Json = nlohmann::json;

std::int64_t first_of(std::initializer_list<std::int64_t> counts) {
  for (const std::int64_t count : counts) {
    if (count >= 0) return count;
  }
  return -1;
}

const Json& details(const Json& usage, const char* chat, const char* responses) {
  const Json& found = member(usage, chat);
  return found.is_null() ? member(usage, responses) : found;
}

/// True if reasoning is no part of the output, as xAI counts: the total then has it besides.
bool has_reasoning_apart(const Json& usage, const quarry_usage& counts) {
  return counts.input_tokens >= 0 && counts.output_tokens >= 0 && counts.reasoning_tokens > 0 &&
         count_member(usage, "total_tokens") ==
             counts.input_tokens + counts.output_tokens + counts.reasoning_tokens;
}

}  // namespace

std::optional<quarry_usage> read_usage(const Json& usage) {
  const Json& input = details(usage, "prompt_tokens_details", "input_tokens_details");
  const Json& output = details(usage, "completion_tokens_details", "output_tokens_details");
  quarry_usage out{
      .struct_size = sizeof(quarry_usage),
      .reserved = 0,
      .input_tokens =
          first_of({count_member(usage, "prompt_tokens"), count_member(usage, "input_tokens")}),
      .output_tokens = first_of(
          {count_member(usage, "completion_tokens"), count_member(usage, "output_tokens")}),
      .reasoning_tokens = count_member(output, "reasoning_tokens"),
      .cache_read_tokens = first_of({count_member(input, "cached_tokens"),
                                     count_member(usage, "prompt_cache_hit_tokens"),  // DeepSeek
                                     count_member(usage, "num_cached_tokens"),        // Mistral
                                     count_member(usage, "cached_tokens")}),          // Moonshot
      .cache_write_tokens = count_member(input, "cache_write_tokens")};
  if (out.input_tokens < 0 && out.output_tokens < 0) return std::nullopt;
  if (has_reasoning_apart(usage, out)) out.output_tokens += out.reasoning_tokens;
  return out;
}

}  // namespace quarry::openai
