#include "config/secrets.h"

#include "config/document.h"

#include <optional>

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

using From = SecretReference::From;

std::optional<SecretReference> reference(const Json& value) {
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const std::string& key = value.begin().key();
  const Json& what = value.begin().value();
  if (key == "env" && what.is_string()) return SecretReference{From::kEnvironment, {what}};
  if (key == "file" && what.is_string()) return SecretReference{From::kFile, {what}};
  if (key != "command" || !what.is_array() || what.empty()) return std::nullopt;
  SecretReference command{From::kCommand, {}};
  for (const Json& part : what) {
    if (!part.is_string()) return std::nullopt;
    command.what.push_back(part);
  }
  return command;
}

void walk(Json& value, const std::string& name, const std::string& pointer,
          std::map<std::string, SecretReference>& secrets, std::vector<FieldError>& mistakes) {
  if (!value.is_structured()) return;
  for (auto& [key, member] : value.items()) {  // of a list: "0", "1", …
    const std::string child = child_pointer(pointer, key);
    if (auto found = reference(member)) {
      secrets[name + "." + key] = std::move(*found);
      member = name + "." + key;
    } else if (names_a_secret(key) && !member.is_null()) {
      mistakes.push_back(
          {child, "\"" + key + "\" must be a reference, as in " + key +
                      " = { env = \"NAME\" }, { file = \"/path\" } or "
                      "{ command = [\"program\"] }; the file must not contain the secret"});
    } else {
      walk(member, name + "." + key, child, secrets, mistakes);
    }
  }
}

}  // namespace

bool is_secret_reference(const Json& value) {
  return reference(value).has_value();
}

bool names_a_secret(std::string_view name) {
  return name == "api_key" || name == "token" || name == "password" || name == "auth_token";
}

Json without_secrets(Json value, const std::string& name) {
  if (is_secret_reference(value)) return value;
  if (names_a_secret(name)) return "(left out)";
  for (auto& [key, member] : value.items()) {
    if (member.is_structured() || value.is_object()) {
      member = without_secrets(std::move(member), value.is_object() ? key : std::string());
    }
  }
  return value;
}

void take_secrets(Json& value, const std::string& prefix,
                  std::map<std::string, SecretReference>& secrets,
                  std::vector<FieldError>& mistakes) {
  walk(value, prefix, "", secrets, mistakes);
}

}  // namespace quarry::config
