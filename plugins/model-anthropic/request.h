#pragma once

#include "model-anthropic/thinking.h"
#include "model_http/chat_request.h"
#include "model_http/request_options.h"
#include "model_http/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::anthropic {

/// What a user may set about the requests.
struct Options {
  Thinking thinking;
  model_http::RequestOptions common;

  /// A failure names the member.
  static Outcome<Options> read(nlohmann::json members);
};

/// JSON Schema of the provider's part of the configuration.
nlohmann::json schema();

/// The URL of `resource` ("messages").
std::string url_of(const model_http::Settings& settings, std::string_view resource);

/// The headers every request has: the version of the API, and the key.
std::vector<HttpHeader> headers_of(const model_http::Settings& settings);

/// The body of a request for one step. What stays the same from step to step is marked for the
/// provider's cache, with four marks at most: the tools, the system prompt, and the history twice.
nlohmann::json body_of(const model_http::ChatRequest& chat, const Options& options);

HttpRequest request_of(const model_http::Settings& settings, const model_http::ChatRequest& chat,
                       const Options& options);

}  // namespace quarry::anthropic
