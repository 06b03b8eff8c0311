#pragma once

#include "model_http/chat_request.h"

#include <vector>

namespace quarry::anthropic {

/// The conversation in the form of the Messages API: user and assistant alternate, the results of a
/// turn's calls come first in the next user turn, and no text is blank.
nlohmann::json messages_of(const std::vector<model_http::Message>& messages);

/// Marks the end of the last two user turns: the step before this one was cached up to the former,
/// and the next one will be read up to the latter.
void mark_history(nlohmann::json& messages);

/// Marks `block` as the end of a cached prefix.
void mark(nlohmann::json& block);

/// True if `text` is empty or only white space, which the API rejects as a text.
bool is_blank(std::string_view text);

}  // namespace quarry::anthropic
