#pragma once

#include "base/error.h"

#include <string>
#include <string_view>

namespace quarry::cli {

/// What the user writes into a file that holds `text` at first, with the program that VISUAL, else
/// EDITOR, else "vi" names. Waits for its end on this terminal. An error if it cannot be started or
/// does not succeed.
Result<std::string> text_from_editor(std::string_view text);

}  // namespace quarry::cli
