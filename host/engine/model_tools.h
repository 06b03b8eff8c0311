#pragma once

#include "ask/tool_result.h"
#include "base/error.h"
#include "base/json.h"
#include "corpus/tools/retrieval.h"
#include "engine/tool_table.h"

#include <string>
#include <string_view>

namespace quarry::engine {

// The rows of tool_table.h as the model of a question calls them.

/// The tools that a model may call, a JSON array as in <quarry/model.h>; `with_symbols`: also those
/// that need an analyser. [any]
std::string model_tools(bool with_symbols);

/// The tool of this name, or of another one by which models call it; null if there is none. [any]
const ToolRow* model_tool(std::string_view name);
/// The error that names the tools there are.
Error no_model_tool(std::string_view name, bool with_symbols);

/// Runs a tool, whose page as text is the output. Every error tells the model how to correct it.
/// Blocks. [worker]
Result<ask::ToolResult> run_model_tool(const ToolRow& row, const corpus::Retrieval& retrieval,
                                       Json arguments);

}  // namespace quarry::engine
