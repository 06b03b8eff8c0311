#pragma once

#include "model_http/output.h"

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

namespace quarry::openai {

/// Maximum number of tool calls of one answer; a further one is an error.
inline constexpr std::size_t kMostCalls = 128;

/// Reports the error object of a stream with the provider's message: {"message", "code", "type"};
/// the code is a word of OpenAI's or an HTTP status.
void report_error(const nlohmann::json& error, model_http::Output& output);

}  // namespace quarry::openai
