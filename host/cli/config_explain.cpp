#include "cli/config_explain.h"

#include "base/schema.h"
#include "base/text.h"
#include "cli/key_text.h"
#include "cli/text_table.h"
#include "config/environment.h"
#include "config/secrets.h"

#include <algorithm>

namespace quarry::cli {
namespace {

/// The last part of a dotted name.
std::string member_of(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

/// `value` as TOML without any secret.
std::string shown(const ConfigKey& key, const Json& value) {
  const bool is_secret = key.schema.value("writeOnly", false);
  if (is_secret && !config::is_secret_reference(value)) return "(left out)";
  return config::to_toml(config::without_secrets(value, member_of(key.name)));
}

Json value_at(const ConfigKey& key, const std::string& pointer, const config::Document& merged) {
  const Json::json_pointer at(pointer);
  if (!merged.root.contains(at)) return nullptr;
  Json out = {{"value", shown(key, merged.root[at])}};
  const auto place = merged.places.find(pointer);
  if (place == merged.places.end()) return out;
  out["source"] = place->second.file.string();
  if (place->second.line == 0) return out;
  out["line"] = place->second.line;
  out["column"] = place->second.column;
  return out;
}

/// True if the key's definition is that of the table, which "*" in its pointer stands for.
bool concerns(const ConfigKey& key, const Json& table) {
  if (!table.is_object()) return false;
  if (key.pointer.starts_with("/model/")) return table.contains("provider");
  return key.component.empty() || !table.contains("type") || table["type"] == key.component;
}

/// Values of the key in every table that "*" in its pointer stands for, with the table's name.
Json values_in_tables(const ConfigKey& key, const config::Document& merged) {
  Json out = Json::array();
  const std::size_t star = key.pointer.find("/*");
  const std::string tables = key.pointer.substr(0, star);
  if (!merged.root.contains(Json::json_pointer(tables))) return out;
  for (const auto& [name, table] : merged.root[Json::json_pointer(tables)].items()) {
    if (!concerns(key, table)) continue;
    Json value = value_at(key, child_pointer(tables, name) + key.pointer.substr(star + 2), merged);
    if (value.is_null()) continue;
    value["of"] = table.value("name", Json()).is_string() && tables == "/resource"
                      ? table["name"].get<std::string>()
                      : name;
    out.push_back(std::move(value));
  }
  return out;
}

Json values_of(const ConfigKey& key, const config::Inspection& read) {
  if (key.pointer.find("/*") != std::string::npos) return values_in_tables(key, read.merged);
  Json value = value_at(key, key.pointer, read.merged);
  return value.is_null() ? Json::array() : Json::array({std::move(value)});
}

std::string source_text(const Json& value) {
  std::string out = value.value("source", "");
  if (value.contains("line")) {
    out += ":" + value["line"].dump() + ":" + value["column"].dump();
  }
  return out;
}

/// "default", or "not set" where there is none.
std::string unset_text(const ConfigKey& key) {
  const bool has_default =
      key.schema.contains("default") || key.schema.contains("defaultDescription");
  return has_default && !key.required ? "default" : "not set";
}

std::string source_texts(const ConfigKey& key, const Json& values) {
  if (values.empty()) return unset_text(key);
  std::vector<std::string> out;
  for (const Json& value : values) out.push_back(source_text(value));
  return join(out, ", ");
}

/// "[model] with provider = `a`, `b`": the words before the providers once.
std::string table_text(const std::vector<std::string>& tables) {
  std::string out = tables.front();
  const std::size_t equals = out.find(" = ");
  const std::size_t words = equals == std::string::npos ? 0 : equals + 3;
  for (std::size_t i = 1; i < tables.size(); ++i) out += ", " + tables[i].substr(words);
  return out;
}

/// A variable holds neither a table nor a secret that must be a reference.
std::string variable_of(const ConfigKey& key) {
  const bool is_table = key.schema.value("type", Json()) == "object";
  if (is_table || config::names_a_secret(member_of(key.name))) return {};
  return config::variable_of(key.name);
}

using Rows = std::vector<std::vector<std::string>>;

std::string block(const ConfigKey& key, const std::vector<std::string>& tables, const Json& all) {
  Rows rows = {{"  type", plain_text(all["type"].get<std::string>())},
               {"  default", plain_text(all["default"].get<std::string>())}};
  for (const Json& value : all["values"]) {
    const std::string of = value.contains("of") ? value.value("of", "") + ": " : "";
    rows.push_back({"  value", of + value.value("value", "") + "  # " + source_text(value)});
  }
  if (all["values"].empty()) rows.push_back({"  value", unset_text(key)});
  if (all.contains("environment")) rows.push_back({"  environment", all["environment"]});
  rows.push_back({"  untrusted project file", trust_text(all.value("untrusted", ""))});
  rows.push_back({"  table", plain_text(table_text(tables))});
  return key.name + ": " + plain_text(all["description"].get<std::string>()) + "\n\n" +
         text_table(std::move(rows), {false, false});
}

/// Keys with equal definitions, side by side.
std::vector<std::vector<ConfigKey>> grouped_by_definition(const std::vector<ConfigKey>& keys) {
  std::vector<std::vector<ConfigKey>> out;
  for (const ConfigKey& key : keys) {
    const auto same = std::ranges::find_if(out, [&](const auto& group) {
      return group[0].name == key.name && group[0].schema == key.schema &&
             group[0].required == key.required;
    });
    if (same == out.end()) {
      out.push_back({key});
    } else {
      same->push_back(key);
    }
  }
  return out;
}

}  // namespace

Json explanation(const ConfigKey& key, const config::Inspection& read) {
  Json out = {{"key", key.name},
              {"table", key.table},
              {"type", type_text(key.schema)},
              {"default", default_text(key.schema, key.required)},
              {"description", key.schema.value("description", "")},
              {"values", values_of(key, read)}};
  if (const std::string variable = variable_of(key); !variable.empty()) {
    out["environment"] = variable;
  }
  if (key.schema.contains("untrusted")) out["untrusted"] = key.schema["untrusted"];
  return out;
}

std::string explanation_text(const std::vector<ConfigKey>& keys, const config::Inspection& read) {
  std::string out;
  for (const auto& group : grouped_by_definition(keys)) {
    std::vector<std::string> tables;
    for (const ConfigKey& key : group) tables.push_back(key.table);
    out += (out.empty() ? "" : "\n") + block(group[0], tables, explanation(group[0], read));
  }
  return out;
}

std::string key_table(const std::vector<ConfigKey>& keys, const config::Inspection& read) {
  Rows rows = {{"KEY", "TYPE", "DEFAULT", "SOURCE"}};
  for (const auto& group : grouped_by_definition(keys)) {
    const Json all = explanation(group[0], read);
    rows.push_back({group[0].name, plain_text(all["type"].get<std::string>()),
                    plain_text(all["default"].get<std::string>()),
                    source_texts(group[0], all["values"])});
  }
  return text_table(std::move(rows), {false, false, false, false});
}

}  // namespace quarry::cli
