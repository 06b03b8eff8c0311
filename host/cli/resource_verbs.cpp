#include "base/text.h"
#include "cli/connection.h"
#include "cli/type_schemas.h"
#include "cli/verbs.h"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

Result<ExitCode> run_remove(const std::string& name, Context& context) {
  const auto removed = call_engine(context, "resources.remove", {{"name", name}});
  if (!removed) return removed.error();
  if (!context.common.json) context.terminal.out_line("removed " + name);
  return ExitCode::kOk;
}

void print_resources(Terminal& terminal, const Json& resources, const TypeSchemas& schemas) {
  std::size_t width = 0;
  for (const Json& resource : resources) {
    width = std::max(width, resource.value("name", "").size());
  }
  for (const Json& resource : resources) {
    std::string name = resource.value("name", "");
    name.resize(width, ' ');
    terminal.out_line(name + "  " + resource.value("type", "") + "  " +
                      join(schemas.sources_of(resource), " "));
  }
}

Result<ExitCode> run_resources(Context& context) {
  const auto connection = connect(context);
  if (!connection) return connection.error();
  const auto listed = (*connection)->call("resources.list", "{}");
  if (!listed) return listed.error();
  if (context.common.json) {
    context.terminal.out_json(*listed);
    return ExitCode::kOk;
  }
  const Json resources = (*parse_json(*listed))["resources"];
  print_resources(context.terminal, resources, TypeSchemas(**connection));
  if (resources.empty()) {
    context.terminal.note("No resource is configured. Add one: quarry add <folder>");
  }
  return ExitCode::kOk;
}

void print_resource(Terminal& terminal, const Json& resource) {
  terminal.out_line(resource.value("name", "") + "  " + resource.value("type", "") + "  " +
                    resource.value("display", ""));
  if (resource.contains("folder")) terminal.out_line("folder: " + resource.value("folder", ""));
  terminal.out_line("files: " + resource["files"].dump());
  for (const Json& note : resource["notes"]) {
    terminal.out_line("note: " + note.get<std::string>());
  }
}

/// One rule: the entries that it leaves out, and some of them.
std::string left_out_line(const Json& row) {
  const std::uint64_t entries = row["entries"];
  const Json& examples = row["examples"];
  std::string line = std::to_string(entries) + (entries == 1 ? " entry" : " entries") +
                     " left out by " + row.value("rule", "") + ":";
  for (const Json& path : examples) line += " " + path.get<std::string>();
  return entries > examples.size() ? line + " …" : line;
}

Result<ExitCode> run_show(const std::string& name, bool ignored, Context& context) {
  const auto connection = connect(context);
  if (!connection) return connection.error();
  const auto text = call_with_progress(context, **connection, "resources.show", {{"name", name}});
  if (!text) return text.error();
  if (context.common.json) {
    context.terminal.out_json(*text);
    return ExitCode::kOk;
  }
  const auto shown = parse_json(*text);
  if (!shown) return shown.error();
  print_resource(context.terminal, *shown);
  const Json& rows = (*shown)["leftOut"];
  if (ignored) {
    for (const Json& row : rows) context.terminal.out_line(left_out_line(row));
    if (rows.empty()) context.terminal.note("No rule leaves anything out.");
  } else if (!rows.empty()) {
    context.terminal.note("Rules leave out some entries: quarry resources show " + name +
                          " --ignored");
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

Verb remove_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"remove", "Remove a resource from the configuration",
          with_server(common, {{"name", "", "Its name", name.get(), {.required = true}}}),
          [name](Context& context) { return run_remove(*name, context); }};
}

Verb resources_verb(CommonOptions& common) {
  return {"resources", "List the resources", with_server(common), run_resources};
}

Verb resources_list_verb(CommonOptions& common) {
  return {"resources list", "List them", with_server(common), run_resources};
}

Verb resources_show_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  const auto ignored = std::make_shared<bool>(false);
  return {
      "resources show", "Print what is read of a resource",
      with_server(common, {{"name", "", "Its name", name.get(), {.required = true}},
                           {"--ignored", "", "List the rules that leave out files of its folder",
                            ignored.get()}}),
      [name, ignored](Context& context) { return run_show(*name, *ignored, context); }};
}

Verb clear_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"clear", "Remove cached snapshots not in use",
          with_server(common, {{"name", "", "Only those of this resource", name.get()}}),
          [name](Context& context) { return run_clear(*name, context); }};
}

}  // namespace quarry::cli
