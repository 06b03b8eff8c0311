#pragma once

#include "mcp_server/json.h"

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::transport_mcp {

/// One tool, as its callers see it.
struct Tool {
  std::string name;
  std::string right;                            // required to see and call it
  std::shared_ptr<const mcp::Json> definition;  // its element of tools/list
  std::string text;             // the same in one line, of a retrieval tool without outputSchema
  std::string structured_text;  // with outputSchema
  std::string method = {};      // of the engine, for a retrieval tool
};

/// The members of a question that callers of the tool `ask` give.
inline constexpr std::array kQuestionArguments{"question", "resources"};

/// The names of the fields of each type of resource. `schemas`: the value of the engine's method of
/// this name.
using TypeFields = std::map<std::string, std::set<std::string>>;
[[nodiscard]] TypeFields fields_of_types(const mcp::Json& schemas);

/// The tools of this server. Their schemas are made from those of the engine's methods, so that a
/// type of resource is offered with its members whichever plugin has it. The engine validates the
/// arguments.
class Tools {
 public:
  /// `schemas`, `methods` and `retrieval`: the values of the engine's methods "schemas", "methods"
  /// and "tools". A schema that they lack allows any object.
  Tools(const mcp::Json& schemas, const mcp::Json& methods, const mcp::Json& retrieval);

  /// In the order in which they are listed.
  [[nodiscard]] std::span<const Tool> all() const { return tools_; }
  /// By its name as clients and models write it: in any case and with any separators, and with the
  /// prefix of a gateway. Null if there is no such tool.
  [[nodiscard]] const Tool* find(std::string_view name) const;

 private:
  std::vector<Tool> tools_;
};

}  // namespace quarry::transport_mcp
