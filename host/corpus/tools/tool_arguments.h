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

/// Reads the arguments of a tool call one by one and collects their errors, so that the model gets
/// an error about all fields at once. `null` counts as omitted.
///
///     ToolArguments arguments(json, {"pattern", "limit"});
///     query.pattern = arguments.required_text("pattern");
///     query.limit = arguments.number("limit", 100, 1, 1000);
///     if (auto error = arguments.error()) return *error;
class ToolArguments {
 public:
  /// `known` lists all arguments of the tool; any other is an error that suggests the nearest.
  ToolArguments(const Json& arguments, std::initializer_list<std::string_view> known);

  /// A text that must be present and not empty.
  [[nodiscard]] std::string required_text(std::string_view field);
  /// A text, or "" if omitted.
  [[nodiscard]] std::string text(std::string_view field);
  /// A whole number within [least, most], or `fallback` if omitted.
  [[nodiscard]] std::uint32_t number(std::string_view field, std::uint32_t fallback,
                                     std::uint32_t least, std::uint32_t most);
  /// True or false; false if omitted.
  [[nodiscard]] bool flag(std::string_view field);

  /// kInvalidArgument with one detail for each field, or nullopt if there were no errors so far.
  [[nodiscard]] std::optional<Error> error() const;

 private:
  /// The argument, or null if omitted.
  [[nodiscard]] const Json* find(std::string_view field) const;
  void add_problem(std::string_view field, std::string message);

  const Json& arguments_;
  std::vector<FieldError> problems_;
};

}  // namespace quarry::corpus
