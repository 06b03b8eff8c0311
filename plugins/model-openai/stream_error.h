#pragma once

#include "model_http/output.h"

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// Tells the error object of a stream in the provider's words: {"message", "code", "type"}, the
/// code a word of OpenAI's or an HTTP status.
void tell_error(const nlohmann::json& error, model_http::Output& output);

}  // namespace quarry::openai
