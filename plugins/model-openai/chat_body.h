#pragma once

#include "model-openai/options.h"
#include "model-openai/refused_parameters.h"
#include "model_http/chat_request.h"

namespace quarry::openai {

/// The body of a request for chat completions, streamed, in the vendor's dialect.
nlohmann::json chat_body(const model_http::ChatRequest& chat, const Vendor& vendor,
                         const Options& options, const RefusedParameters& refused);

}  // namespace quarry::openai
