#include "engine/resource_types.h"

#include "base/file.h"
#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "plugins/component_schema.h"
#include "plugins/unavailable_type.h"

#include <quarry/resource.h>

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

namespace quarry::engine {
namespace {

std::string how_to_set(const std::string& field) {
  return "as in " + field + " = { env = \"NAME\" }";
}

/// load() replaces a reference by this name; another name could be that of another secret.
bool is_secret_named(const config::Config& config, const std::string& name, const Json& value) {
  return value == name && config.secrets.contains(name);
}

/// A secret, or a list of them.
bool is_own_secret(const config::Config& config, const std::string& name, const Json& value) {
  if (!value.is_array()) return is_secret_named(config, name, value);
  std::size_t place = 0;
  return std::ranges::all_of(value, [&](const Json& item) {
    return is_secret_named(config, name + "." + std::to_string(place++), item);
  });
}

/// The type `name`, which a plugin of `manifests` offers and could not make because of `why`.
void add_unusable(std::span<const plugins::Manifest> manifests, const std::string& name,
                  const Error& why, plugins::ResourceTypes& out) {
  for (const plugins::Manifest& manifest : manifests) {
    const auto* component = plugins::find_component(manifest, QUARRY_RESOURCE, name);
    if (component == nullptr) continue;
    out.emplace(name, plugins::unavailable_type(manifest, *component, why));
    return;
  }
  out.emplace(name, plugins::missing_type(name, why));
}

/// The error of a type that no plugin offers, at the place where `resource` names it.
Error missing(const config::Resource& resource, plugins::Registry& registry) {
  Error why = Error(registry.make_resource_type(resource.type, "{}").error()).tagged("ConfigError");
  const auto place = resource.fields.places.find("/type");
  return place == resource.fields.places.end() ? why : std::move(why).in(place->second.text());
}

}  // namespace

std::string configuration_of(const config::Config& config, const config::Table& table,
                             ActsFor acts_for) {
  Json out = *parse_json(table.json);
  out.erase("acts_for");
  if (acts_for == ActsFor::kProjects) out["acts_for"] = "project";
  if (config.local_roots || acts_for == ActsFor::kProjects) {
    out["local_roots"] = Json::array();
    for (const auto& root : config.local_roots.value_or(std::vector<std::filesystem::path>())) {
      out["local_roots"].push_back(root.string());
    }
  }
  return to_text(out);
}

Status check_table(std::span<const plugins::Manifest> manifests, const std::string& name,
                   const config::Table& table) {
  for (const plugins::Manifest& manifest : manifests) {
    const auto* component = plugins::find_component(manifest, QUARRY_RESOURCE, name);
    if (component == nullptr || component->configuration_schema_file.empty()) continue;
    auto schema = plugins::read_schema(manifest, component->configuration_schema_file);
    if (!schema) return std::move(schema).error().in("resource type " + name);
    if (auto usable = plugins::check_table_schema(*schema); !usable) {
      return std::move(usable).error().in("resource type " + name);
    }
    auto mistakes = mistakes_by(*schema, *parse_json(table.json), Schema::Unknown::kRefuse);
    if (!mistakes) return std::move(mistakes).error().in("resource type " + name);
    if (!mistakes->empty()) return invalid("", "ConfigError", std::move(*mistakes));
  }
  return {};
}

Result<plugins::ResourceTypes> make_resource_types(const config::Config& config,
                                                   plugins::Registry& registry,
                                                   std::vector<std::string>& problems,
                                                   ActsFor acts_for,
                                                   const plugins::ResourceTypes* among) {
  plugins::ResourceTypes out;
  if (among != nullptr) {
    std::ranges::copy_if(*among, std::inserter(out, out.end()),
                         [](const auto& type) { return type.second->unusable() != nullptr; });
  }
  const std::vector<std::string> names = registry.names(QUARRY_RESOURCE);
  for (const std::string& name : names) {
    if (out.contains(name)) continue;
    const auto found = config.resource_types.find(name);
    const config::Table table =
        found == config.resource_types.end() ? config::Table() : found->second;
    const Status right = check_table(registry.plugins(), name, table);
    auto type = right ? registry.make_resource_type(name, configuration_of(config, table, acts_for))
                      : Result<std::shared_ptr<plugins::ResourceType>>(right.error());
    if (type) {
      out.emplace(name, std::move(*type));
    } else if (!type.error().details.empty() && !table.places.empty()) {
      return config::at_places(std::move(type).error().tagged("ConfigError"), table);
    } else {
      add_unusable(registry.plugins(), name, type.error(), out);
      problems.push_back(with_hint(*out.at(name)->unusable()));
    }
  }
  for (const plugins::UnusablePlugin& plugin : registry.unusable()) {
    for (const auto& component : plugin.manifest.components) {
      if (component.kind != QUARRY_RESOURCE || out.contains(component.name)) continue;
      out.emplace(component.name,
                  plugins::unavailable_type(plugin.manifest, component, plugin.why));
    }
  }
  for (const config::Resource& resource : config.resources) {
    if (out.contains(resource.type)) continue;
    Error why = missing(resource, registry);
    problems.push_back(with_hint(why));
    out.emplace(resource.type, plugins::missing_type(resource.type, std::move(why)));
  }
  for (const auto& [name, table] : config.resource_types) {
    if (out.contains(name) || std::ranges::find(names, name) != names.end()) continue;
    const auto place = table.places.find("");
    const auto near = nearest(name, names);
    problems.push_back(
        (place == table.places.end() ? "" : place->second.text() + ": ") +
        "no plugin offers the type of resource \"" + name + "\"; " +
        (near ? "did you mean \"" + *near + "\"?" : "there are: " + join(names, ", ")));
  }
  return out;
}

Json file_schema(const plugins::ResourceType& type) {
  const auto own = parse_json(type.describe().schema);
  Json schema = own && own->is_object() ? *own : Json::object();
  const Json common = *parse_json(kResourceSchema);
  schema["type"] = "object";
  // A field of the type stays, so that a member that every resource gets later does not hide it.
  for (const auto& [field, rule] : common["properties"].items()) {
    schema["properties"].emplace(field, rule);
  }
  schema["properties"]["type"] = {{"const", type.describe().type}};
  Json required = schema.value("required", Json::array());
  for (const char* field : {"type", "name"}) {
    if (std::find(required.begin(), required.end(), field) == required.end()) {
      required.push_back(field);
    }
  }
  schema["required"] = required;
  return schema;
}

bool is_secret(const Json& rule) {
  return rule.is_object() && rule.value("writeOnly", Json(false)) == true;
}

Json wire_schema(Json schema) {
  Json kept = Json::object();
  for (const auto& [field, rule] : schema["properties"].items()) {
    if (!is_secret(rule)) kept[field] = rule;
  }
  schema["properties"] = kept;
  std::erase_if(schema["required"].get_ref<Json::array_t&>(),
                [&](const Json& field) { return !kept.contains(field.get<std::string>()); });
  return schema;
}

std::vector<FieldError> secrets_on_the_wire(const Json& resource, const Json& schema) {
  std::vector<FieldError> out;
  for (const auto& [field, rule] : schema["properties"].items()) {
    const auto given = resource.find(field);
    if (!is_secret(rule) || given == resource.end() || given->is_null()) continue;
    out.push_back(
        {child_pointer("", field),
         "is a secret, which is never sent: set it in quarry.toml, " + how_to_set(field)});
  }
  return out;
}

std::vector<FieldError> plain_secrets(const config::Config& config,
                                      const config::Resource& resource, const Json& fields,
                                      const Json& schema) {
  std::vector<FieldError> out;
  for (const auto& [field, rule] : schema["properties"].items()) {
    const auto given = fields.find(field);
    if (!is_secret(rule) || given == fields.end()) continue;
    if (is_own_secret(config, "resource." + resource.name + "." + field, *given)) continue;
    out.push_back(
        {child_pointer("", field), "must be a reference, " + how_to_set(field) +
                                       ", { file = \"/path\" } or { command = [\"program\"] }"});
  }
  return out;
}

}  // namespace quarry::engine
