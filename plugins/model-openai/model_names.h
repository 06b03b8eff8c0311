#pragma once

#include <string_view>

namespace quarry::openai {

/// Whether OpenAI itself made the model: "gpt-5.4", "o3", "ft:gpt-4o:…"; not "gpt-oss-120b".
bool is_of_openai(std::string_view model);

/// Whether the responses of `model` can carry encrypted reasoning. Of OpenAI's models those before
/// GPT-5 other than the o series cannot, and refuse to be asked.
bool may_reason(std::string_view model);

/// Whether `model` can be asked at all, by its name: lists also have models that embed, speak,
/// listen, draw or moderate.
bool may_answer(std::string_view model);

}  // namespace quarry::openai
