#pragma once

#include "ask/function_calls.h"
#include "ask/tool_names.h"

#include <string_view>
#include <vector>

namespace quarry::ask {

// Calls in the forms of elements. Each function adds those in a text to `calls`, with the names of
// `tools` for those that are meant; what is no call of its form adds nothing.

/// <function=read>, with elements <parameter=path> or an object, or <invoke name="read"> with
/// elements <parameter name="path">.
void add_parameter_call(std::string_view element, const ToolNames& tools,
                        std::vector<TextCall>& calls);
/// A name, and elements <arg_key> and <arg_value> by turns.
void add_pairs_call(std::string_view body, const ToolNames& tools, std::vector<TextCall>& calls);
/// An element <tool_name>, and <arguments> with an object or <parameters> with elements.
void add_named_call(std::string_view body, const ToolNames& tools, std::vector<TextCall>& calls);
/// Elements that `text` begins with and that have the names of tools, their arguments as elements
/// in them or as attributes: "<read><path>a</path></read>", of Cline and Roo.
void add_tool_elements(std::string_view text, const ToolNames& tools, std::vector<TextCall>& calls);

}  // namespace quarry::ask
