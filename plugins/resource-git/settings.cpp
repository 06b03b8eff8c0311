#include "resource-git/settings.h"

#include <nlohmann/json.hpp>

namespace quarry::resource_git {
namespace {

using Json = nlohmann::json;

Outcome<bool> read_flag(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return false;
  if (!found->is_boolean()) return field_failure(std::string("/") + name, "must be true or false");
  return found->get<bool>();
}

Outcome<std::chrono::seconds> read_timeout(const Json& json, std::chrono::seconds otherwise) {
  const auto found = json.find("timeout_seconds");
  if (found == json.end() || found->is_null()) return otherwise;
  constexpr std::int64_t kDay = 86'400;
  if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
      found->get<std::int64_t>() > kDay) {
    return field_failure("/timeout_seconds", "must be a whole number from 1 to 86400");
  }
  return std::chrono::seconds(found->get<std::int64_t>());
}

Outcome<std::map<std::string, std::string>> read_permalinks(const Json& json) {
  std::map<std::string, std::string> links;
  const auto found = json.find("permalinks");
  if (found == json.end() || found->is_null()) return links;
  if (!found->is_object()) return field_failure("/permalinks", "must be a table of templates");
  for (const auto& [host, link] : found->items()) {
    if (!link.is_string() || (!link.get_ref<const std::string&>().starts_with("https://") &&
                              !link.get_ref<const std::string&>().starts_with("http://") &&
                              !link.get_ref<const std::string&>().starts_with("{url}"))) {
      return field_failure(
          "/permalinks/" + host, "must be a link that begins with https://, http:// or {url}",
          "As in \"https://git.example.org/{repository}/blob/{version}/{path}#L{start}-L{end}\".");
    }
    links[host] = link.get<std::string>();
  }
  return links;
}

}  // namespace

Outcome<Settings> read_settings(std::string_view configuration) {
  const Json json = Json::parse(configuration, nullptr, false);
  if (!json.is_object()) {
    return Failure{QUARRY_INVALID_ARGUMENT, "the configuration must be an object", {}, {}};
  }
  Settings settings;
  const auto helpers = read_flag(json, "credential_helpers");
  const auto ssh = read_flag(json, "ssh");
  const auto timeout = read_timeout(json, settings.timeout);
  auto links = read_permalinks(json);
  if (!helpers) return helpers.failure();
  if (!ssh) return ssh.failure();
  if (!timeout) return timeout.failure();
  if (!links) return links.failure();
  const bool for_projects = json.value("acts_for", Json()) == "project";
  return Settings{*helpers && !for_projects, *ssh && !for_projects, std::move(*links), *timeout,
                  for_projects};
}

}  // namespace quarry::resource_git
