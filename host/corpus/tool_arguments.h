#pragma once

#include "base/error.h"
#include "base/json.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Reads the arguments of a tool call one by one and keeps what is wrong with them, so that the
/// model is told about every field at once. `null` counts as left out.
///
///     ToolArguments arguments(json, {"pattern", "limit"});
///     query.pattern = arguments.required_text("pattern");
///     query.limit = arguments.number("limit", 100, 1, 1000);
///     if (auto error = arguments.error()) return *error;
class ToolArguments {
 public:
  /// `known` are all the arguments the tool has; another one is an error that names the nearest.
  ToolArguments(const Json& arguments, std::initializer_list<std::string_view> known);

  /// A text that must be there and not be empty.
  [[nodiscard]] std::string required_text(std::string_view field);
  /// A text, or "" when it is left out.
  [[nodiscard]] std::string text(std::string_view field);
  /// A whole number within [least, most], or `fallback` when it is left out.
  [[nodiscard]] std::uint32_t number(std::string_view field, std::uint32_t fallback,
                                     std::uint32_t least, std::uint32_t most);
  /// True or false; false when it is left out.
  [[nodiscard]] bool flag(std::string_view field);

  /// kInvalidArgument with one detail a field, or nullopt when all was well so far.
  [[nodiscard]] std::optional<Error> error() const;

 private:
  /// The argument, or null when it is left out.
  [[nodiscard]] const Json* find(std::string_view field) const;
  void complain(std::string_view field, std::string message);

  const Json& arguments_;
  std::vector<FieldError> problems_;
};

}  // namespace quarry::corpus
