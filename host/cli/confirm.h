#pragma once

#include "base/error.h"
#include "cli/verb.h"

#include <string_view>

namespace quarry::cli {

/// True if a question to the user can be answered: on a terminal, without --json.
[[nodiscard]] bool can_ask(const Context& context);

/// Asks `question` at the terminal. True for "yes" or "y"; kCancelled on an interrupt.
Result<bool> ask_yes(Context& context, std::string_view question);

}  // namespace quarry::cli
