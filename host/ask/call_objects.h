#pragma once

#include "ask/function_calls.h"
#include "ask/tool_names.h"
#include "base/json.h"

#include <vector>

namespace quarry::ask {

/// Whether a call counts whose name is of no tool, or that has no arguments.
enum class UnknownTool : bool { kLeftOut, kCounts };

/// Adds the calls in `value` to `calls`, with the names of `tools` for those that are meant: an
/// object {"name": …, "arguments": …} in the spellings of models, {"read": {…}} of Apertus, an
/// array of them, or an object with such an array.
void add_object_calls(const Json& value, const ToolNames& tools, UnknownTool unknown,
                      std::vector<TextCall>& calls);

}  // namespace quarry::ask
