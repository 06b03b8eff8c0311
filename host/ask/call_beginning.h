#pragma once

#include "ask/call_markup.h"
#include "ask/tool_names.h"

#include <string_view>

namespace quarry::ask {

/// The answer to whether `text` begins a call that has no markup before it. `first`: it is the
/// beginning of a step; otherwise that of a line. `tools`: null = their names are not known.
Beginning begins_as_call(std::string_view text, bool first, const ToolNames* tools = nullptr);

}  // namespace quarry::ask
