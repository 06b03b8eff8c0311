#pragma once

#include "ask/call_markup.h"
#include "ask/tool_names.h"

#include <cstddef>
#include <string_view>

namespace quarry::ask {

/// A call is told by so many bytes at its beginning, or it is none.
inline constexpr std::size_t kLongestBeginning = 1024;

/// The answer to whether `text` begins a call that has no markup before it. `first`: it is the
/// beginning of a step; otherwise that of a line. `tools`: null = their names are not known.
Beginning begins_as_call(std::string_view text, bool first, const ToolNames* tools = nullptr);

}  // namespace quarry::ask
