#pragma once

#include "model_http/chat_request.h"
#include "model_http/request_options.h"
#include "model_http/settings.h"

#include <quarry/http.hpp>

#include <string>
#include <string_view>

namespace quarry::gemini {

/// The tag under which an assistant message keeps its parts as Gemini sent them: {"gemini": [part,
/// …]}. Their signatures must be sent back on the same parts.
inline constexpr std::string_view kKeptTag = "gemini";

/// The URL of `resource` ("models"), below the version of the API.
std::string url_of(const model_http::Settings& settings, std::string_view resource);

/// The header with the key; none without a key.
std::vector<HttpHeader> key_of(const model_http::Settings& settings);

/// The body of `streamGenerateContent` for one step of a conversation.
nlohmann::json body_of(const model_http::ChatRequest& chat,
                       const model_http::RequestOptions& options);

/// The request for one step of a conversation.
HttpRequest request_of(const model_http::Settings& settings,
                       const model_http::RequestOptions& options,
                       const model_http::ChatRequest& chat);

}  // namespace quarry::gemini
