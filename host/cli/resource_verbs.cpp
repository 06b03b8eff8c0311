#include "cli/connection.h"
#include "cli/verbs.h"

#include <filesystem>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

struct AddOptions {
  std::string source;   ///< folder or reference
  std::string name;     ///< empty = derived from the source
  std::string type;     ///< may be empty
  std::string refresh;  ///< may be empty
  NamedValues fields;
};

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
Result<Json> resource_of(Connection& connection, const AddOptions& options) {
  Json resource = Json::object();
  std::error_code ignored;
  if (fs::is_directory(options.source, ignored)) {
    resource = {{"type", "local"}, {"path", fs::canonical(options.source, ignored).string()}};
  } else if (options.type.empty()) {
    const auto known =
        connection.call("resources.recognise", to_text({{"reference", options.source}}));
    if (!known) return known.error();
    resource = (*parse_json(*known))["resource"];
  }
  if (!options.type.empty()) resource["type"] = options.type;
  if (!options.name.empty()) resource["name"] = options.name;
  if (!resource.contains("name")) {
    resource["name"] = name_of(resource.value("path", options.source));
  }
  if (!options.refresh.empty()) resource["refresh"] = options.refresh;
  for (const auto& [field, value] : options.fields) resource[field] = field_value(value);
  return resource;
}

std::string source_of(const Json& resource) {
  for (const char* field : {"path", "url", "package"}) {
    if (resource.contains(field) && resource[field].is_string()) return resource[field];
  }
  return {};
}

Result<ExitCode> run_add(const AddOptions& options, Context& context) {
  auto connection = connect(context);
  if (!connection) return std::move(connection).error();
  const auto resource = resource_of(**connection, options);
  if (!resource) return resource.error();
  const auto added = (*connection)->call("resources.add", to_text(*resource));
  if (!added) return added.error();
  const Json created = *parse_json(*added);
  if (context.common.json) {
    context.terminal.out_json(*added);
  } else {
    context.terminal.out_line("added " + created.value("name", "") + " (" +
                              created.value("type", "") + ", " + source_of(created) + ")");
  }
  return ExitCode::kOk;
}

Result<ExitCode> run_remove(const std::string& name, Context& context) {
  const auto removed = call_engine(context, "resources.remove", {{"name", name}});
  if (!removed) return removed.error();
  if (!context.common.json) context.terminal.out_line("removed " + name);
  return ExitCode::kOk;
}

Result<ExitCode> run_resources(Context& context) {
  const auto listed = call_engine(context, "resources.list", Json::object());
  if (!listed) return listed.error();
  if (context.common.json) return ExitCode::kOk;
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

Result<ExitCode> run_clear(const std::string& name, Context& context) {
  Json params = Json::object();
  if (!name.empty()) params["name"] = name;
  const auto cleared = call_engine(context, "cache.clear", params);
  if (!cleared) return cleared.error();
  if (!context.common.json) {
    context.terminal.out_line("cleared " + (*cleared)["cleared"].dump() + " snapshots");
  }
  return ExitCode::kOk;
}

}  // namespace

Verb add_verb(CommonOptions& common) {
  const auto options = std::make_shared<AddOptions>();
  return {
      "add", "Add a resource to the configuration",
      with_server(
          common,
          {{"source",
            "",
            "A folder, or a reference that a plugin recognises",
            &options->source,
            {.required = true}},
           {"-n,--name", "", "Its name; default: derived from the source", &options->name},
           {"-t,--type", "", "Its type, if the source does not imply it", &options->type},
           {"--refresh", "",
            "When its source is checked for updates: always, never, or every 90s, 15m, 1h, 7d",
            &options->refresh},
           {"-f,--field", "NAME=VALUE", "Set a field, as in searchPath=docs", &options->fields}}),
      [options](Context& context) { return run_add(*options, context); }};
}

Verb remove_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"remove", "Remove a resource from the configuration",
          with_server(common, {{"name", "", "Its name", name.get(), {.required = true}}}),
          [name](Context& context) { return run_remove(*name, context); }};
}

Verb resources_verb(CommonOptions& common) {
  return {"resources", "List the resources", with_server(common), run_resources};
}

Verb clear_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"clear", "Remove cached snapshots not in use",
          with_server(common, {{"name", "", "Only those of this resource", name.get()}}),
          [name](Context& context) { return run_clear(*name, context); }};
}

}  // namespace quarry::cli
