#include "plugins/call_rights.h"

#include "base/text.h"
#include "base/url_host.h"

#include <nlohmann/json.hpp>

namespace quarry::plugins {
namespace {

/// Calls `add` with each text at `field`: a string, or the strings of an array.
template <class Add>
void each_text(const Json& object, const std::string& field, const Add& add) {
  const Json::json_pointer pointer(field);
  if (!object.contains(pointer)) return;
  const Json& value = object.at(pointer);
  if (value.is_string()) add(value.get_ref<const std::string&>());
  if (!value.is_array()) return;
  for (const Json& member : value) {
    if (member.is_string()) add(member.get_ref<const std::string&>());
  }
}

}  // namespace

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
