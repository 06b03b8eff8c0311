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

Verb clear_verb(CommonOptions& common) {
  const auto name = std::make_shared<std::string>();
  return {"clear", "Remove cached snapshots not in use",
          with_server(common, {{"name", "", "Only those of this resource", name.get()}}),
          [name](Context& context) { return run_clear(*name, context); }};
}

}  // namespace quarry::cli
