#include "model-openai/model_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace quarry::openai {
namespace {

std::string_view base_of(std::string_view model) {
  if (model.starts_with("openai/")) model.remove_prefix(7);
  return model.starts_with("ft:") ? model.substr(3) : model;
}

bool is_o_series(std::string_view model) {
  return model.size() > 1 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9';
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_of_openai(std::string_view model) {
  const std::string_view base = base_of(model);
  return (base.starts_with("gpt-") && !base.starts_with("gpt-oss")) ||
         base.starts_with("chatgpt-") || base.starts_with("codex-") || is_o_series(base);
}

bool is_of_mistral(std::string_view model) {
  const std::string name = lower(model);
  return name.contains("stral") || name.contains("xtral");
}

bool may_reason(std::string_view model) {
  constexpr std::array<std::string_view, 4> kOthers = {"gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat"};
  const std::string_view base = base_of(model);
  return std::ranges::none_of(kOthers, [&](auto other) { return base.starts_with(other); });
}

bool may_answer(std::string_view model) {
  constexpr std::array<std::string_view, 16> kOthers = {
      "embed",  "whisper",  "tts",   "dall-e",       "moderation", "transcribe",
      "image",  "realtime", "audio", "sora",         "babbage",    "davinci",
      "rerank", "guard",    "ocr",   "instruct-0914"};
  return std::ranges::none_of(
      kOthers, [&](auto other) { return model.find(other) != std::string_view::npos; });
}

}  // namespace quarry::openai
