#pragma once

#include "model-anthropic/thinking.h"
#include "model_http/chat_request.h"
#include "model_http/request_options.h"
#include "model_http/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace quarry::anthropic {

/// Options of the requests that a user may set.
struct Options {
  Thinking thinking;
  model_http::RequestOptions common;

  /// A failure names the member.
  static Outcome<Options> read(nlohmann::json members);
};

/// JSON Schema for the provider's part of the configuration.
nlohmann::json schema();

/// The URL of `resource` ("messages").
std::string url_of(const model_http::Settings& settings, std::string_view resource);

/// The headers of every request: the version of the API, and the key.
std::vector<HttpHeader> headers_of(const model_http::Settings& settings);

/// The body of a request for one step. Parts that do not change between steps are marked for the
/// provider's cache, with at most four marks: the tools, the system prompt, and the history twice.
nlohmann::json body_of(const model_http::ChatRequest& chat, const Options& options);

HttpRequest request_of(const model_http::Settings& settings, const model_http::ChatRequest& chat,
                       const Options& options);

}  // namespace quarry::anthropic
