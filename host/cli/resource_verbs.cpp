#include "cli/connection.h"
#include "cli/verbs.h"

#include <filesystem>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

/// Name from the last part of a source: "docs" for "/home/me/docs", "kit" for
/// "https://x/y/kit.git".
std::string name_of(std::string source) {
  while (source.size() > 1 && source.back() == '/') source.pop_back();
  source.erase(0, source.find_last_of("/:") + 1);
  if (source.ends_with(".git")) source.erase(source.size() - 4);
  return source.substr(0, source.find('@', 1));
}

/// Value of --field: a JSON boolean or list, otherwise the text itself.
Json field_value(const std::string& text) {
  const bool literal = text == "true" || text == "false" || text.starts_with('[');
  const auto json = literal ? parse_json(text) : Result<Json>(Json(text));
  return json ? *json : Json(text);
}

/// Resource for a source alone: a folder is a local resource; plugins parse other references.
Result<Json> resource_of(Connection& connection, const Arguments& arguments) {
  Json resource = Json::object();
  std::error_code ignored;
  if (fs::is_directory(arguments.source, ignored)) {
    resource = {{"type", "local"}, {"path", fs::canonical(arguments.source, ignored).string()}};
  } else if (arguments.type.empty()) {
    const auto known =
        connection.call("resources.recognise", to_text({{"reference", arguments.source}}));
    if (!known) return known.error();
    resource = (*parse_json(*known))["resource"];
  }
  if (!arguments.type.empty()) resource["type"] = arguments.type;
  if (!arguments.name.empty()) resource["name"] = arguments.name;
  if (!resource.contains("name")) {
    resource["name"] = name_of(resource.value("path", arguments.source));
  }
  if (!arguments.refresh.empty()) resource["refresh"] = arguments.refresh;
  for (const auto& [field, value] : arguments.fields) resource[field] = field_value(value);
  return resource;
}

std::string source_of(const Json& resource) {
  for (const char* field : {"path", "url", "package"}) {
    if (resource.contains(field) && resource[field].is_string()) return resource[field];
  }
  return {};
}

}  // namespace

Result<ExitCode> run_add(Context& context) {
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto resource = resource_of(**connection, context.arguments);
  if (!resource) return resource.error();
  const auto added = (*connection)->call("resources.add", to_text(*resource));
  if (!added) return added.error();
  const Json created = *parse_json(*added);
  if (context.arguments.json) {
    context.terminal.out_json(*added);
  } else {
    context.terminal.out_line("added " + created.value("name", "") + " (" +
                              created.value("type", "") + ", " + source_of(created) + ")");
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_remove(Context& context) {
  const auto removed = call_engine(context, "resources.remove", {{"name", context.arguments.name}});
  if (!removed) return removed.error();
  if (!context.arguments.json) context.terminal.out_line("removed " + context.arguments.name);
  return ExitCode::kOk;
}

Result<ExitCode> run_resources(Context& context) {
  const auto listed = call_engine(context, "resources.list", Json::object());
  if (!listed) return listed.error();
  if (context.arguments.json) return ExitCode::kOk;
  const Json& list = *listed;
  std::size_t width = 0;
  for (const Json& resource : list["resources"]) {
    width = std::max(width, resource.value("name", "").size());
  }
  for (const Json& resource : list["resources"]) {
    std::string name = resource.value("name", "");
    name.resize(width, ' ');
    context.terminal.out_line(name + "  " + resource.value("type", "") + "  " +
                              source_of(resource));
  }
  if (list["resources"].empty()) {
    context.terminal.note("No resource is configured. Add one: quarry add <folder>");
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_clear(Context& context) {
  Json params = Json::object();
  if (!context.arguments.name.empty()) params["name"] = context.arguments.name;
  const auto cleared = call_engine(context, "cache.clear", params);
  if (!cleared) return cleared.error();
  if (!context.arguments.json) {
    context.terminal.out_line("cleared " + (*cleared)["cleared"].dump() + " snapshots");
  }
  return ExitCode::kOk;
}

}  // namespace quarry::cli
