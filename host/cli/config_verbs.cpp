#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "cli/connection.h"
#include "cli/verbs.h"
#include "config/config.h"
#include "plugins/registry.h"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using SchemaFile = std::string plugins::ManifestComponent::*;

/// The schema in the manifest for the component `name` of `kind`; empty if no plugin offers the
/// component, JSON null if it has no schema.
Result<std::optional<Json>> schema_of(const plugins::Found& found, std::string_view kind,
                                      std::string_view name, SchemaFile file) {
  for (const auto& manifest : found.manifests) {
    const auto* component = plugins::find_component(manifest, kind, name);
    if (component == nullptr) continue;
    auto schema = plugins::read_schema(manifest, component->*file);
    if (!schema) return std::move(schema).error();
    return std::optional<Json>(std::move(*schema));
  }
  return std::optional<Json>();
}

/// Extends the schema of a component's fields to a schema of [[resource]] tables.
Json with_common_members(Json schema) {
  const Json common = *parse_json(kResourceSchema);
  for (const auto& [name, rule] : common["properties"].items()) schema["properties"][name] = rule;
  return schema;
}

std::vector<std::string> names_of(const plugins::Found& found, std::string_view kind) {
  std::vector<std::string> out;
  for (const auto& manifest : found.manifests) {
    for (const auto& component : manifest.components) {
      if (component.kind == kind) out.push_back(component.name);
    }
  }
  return out;
}

Error unknown_component(std::string_view what, const std::string& name,
                        const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  return {Code::kNotFound,
          "no plugin offers the " + std::string(what) + " \"" + name + "\"; " +
              (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(known, ", "))};
}

/// `named_at`: pointer to the component's name in the table, such as "/type" of a resource.
Status check_table(const plugins::Found& found, std::string_view kind, std::string_view what,
                   const std::string& name, const config::Table& table,
                   std::string_view named_at = {},
                   SchemaFile file = &plugins::ManifestComponent::schema_file) {
  auto schema = schema_of(found, kind, name, file);
  if (!schema) return std::move(schema).error();
  if (!*schema) {
    Error error = unknown_component(what, name, names_of(found, kind));
    error.details = {{std::string(named_at), error.message}};
    return config::at_places(std::move(error), table);
  }
  if ((*schema)->is_null()) return {};
  if (named_at == "/type") **schema = with_common_members(std::move(**schema));
  const auto compiled = Schema::compile(**schema);
  if (!compiled) return compiled.error();
  auto mistakes = compiled->check(*parse_json(table.json), Schema::Unknown::kRefuse);
  if (mistakes.empty()) return {};
  return config::at_places(invalid("", "ConfigError", std::move(mistakes)), table);
}

Status check_model(const plugins::Found& found, const std::string& provider,
                   const config::Table& options) {
  return check_table(found, "quarry.model/1", "model provider", provider, options, "/provider");
}

/// The configuration for an inspecting verb; warns about files that are not read.
Result<config::Config> load_and_warn(Context& context) {
  auto config = config::load(config_sources(context.common));
  if (config) {
    for (const std::string& warning : config->warnings)
      context.terminal.note("warning: " + warning);
  }
  return config;
}

Result<ExitCode> run_config_check(Context& context) {
  const auto config = load_and_warn(context);
  if (!config) return config.error();
  const auto found = find_plugins(context.common);
  if (!found) return found.error();
  std::vector<Error> errors;
  const auto note = [&](const Status& status) {
    if (!status) errors.push_back(status.error());
  };
  for (const auto& resource : config->resources) {
    note(check_table(*found, "quarry.resource/1", "type of resource", resource.type,
                     resource.fields, "/type"));
  }
  for (const auto& [name, table] : config->resource_types) {
    note(check_table(*found, "quarry.resource/1", "type of resource", name, table, "",
                     &plugins::ManifestComponent::configuration_schema_file));
  }
  const std::string& chosen = config->model.provider;
  if (chosen != "auto" && !config->model.instances.contains(chosen)) {
    note(check_model(*found, chosen, config->model.options));
  }
  for (const auto& [name, instance] : config->model.instances) {
    note(check_model(*found, instance.provider, instance.options));
  }
  for (const auto& [name, table] : config->transports) {
    note(check_table(*found, "quarry.transport/1", "transport", name, table));
  }
  for (const auto& [name, table] : config->pricing) {
    note(check_table(*found, "quarry.pricing/1", "pricing catalogue", name, table));
  }
  const config::Store& store = config->store;
  if (store.provider != "none") {
    note(
        check_table(*found, "quarry.store/1", "store", store.provider, store.options, "/provider"));
  }
  for (const Error& error : errors) context.terminal.error(error);
  if (!errors.empty()) return ExitCode::kNotConfigured;
  for (const auto& file : config->files) context.terminal.out_line(file.string() + ": right");
  if (config->files.empty()) context.terminal.out("no configuration file; the defaults apply\n");
  return ExitCode::kOk;
}

Result<ExitCode> run_config_show(Context& context) {
  if (const auto config = load_and_warn(context); !config) return config.error();
  const auto shown = config::show(config_sources(context.common));
  if (!shown) return shown.error();
  context.terminal.out(*shown);
  return ExitCode::kOk;
}

Result<ExitCode> run_config_path(Context& context) {
  const auto config = load_and_warn(context);
  if (!config) return config.error();
  context.terminal.out_line(config->writable_file.string());
  for (auto file = config->files.rbegin(); file != config->files.rend(); ++file) {
    if (*file != config->writable_file) context.terminal.out_line(file->string());
  }
  return ExitCode::kOk;
}

}  // namespace

Result<plugins::Found> find_plugins(const CommonOptions& common) {
  const auto config = config::load(config_sources(common));
  if (!config) return config.error();
  std::vector<std::filesystem::path> directories{own_plugin_directory()};
  directories.insert(directories.end(), config->plugins.path.begin(), config->plugins.path.end());
  return plugins::find_plugins(directories);
}

Verb config_verb(CommonOptions&) {
  return {"config", "Inspect the configuration", {}};
}

Verb config_check_verb(CommonOptions&) {
  return {"config check", "Check every file; loads no plugin", {}, run_config_check};
}

Verb config_show_verb(CommonOptions&) {
  return {"config show", "Print the effective configuration, without secrets", {}, run_config_show};
}

Verb config_path_verb(CommonOptions&) {
  return {
      "config path", "Print the files that are read, the writable one first", {}, run_config_path};
}

}  // namespace quarry::cli
