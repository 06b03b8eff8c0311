#pragma once

#include "base/error.h"
#include "base/json.h"

#include <cstddef>
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

/// Reads JSON with the freedoms that models take: the literals of Python, either quotes, names of
/// members without quotes, a comma before the end. kInvalidArgument, as parse_json says it, for
/// anything else.
Result<Json> parse_loosely(std::string_view text);

/// Reads the arguments of a call: an object, perhaps in a block of code, after an empty one, twice,
/// or with the ends of markup behind it.
Result<Json> parse_call_arguments(std::string_view text);

/// Size of the JSON object or array at the beginning of `text`; 0 when it has no end.
[[nodiscard]] std::size_t size_of_json(std::string_view text);

/// True if `text` is the beginning of such a call in brackets up to the name of an argument or the
/// end of the arguments; nullopt if it is too short to tell.
std::optional<bool> begins_as_function_call(std::string_view text);

}  // namespace quarry::ask
