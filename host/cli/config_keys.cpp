#include "cli/config_keys.h"

#include "base/resource_schema.h"
#include "base/schema.h"
#include "base/text.h"
#include "cli/component_schemas.h"
#include "cli/exit_code.h"
#include "config/keys.h"
#include "config/trust_rules.h"

#include <quarry/draft/embedding.h>
#include <quarry/draft/rerank.h>
#include <quarry/draft/store.h>
#include <quarry/model.h>
#include <quarry/pricing.h>
#include <quarry/resource.h>
#include <quarry/transport.h>

#include <algorithm>

namespace quarry::cli {
namespace {

constexpr std::string_view kAnyName = "<name>";

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  if (const auto at = text.find(part); at != text.npos) text.replace(at, part.size(), by);
  return text;
}

/// "[model]" of "model.max_steps".
std::string table_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return dot == std::string::npos ? "Top level" : "[" + name.substr(0, dot) + "]";
}

/// Collects the keys of the host and of components.
class Keys {
 public:
  explicit Keys(const plugins::Found& found) : found_(found) {}

  std::vector<ConfigKey> run() {
    for (const config::Key& key : config::own_keys()) add_own(key);
    add_members("resource", "[[resource]]", "", *parse_json(kResourceSchema), "/resource/*");
    add_members("resource", "[[resource]]", "", *parse_json(kFileMembers), "/resource/*");
    for (const auto& manifest : found_.manifests) {
      for (const auto& component : manifest.components) add(manifest, component);
    }
    return std::move(out_);
  }

 private:
  /// A row of a component's table is there once for each component.
  void add_own(const config::Key& key) {
    const bool of_transport = key.name.starts_with("transport.");
    if (!of_transport && !key.name.starts_with("pricing.<")) {
      const bool required = key.name == "model.<name>.provider";
      out_.push_back({key.name, table_of(key.name), "", key.schema, required,
                      replaced(config::pointer_of(key.name), kAnyName, "*")});
      return;
    }
    const std::string_view kind = of_transport ? QUARRY_TRANSPORT : QUARRY_PRICING;
    for (const auto& manifest : found_.manifests) {
      for (const auto& component : manifest.components) {
        if (component.kind != kind) continue;
        const std::string name = replaced(key.name, kAnyName, component.name);
        Json schema = key.schema;
        schema["default"] = !component.opt_in;
        out_.push_back(
            {name, table_of(name), "", std::move(schema), false, config::pointer_of(name)});
      }
    }
  }

  void add(const plugins::Manifest& manifest, const plugins::ManifestComponent& component) {
    const auto schema = plugins::read_schema(manifest, component.schema_file);
    if (schema && schema->is_object()) add_table(component, *schema);
    const auto own = plugins::read_schema(manifest, component.configuration_schema_file);
    if (!own || !own->is_object()) return;
    const std::string prefix = "resource_type." + component.name;
    add_members(prefix, "[" + prefix + "]", "", *own, config::pointer_of(prefix));
  }

  void add_table(const plugins::ManifestComponent& component, const Json& schema) {
    const std::string& name = component.name;
    const std::string with_provider = " with `provider = \"" + name + "\"`";
    if (component.kind == QUARRY_TRANSPORT || component.kind == QUARRY_PRICING) {
      const std::string prefix =
          (component.kind == QUARRY_TRANSPORT ? "transport." : "pricing.") + name;
      add_members(prefix, "[" + prefix + "]", "", schema, config::pointer_of(prefix));
    } else if (component.kind == QUARRY_MODEL) {
      add_members("model", "[model]" + with_provider, name, schema, "/model");
    } else if (component.kind == QUARRY_EMBEDDING || component.kind == QUARRY_RERANK) {
      const std::string prefix =
          (component.kind == QUARRY_EMBEDDING ? "embedding." : "rerank.") + name;
      add_members(prefix, "[" + prefix + "]", "", schema, config::pointer_of(prefix));
    } else if (component.kind == QUARRY_STORE) {
      add_members("store", "[store]" + with_provider, name, schema, "/store");
    } else if (component.kind == QUARRY_RESOURCE) {
      add_members("resource." + name, "[[resource]] of type `" + name + "`", name, schema,
                  "/resource/*");
    }
  }

  /// `pointer`: of the table.
  void add_members(const std::string& prefix, const std::string& table,
                   const std::string& component, const Json& schema, const std::string& pointer) {
    const Json required = schema.value("required", Json::array());
    const bool is_resource = prefix == "resource" || prefix.starts_with("resource.");
    const Json members = schema.value("properties", Json::object());
    for (const auto& [name, rule] : members.items()) {
      ConfigKey key{prefix + "." + name, table, component, rule,
                    std::find(required.begin(), required.end(), name) != required.end()};
      key.pointer = child_pointer(pointer, name);
      if (is_resource) add_rule_of_trust(name, key.schema);
      out_.push_back(std::move(key));
    }
    add_open_members(prefix, component, schema, pointer + "/*");
  }

  /// Members of a table with any name, as in [pricing.static."<provider>/<model>"].
  void add_open_members(const std::string& prefix, const std::string& component, const Json& schema,
                        const std::string& pointer) {
    const Json members = schema.value("additionalProperties", Json());
    if (!members.is_object() || !members.contains("properties")) return;
    const std::string name =
        schema.value("propertyNames", Json::object()).value("title", std::string(kAnyName));
    const std::string inner = prefix + "." + config::to_toml_key(name);
    for (const auto& [member, rule] : members["properties"].items()) {
      out_.push_back({inner + "." + member, "[" + inner + "]", component, rule, false,
                      child_pointer(pointer, member)});
    }
  }

