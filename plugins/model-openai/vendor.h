#pragma once

#include <string_view>

namespace quarry::openai {

/// A service with OpenAI's protocol, and the differences of its dialect.
struct Vendor {
  const char* name;  ///< of the component
  const char* title;
  const char* base_url;
  const char* key_variable = "";       ///< empty = no key required
  const char* base_url_variable = "";  ///< empty = none
  const char* billed_as = "";      ///< provider id of the price catalogues; empty = costs nothing
  const char* default_model = "";  ///< empty = the first in its list
  bool prefers_responses = false;  ///< instead of chat completions
  bool refuses_stream_options = false;  ///< and always reports usage
  bool takes_reasoning_object = false;  ///< instead of reasoning_effort
  bool wants_short_call_ids = false;    ///< nine letters and digits
};

inline constexpr Vendor kOpenAi{.name = "openai",
                                .title = "OpenAI, or any server that speaks its API",
                                .base_url = "https://api.openai.com/v1",
                                .key_variable = "OPENAI_API_KEY",
                                .base_url_variable = "OPENAI_BASE_URL",
                                .billed_as = "openai",
                                .default_model = "gpt-5.4-mini",
                                .prefers_responses = true};
inline constexpr Vendor kOpenRouter{.name = "openrouter",
                                    .title = "OpenRouter",
                                    .base_url = "https://openrouter.ai/api/v1",
                                    .key_variable = "OPENROUTER_API_KEY",
                                    .billed_as = "openrouter",
                                    .default_model = "openai/gpt-5.4-mini",
                                    .takes_reasoning_object = true};
inline constexpr Vendor kGroq{.name = "groq",
                              .title = "Groq",
                              .base_url = "https://api.groq.com/openai/v1",
                              .key_variable = "GROQ_API_KEY",
                              .billed_as = "groq",
                              .default_model = "openai/gpt-oss-120b"};
inline constexpr Vendor kMistral{.name = "mistral",
                                 .title = "Mistral",
                                 .base_url = "https://api.mistral.ai/v1",
                                 .key_variable = "MISTRAL_API_KEY",
                                 .billed_as = "mistral",
                                 .default_model = "mistral-medium-latest",
                                 .refuses_stream_options = true,
                                 .wants_short_call_ids = true};
inline constexpr Vendor kDeepSeek{.name = "deepseek",
                                  .title = "DeepSeek",
                                  .base_url = "https://api.deepseek.com/v1",
                                  .key_variable = "DEEPSEEK_API_KEY",
                                  .billed_as = "deepseek"};
inline constexpr Vendor kLmStudio{.name = "lmstudio",
                                  .title = "LM Studio on this machine",
                                  .base_url = "http://127.0.0.1:1234/v1"};
inline constexpr Vendor kLlamaCpp{.name = "llamacpp",
                                  .title = "llama.cpp's server on this machine",
                                  .base_url = "http://127.0.0.1:8080/v1"};
inline constexpr Vendor kVllm{
    .name = "vllm", .title = "vLLM on this machine", .base_url = "http://127.0.0.1:8000/v1"};

/// True if it runs on the user's own machine and costs nothing.
constexpr bool is_local(const Vendor& vendor) {
  return std::string_view(vendor.billed_as).empty();
}

}  // namespace quarry::openai
