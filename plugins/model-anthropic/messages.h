#pragma once

#include "model_http/chat_request.h"

#include <vector>

namespace quarry::anthropic {

/// The conversation as the Messages API has it: user and assistant take turns, the results of a
/// turn's calls stand first in the next user turn, and no text is blank.
nlohmann::json messages_of(const std::vector<model_http::Message>& messages);

/// Marks the end of the last two user turns: the step before this one was cached up to the former,
/// and the next one will be read up to the latter.
void mark_history(nlohmann::json& messages);

/// Ends what is cached at `block`.
void mark(nlohmann::json& block);

/// Whether there is nothing but white space, which the API refuses as a text.
bool is_blank(std::string_view text);

}  // namespace quarry::anthropic
