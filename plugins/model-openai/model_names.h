#pragma once

#include <string>
#include <string_view>

namespace quarry::openai {

/// With small letters in place of the capital ones of ASCII.
std::string lower(std::string_view text);

/// True for OpenAI's own models: "gpt-5.4", "o3", "ft:gpt-4o:…", "openai/gpt-5"; not
/// "gpt-oss-120b".
bool is_of_openai(std::string_view model);

/// True for Mistral's models, at any vendor: "devstral-small", "mistralai/Ministral-8B".
bool is_of_mistral(std::string_view model);

/// True if responses of `model` can contain encrypted reasoning. OpenAI's models before GPT-5,
/// except the o series, reject requests for it.
bool may_reason(std::string_view model);

/// True if `model` is a chat model by its name: lists also have models for embeddings, speech,
/// transcription, images or moderation.
bool may_answer(std::string_view model);

}  // namespace quarry::openai
