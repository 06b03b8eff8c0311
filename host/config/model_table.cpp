#include "config/model_table.h"

#include "base/schema.h"
#include "base/text.h"
#include "config/keys.h"

#include <algorithm>
#include <set>

namespace quarry::config {
namespace {

bool is_instance_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !name.empty() && plain(name.front()) && name != "auto" &&
         std::ranges::all_of(name, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

/// Names of the own keys that begin with `prefix`, without it and without tables in between.
std::set<std::string, std::less<>> members_of(std::string_view prefix) {
  std::set<std::string, std::less<>> out;
  for (const Key& key : own_keys()) {
    if (!key.name.starts_with(prefix)) continue;
    const std::string rest = key.name.substr(prefix.size());
    if (rest.find('.') == std::string::npos) out.insert(rest);
  }
  return out;
}

const Json* model_of(const Json& root) {
  const auto found = root.find("model");
  return found != root.end() && found->is_object() ? &*found : nullptr;
}

}  // namespace

bool is_own_model_key(std::string_view key) {
  static const auto keys = members_of("model.");
  return keys.contains(key);
}

std::string own_model_key_like(std::string_view key) {
  if (key == "model") return "name";
  const auto keys = members_of("model.");
  return nearest(key, std::vector<std::string>(keys.begin(), keys.end())).value_or("");
}

void name_own_model_keys(std::vector<FieldError>& mistakes) {
  for (FieldError& mistake : mistakes) {
    const bool is_unknown = mistake.message.starts_with("is not known");
    if (!is_unknown || mistake.message.contains("did you mean")) continue;
    const std::string key = own_model_key_like(mistake.field.substr(mistake.field.rfind('/') + 1));
    if (!key.empty()) mistake.message = "is not known; did you mean \"" + key + "\"?";
  }
}

bool is_model_instance(const Json& member) {
  return member.is_object() && member.contains("provider");
}

bool is_provider_option(std::string_view key, const Json& member) {
  return !is_own_model_key(key) && !is_model_instance(member);
}

std::vector<FieldError> check_model_instances(const Json& root) {
  std::vector<FieldError> out;
  const Json* model = model_of(root);
  if (model == nullptr) return out;
  for (const auto& [name, member] : model->items()) {
    if (is_own_model_key(name) || !is_model_instance(member)) continue;
    const std::string pointer = child_pointer("/model", name);
    if (!is_instance_name(name)) {
      out.push_back(
          {pointer,
           "must be named with lower-case letters, digits, '-' and '_', and not \"auto\""});
    }
    for (const std::string& key : members_of("model.<name>.")) {
      const auto value = member.find(key);
      if (value == member.end() ||
          (value->is_string() && !value->get_ref<const std::string&>().empty()))
        continue;
      out.push_back({child_pointer(pointer, key), "must be a string that is not empty"});
    }
  }
  return out;
}

void drop_other_provider(const Json& upper, Json& root) {
  const Json* over = model_of(upper);
  const Json* under = model_of(root);
  if (over == nullptr || under == nullptr) return;
  if (!over->contains("provider") || !under->contains("provider")) return;
  if ((*over)["provider"] == (*under)["provider"]) return;
  Json kept = Json::object();
  for (const auto& [key, member] : under->items()) {
    if (key != "name" && !is_provider_option(key, member)) kept[key] = member;
  }
  root["model"] = std::move(kept);
}

}  // namespace quarry::config
