#include "openapi.h"

#include "json_text.h"
#include "routes.h"

#include <nlohmann/json.hpp>

namespace quarry::rest {
namespace {

using nlohmann::json;

// Version of the interface, not of the program.
constexpr std::string_view kInterfaceVersion = "2.0.0";

json error_schema() {
  return json::parse(R"({
    "type": "object",
    "required": ["error", "tag"],
    "properties": {
      "error": {"type": "string"},
      "tag": {"type": "string"},
      "hint": {"type": "string"},
      "code": {"type": "string"},
      "details": {"type": "array", "items": {"type": "object", "properties": {
        "field": {"type": "string"}, "message": {"type": "string"}}}}}})");
}

std::string media_type(Action action) {
  switch (action) {
    case Action::kStream:
    case Action::kEvents:
      return "text/event-stream";
    case Action::kMetrics:
      return "text/plain";
    case Action::kPage:
      return "text/html";
    default:
      return "application/json";
  }
}

json content(const std::string& type, json schema) {
  return {{type, {{"schema", std::move(schema)}}}};
}

json reference(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

/// The JSON Schema of a method's "params" or "result"; any object if it is not described.
json schema_of(const json& methods, std::string_view method, const char* part) {
  const auto described = methods.find(std::string(method));
  if (described == methods.end() || !described->contains(part)) return {{"type", "object"}};
  return (*described)[part];
}

/// A schema of the params or values of all tools.
json schema_of_tools(const json& methods, const char* part) {
  json variants = json::array();
  for (const auto& [name, method] : methods.items()) {
    if (name.starts_with("tools.")) variants.push_back(schema_of(methods, name, part));
  }
  if (variants.empty()) return {{"type", "object"}};
  return {{"anyOf", std::move(variants)}};
}

json body_schema(const Route& route, const json& methods) {
  if (route.action == Action::kTool) return schema_of_tools(methods, "params");
  if (!route.body_schema.empty()) return reference(route.body_schema);
  return schema_of(methods, route.engine_method, "params");
}

json parameter(std::string_view name, std::string_view in, bool required, std::string_view type) {
  return {{"name", name}, {"in", in}, {"required", required}, {"schema", {{"type", type}}}};
}

json parameters(const Route& route) {
  json list = json::array();
  const auto type_of = [](std::string_view name) { return is_number(name) ? "integer" : "string"; };
  for (const std::string_view name : variables_of(route)) {
    list.push_back(parameter(name, "path", true, type_of(name)));
  }
  for (const std::string_view name : route.query) {
    list.push_back(parameter(name, "query", false, type_of(name)));
  }
  if (route.action == Action::kEvents) {
    list.push_back(parameter("Last-Event-ID", "header", false, "integer"));
    list.push_back(parameter("after", "query", false, "integer"));
  }
  if (route.action == Action::kEvents || route.action == Action::kStream) {
    list.push_back({{"name", "events"}, {"in", "query"}, {"schema", {{"enum", {"extended"}}}}});
  }
  return list;
}

json value_schema(const Route& route, const json& methods) {
  if (route.engine_method == "resources.add") return reference("resource");
  if (route.action == Action::kStream || route.action == Action::kEvents ||
      route.action == Action::kMetrics || route.action == Action::kPage) {
    return {{"type", "string"}};
  }
  if (route.action == Action::kTool) return schema_of_tools(methods, "result");
  json schema = schema_of(methods, route.engine_method, "result");
  if (route.engine_method == "resources.list") {
    schema["required"] = {"resources"};
    schema["properties"]["resources"] = {{"type", "array"}, {"items", reference("resource")}};
  }
  return schema;
}

json success(const Route& route, const json& methods) {
  json schema = value_schema(route, methods);
  return {{"description", "Success"},
          {"content", content(media_type(route.action), std::move(schema))}};
}

json operation(const Route& route, const json& methods) {
  json made{{"summary", route.summary}};
  made["responses"]["200"] = success(route, methods);
  if (route.action == Action::kEvents) {
    made["responses"]["204"] = {{"description", "The question has ended; no event follows"}};
  }
  made["responses"]["default"] = {{"description", "Failure"},
                                  {"content", content("application/json", reference("error"))}};
  if (json list = parameters(route); !list.empty()) made["parameters"] = std::move(list);
  if (route.body == Body::kRequired || route.body == Body::kIfGiven) {
    made["requestBody"] = {{"required", route.body == Body::kRequired},
                           {"content", content("application/json", body_schema(route, methods))}};
  }
  return made;
}

std::string lower(std::string_view method) {
  std::string out(method);
  for (char& c : out) c = static_cast<char>(c | 0x20);
  return out;
}

}  // namespace

std::string openapi_document(std::string_view schemas, std::string_view methods) {
  const json value = json::parse(methods, nullptr, false);
  const json described =
      value.is_object() ? value.value("methods", json::object()) : json::object();
  json document{{"openapi", "3.1.0"},
                {"info", {{"title", "Quarry"}, {"version", kInterfaceVersion}}}};
  for (const Route& route : routes()) {
    document["paths"][std::string(route.path)][lower(route.method)] = operation(route, described);
  }
  json components = json::parse(schemas, nullptr, false);
  if (!components.is_object()) components = json::object();
  for (const char* name : {"resource", "question"}) {
    if (!components.contains(name)) components[name] = {{"type", "object"}};
  }
  components["error"] = error_schema();
  document["components"]["schemas"] = std::move(components);
  return dump(document);
}

}  // namespace quarry::rest
