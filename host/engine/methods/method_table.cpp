#include "engine/methods/method_table.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::engine {

void MethodTable::add(Method method) {
  const std::string_view name = method.name;
  rows_.emplace(name, std::move(method));
}

const MethodTable::Row* MethodTable::find(std::string_view name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second;
}

Json MethodTable::description() const {
  Json all = Json::object();
  for (const auto& [name, row] : rows_) {
    Json& out = all[std::string(name)];
    const ParamsRule& params = row.method.params;
    out["version"] = row.method.version;
    out["description"] = row.method.summary;
    out["result"] = *parse_json(row.method.result);
    if (!params.schema.empty()) out["params"] = *parse_json(params.schema);
    if (params.principal == PrincipalMember::kOptional) out["principal"] = "optional";
    if (params.principal == PrincipalMember::kRequired) out["principal"] = "required";
  }
  return all;
}

}  // namespace quarry::engine