  /// The rule of a member common to all resources, or the field's own.
  static void add_rule_of_trust(const std::string& name, Json& schema) {
    if (const std::string own = config::rule_of_field(schema); own.empty() && schema.is_object()) {
      schema.erase("untrusted");
    }
    const Json& rules = config::whole_schema()["properties"]["resource"]["items"]["properties"];
    const auto rule = rules.find(name);
    if (rule != rules.end() && rule->contains("untrusted")) {
      schema["untrusted"] = (*rule)["untrusted"];
    }
  }

  const plugins::Found& found_;
  std::vector<ConfigKey> out_;
};

/// The definitions with this name; of `component` only, if it is not empty.
std::vector<ConfigKey> named(const std::vector<ConfigKey>& keys, const std::string& name,
                             const std::string& component = {}) {
  std::vector<ConfigKey> out;
  std::ranges::copy_if(keys, std::back_inserter(out), [&](const ConfigKey& key) {
    return key.name == name && (component.empty() || key.component == component);
  });
  return out;
}

/// "model.work.base_url": the key of a configured model.
std::vector<ConfigKey> of_instance(const std::vector<ConfigKey>& keys, const std::string& name,
                                   const config::Model& model) {
  for (const auto& [instance, fields] : model.instances) {
    const std::string prefix = "model." + instance + ".";
    if (!name.starts_with(prefix)) continue;
    const std::string member = name.substr(prefix.size());
    auto out = named(keys, "model.<name>." + member);
    if (out.empty()) out = named(keys, "model." + member, fields.provider);
    for (ConfigKey& key : out) {
      key.name = name;
      key.table = "[model." + instance + "]";
      key.pointer = child_pointer(child_pointer("/model", instance), member);
    }
    return out;
  }
  return {};
}

/// "embedding.work.base_url": the key of a configured table of `kind`.
std::vector<ConfigKey> of_retrieval(
    const std::vector<ConfigKey>& keys, const std::string& name, const std::string& kind,
    const std::map<std::string, config::RetrievalProvider>& tables) {
  for (const auto& [table, fields] : tables) {
    const std::string prefix = kind + "." + table + ".";
    if (!name.starts_with(prefix)) continue;
    const std::string member = name.substr(prefix.size());
    auto out = named(keys, kind + ".<name>." + member);
    if (out.empty()) out = named(keys, kind + "." + fields.provider + "." + member);
    for (ConfigKey& key : out) {
      key.name = name;
      key.table = "[" + kind + "." + table + "]";
      key.pointer = child_pointer(child_pointer("/" + kind, table), member);
    }
    return out;
  }
  return {};
}

/// "resource.kit.url": the key of a configured resource.
std::vector<ConfigKey> of_resource(const std::vector<ConfigKey>& keys, const std::string& name,
                                   const config::Config& config) {
  for (std::size_t i = 0; i < config.resources.size(); ++i) {
    const config::Resource& resource = config.resources[i];
    const std::string prefix = "resource." + config::to_toml_key(resource.name) + ".";
    if (!name.starts_with(prefix)) continue;
    const std::string member = name.substr(prefix.size());
    auto out = named(keys, "resource." + resource.type + "." + member);
    if (out.empty()) out = named(keys, "resource." + member);
    for (ConfigKey& key : out) {
      key.name = name;
      key.pointer = child_pointer("/resource/" + std::to_string(i), member);
    }
    return out;
  }
  return {};
}

/// "pricing.static.\"openai/x\".input": a key of a table with any name.
std::vector<ConfigKey> of_open_table(const std::vector<ConfigKey>& keys, const std::string& name) {
  for (ConfigKey key : keys) {
    const auto begin = std::min(key.name.find("\"<"), key.name.find('<'));
    if (begin == std::string::npos) continue;
    const std::string suffix = key.name.substr(key.name.rfind('.'));
    if (!name.starts_with(key.name.substr(0, begin)) || !name.ends_with(suffix)) continue;
    if (name.size() <= begin + suffix.size()) continue;
    std::string table = name.substr(begin, name.size() - begin - suffix.size());
    if (table.find('.') != std::string::npos && table.front() != '"') continue;
    std::erase(table, '"');
    key.name = name;
    key.pointer = replaced(key.pointer, "/*", child_pointer("", table));
    return {key};
  }
  return {};
}

Error unknown(std::string_view name, const std::vector<ConfigKey>& keys) {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) names.push_back(key.name);
  const auto near = nearest(name, names);
  return usage_error("there is no key \"" + std::string(name) + "\"" +
                         (near ? "; did you mean \"" + *near + "\"?" : ""),
                     "\"quarry config explain\" lists all keys.");
}

}  // namespace

std::vector<ConfigKey> list_keys(const plugins::Found& found) {
  return Keys(found).run();
}

Result<std::vector<ConfigKey>> find_key(const std::vector<ConfigKey>& keys, std::string_view name,
                                        const config::Inspection& read) {
  const std::string wanted(name);
  auto out = of_instance(keys, wanted, read.config.model);
  if (out.empty()) out = of_resource(keys, wanted, read.config);
  if (out.empty()) out = of_retrieval(keys, wanted, "embedding", read.config.embeddings);
  if (out.empty()) out = of_retrieval(keys, wanted, "rerank", read.config.rerankers);
  if (!out.empty()) return out;
  const std::string& chosen =
      wanted.starts_with("store.") ? read.config.store.provider : read.config.model.provider;
  out = named(keys, wanted, chosen);
  if (out.empty()) out = named(keys, wanted);
  if (out.empty()) out = of_open_table(keys, wanted);
  if (out.empty()) return unknown(name, keys);
  return out;
}

}  // namespace quarry::cli
