#pragma once

#include "base/error.h"
#include "config/document.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::config {

/// One mistake in the configuration.
struct Mistake {
  Place place;          ///< of the value; of the table around it if a key is missing
  std::string key;      ///< dotted, as in "model.max_steps"; empty = the whole source
  std::string message;  ///< a sentence that names the key
  std::string hint;     ///< what to do next; empty = correct the place
};

/// Position of the value at a JSON pointer, or of the nearest table around it; of the table itself
/// for a text that is none, as a plugin may have named a field.
Place nearest_place(const std::map<std::string, Place>& places, std::string pointer);

/// Violations of the schema in one document, by JSON pointer.
std::vector<FieldError> violations_in(const Document& document);

/// The violations with their places and names.
std::vector<Mistake> at_places(const Document& document, const std::vector<FieldError>& violations);

/// The same of a component's table, whose dotted name is `name`.
std::vector<Mistake> at_places(const Table& table, std::string_view name,
                               const std::vector<FieldError>& violations);

/// Removes the values with violations, so that the others can be read. A resource without a type or
/// a name becomes null; a table whose `provider` is wrong is removed.
void remove_violations(Json& root, const std::vector<FieldError>& violations);

/// Name of a value in messages: "/model/max_steps" is "model.max_steps", "/resource/0/url" is
/// "resource.kit.url".
std::string dotted_key(const Json& root, const std::string& pointer);

/// Combines mistakes to one Error.
Error mistakes_error(const std::vector<Mistake>& mistakes);

}  // namespace quarry::config
