#pragma once

#include "base/json.h"
#include "cli/connection.h"

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::cli {

/// Schemas of the types of resources that an engine has, without secrets.
class TypeSchemas {
 public:
  /// Asks the engine for them; there are none if it does not answer as described.
  explicit TypeSchemas(Connection& connection);

  /// The rule of a field, a JSON Schema; null if the type or the field is not known.
  [[nodiscard]] Json rule(const std::string& type, const std::string& field) const;
  /// The texts of the fields that the type of `resource` requires, such as its path or URL.
  [[nodiscard]] std::vector<std::string> sources_of(const Json& resource) const;

 private:
  std::map<std::string, Json> schemas_;  // by type
};

}  // namespace quarry::cli
