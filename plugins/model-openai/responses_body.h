#pragma once

#include "model-openai/options.h"
#include "model_http/chat_request.h"

namespace quarry::openai {

/// The body of a request to the Responses API, streamed. Nothing is stored at the provider: each
/// request contains the whole conversation, with the reasoning that ResponsesDecoder kept.
nlohmann::json responses_body(const model_http::ChatRequest& chat, const Options& options);

}  // namespace quarry::openai
