#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// A tool call that a model wrote as text.
struct TextCall {
  std::string name;
  std::string arguments;  ///< a JSON object
};

/// Reads calls in the syntax of functions, with literals of Python or JSON, perhaps in brackets:
/// `[read(path="a"), list()]`, `print(read(path='a'))`, `call:read{path:"a"}`. nullopt if there is
/// anything else in the text, or an argument without its name.
std::optional<std::vector<TextCall>> read_function_calls(std::string_view text);

/// True if `text` is the beginning of such a call in brackets up to the name of an argument or the
/// end of the arguments; nullopt if it is too short to tell.
std::optional<bool> begins_as_function_call(std::string_view text);

}  // namespace quarry::ask
