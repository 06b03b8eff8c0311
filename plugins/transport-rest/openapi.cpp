#include "openapi.h"

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

json body_schema(const Route& route) {
  if (route.body_schema.starts_with('{')) return json::parse(route.body_schema);
  return reference(route.body_schema);
}

json parameter(std::string_view name, std::string_view in, bool required, std::string_view type) {
  return {{"name", name}, {"in", in}, {"required", required}, {"schema", {{"type", type}}}};
}

json parameters(const Route& route) {
  json list = json::array();
  if (const std::string_view name = variable_of(route); !name.empty()) {
    list.push_back(parameter(name, "path", true, "string"));
  }
  for (const std::string_view name : route.query) {
    list.push_back(parameter(name, "query", false, "string"));
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

json success(const Route& route) {
  json schema = json::object();
  if (route.action == Action::kStream || route.action == Action::kEvents ||
      route.action == Action::kMetrics) {
    schema["type"] = "string";
  } else {
    schema["type"] = "object";
  }
  if (route.engine_method == "resources.add") schema = reference("resource");
  if (route.engine_method == "resources.list") {
    schema = {
        {"type", "object"},
        {"required", {"resources"}},
        {"properties", {{"resources", {{"type", "array"}, {"items", reference("resource")}}}}}};
  }
  return {{"description", "Success"}, {"content", content(media_type(route.action), schema)}};
}

json operation(const Route& route) {
  json made{{"summary", route.summary}};
  made["responses"]["200"] = success(route);
  made["responses"]["default"] = {{"description", "Failure"},
                                  {"content", content("application/json", reference("error"))}};
  if (json list = parameters(route); !list.empty()) made["parameters"] = std::move(list);
  if (!route.body_schema.empty()) {
    made["requestBody"] = {{"required", route.body == Body::kRequired},
                           {"content", content("application/json", body_schema(route))}};
  }
  return made;
}

std::string lower(std::string_view method) {
  std::string out(method);
  for (char& c : out) c = static_cast<char>(c | 0x20);
  return out;
}

}  // namespace

std::string openapi_document(std::string_view schemas) {
  json document{{"openapi", "3.1.0"},
                {"info", {{"title", "Quarry"}, {"version", kInterfaceVersion}}}};
  for (const Route& route : routes()) {
    document["paths"][std::string(route.path)][lower(route.method)] = operation(route);
  }
  json components = json::parse(schemas, nullptr, false);
  if (!components.is_object()) components = json::object();
  for (const char* name : {"resource", "question"}) {
    if (!components.contains(name)) components[name] = {{"type", "object"}};
  }
  components["error"] = error_schema();
  document["components"]["schemas"] = std::move(components);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace quarry::rest
