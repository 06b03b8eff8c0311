#include "cli/type_schemas.h"

namespace quarry::cli {

TypeSchemas::TypeSchemas(Connection& connection) {
  const auto answer = connection.call("schemas", "{}");
  const Json all = answer ? parse_json(*answer).value_or(Json()) : Json();
  const Json::json_pointer variants("/resource/oneOf");
  const Json::json_pointer name("/properties/type/const");
  if (!all.is_object() || !all.contains(variants)) return;
  for (const Json& schema : all[variants]) {
    if (schema.contains(name) && schema[name].is_string()) schemas_[schema[name]] = schema;
  }
}

Json TypeSchemas::rule(const std::string& type, const std::string& field) const {
  const auto schema = schemas_.find(type);
  if (schema == schemas_.end()) return nullptr;
  return schema->second["properties"].value(field, Json());
}

std::vector<std::string> TypeSchemas::sources_of(const Json& resource) const {
  std::vector<std::string> out;
  const auto schema = schemas_.find(resource.value("type", ""));
  if (schema == schemas_.end()) return out;
  for (const Json& field : schema->second.value("required", Json::array())) {
    if (!field.is_string() || field == "type" || field == "name") continue;
    const auto value = resource.find(field.get<std::string>());
    if (value != resource.end() && value->is_string()) out.push_back(*value);
  }
  return out;
}

}  // namespace quarry::cli
