#pragma once

#include "model-ollama/options.h"
#include "model_http/chat_request.h"
#include "model_http/settings.h"

namespace quarry::ollama {

/// The header with the key; none without a key.
std::vector<HttpHeader> key_of(const model_http::Settings& settings);

/// The body of `/api/chat` for one step of a conversation.
nlohmann::json body_of(const model_http::ChatRequest& chat, const Options& options);

/// The request for one step of a conversation.
HttpRequest request_of(const model_http::Settings& settings, const Options& options,
                       const model_http::ChatRequest& chat);

}  // namespace quarry::ollama
