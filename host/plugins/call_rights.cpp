#include "plugins/call_rights.h"

#include "base/text.h"
#include "base/url_host.h"
#include "plugins/compose.h"
#include "services/egress_policy.h"

#include <quarry/percent.hpp>

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

/// Calls `add` with each text at `field`: a string, or the strings of an array.
template <class Add>
void each_text(const Json& object, const std::string& field, const Add& add) {
  const Json* const value = value_at(object, field);
  if (value == nullptr) return;
  if (value->is_string()) add(value->get_ref<const std::string&>());
  if (!value->is_array()) return;
  for (const Json& member : *value) {
    if (member.is_string()) add(member.get_ref<const std::string&>());
  }
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_part_of_host(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '.';
}

/// True if a host ends before `rest`, or before the dot of the root there.
bool ends_before(std::string_view rest) {
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return rest.empty() || !is_part_of_host(rest.front());
}

/// True if `host` stands in `lower`, in lower case, and not as a part of a longer name.
bool stands_in(std::string_view lower, const std::string& host) {
  for (auto at = lower.find(host); at != lower.npos; at = lower.find(host, at + 1)) {
    if ((at == 0 || !is_part_of_host(lower[at - 1])) && ends_before(lower.substr(at + host.size())))
      return true;
  }
  return false;
}

/// True if `text` names the host, in any case, perhaps percent-encoded in the query of a URL.
bool is_named(const std::string& host, std::string_view text) {
  const auto decoded = from_percent_encoded(text);
  return stands_in(to_lower(text), host) || (decoded && stands_in(to_lower(*decoded), host));
}

}  // namespace

Status check_named(const Permissions& permissions, const services::CallRights& held,
                   std::string_view given, const Json& answered) {
  const services::CallRights named = rights_in(permissions, answered);
  for (const auto& name : named.secrets) {
    if (name.empty() || contains(held.secrets, name)) continue;
    return Error(Code::kInternal,
                 compose("the plugin wrote the name of the secret \"{}\" into a resource", name));
  }
  for (const auto& host : named.hosts) {
    const auto matches = [&](const auto& pattern) { return services::host_matches(pattern, host); };
    if (contains(held.hosts, host) || std::ranges::any_of(permissions.hosts, matches) ||
        is_named(host, given)) {
      continue;
    }
    return Error(
        Code::kInternal,
        compose("the plugin wrote the host \"{}\" into a resource that does not name it", host),
        compose("the plugin's author lists \"{}\" in hosts of plugin.toml", host));
  }
  return {};
}

/// In an array the library throws for a part that is no place of 64 bits, even one that is empty.
const Json* value_at(const Json& object, const std::string& field) {
  try {
    const Json::json_pointer pointer(field);
    return object.contains(pointer) ? &object.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

std::string host_in(std::string_view text) {
  if (text.contains("://")) return host_of_url(text);
  if (text.find('/') < text.find(':')) return {};
  if (const auto user = text.rfind('@'); user != text.npos) text.remove_prefix(user + 1);
  return to_lower(text.substr(0, text.find(':')));
}

services::CallRights rights_in(const Permissions& permissions, const Json& object) {
  services::CallRights rights;
  for (const std::string& field : permissions.secret_fields) {
    each_text(object, field, [&](const std::string& name) { rights.secrets.push_back(name); });
  }
  for (const std::string& field : permissions.host_fields) {
    each_text(object, field, [&](const std::string& text) {
      if (std::string host = host_in(text); !host.empty()) rights.hosts.push_back(std::move(host));
    });
  }
  return rights;
}

}  // namespace quarry::plugins
