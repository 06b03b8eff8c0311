#include "config/environment.h"

#include "base/text.h"
#include "config/keys.h"

#include <cctype>

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

constexpr std::string_view kPrefix = "QUARRY_";

/// True if the table `rule` may have `key` itself, not only tables that hold keys.
bool may_have(const Json& rule, const std::string& key) {
  if (rule.value("type", Json()) != "object") return false;
  if (rule.contains("properties") && rule["properties"].contains(key)) return true;
  const auto others = rule.find("additionalProperties");
  return others == rule.end() || others->value("type", Json()) != "object";
}

void collect(const Json& value, std::set<std::string, std::less<>>& out) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.size() == 1 && value.contains("env") && value["env"].is_string()) {
    out.insert(value["env"].get<std::string>());
    return;
  }
  for (const Json& member : value) collect(member, out);
}

}  // namespace

Result<std::string> key_of_variable(std::string_view variable) {
  if (!variable.starts_with(kPrefix) || variable.ends_with("_DIR")) return std::string();
  std::string name = to_lower(variable.substr(kPrefix.size()));
  const Json& keys = whole_schema()["properties"];
  if (keys.contains(name) && keys[name].value("type", Json()) != "object") return name;
  std::string table;  // the longest that matches: resource_type, not resource
  for (const auto& [candidate, rule] : keys.items()) {
    if (name.starts_with(candidate + "_") && candidate.size() > table.size()) table = candidate;
  }
  if (table.empty()) return std::string();
  const std::string key = name.substr(table.size() + 1);
  if (may_have(keys[table], key)) return table + "." + key;
  const bool is_list = keys[table].value("type", Json()) != "object";
  return Error{
      Code::kInvalidArgument, "a variable cannot set a key inside a table of \"" + table + "\"",
      is_list ? "Use a file." : "Use a file, or --set " + table + ".<name>.<key>=<value>."};
}

std::string variable_of(std::string_view key) {
  std::string out(kPrefix);
  for (const char c : key) {
    out += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const auto set = key_of_variable(out);
  return set && *set == key ? out : std::string();
}

std::set<std::string, std::less<>> referenced_variables(const Json& configuration) {
  std::set<std::string, std::less<>> out;
  collect(configuration, out);
  return out;
}

}  // namespace quarry::config
