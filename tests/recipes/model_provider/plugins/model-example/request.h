#pragma once

#include "model_http/chat_request.h"
#include "model_http/request_options.h"
#include "model_http/settings.h"

namespace quarry::example {

/// Options of the requests that a user may set, besides address and key.
struct Options {
  std::string style;  ///< empty = the service's own
  model_http::RequestOptions request;

  /// Reads all `members`; a failure names the invalid one.
  static Outcome<Options> read(nlohmann::json members);
};

/// The header with the key; none without a key.
std::vector<HttpHeader> key_of(const model_http::Settings& settings);

/// The request for one step of a conversation.
HttpRequest request_of(const model_http::Settings& settings, const Options& options,
                       const model_http::ChatRequest& chat);

}  // namespace quarry::example
