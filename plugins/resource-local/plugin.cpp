#include "resource-local/folders.h"
#include "schema.json.h"

#include <quarry/plugin.hpp>

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using quarry::Outcome;
using quarry::resource_local::check_folder;

std::string path_of(std::string_view resource) {
  return Json::parse(resource).at("path").get<std::string>();
}

class LocalFolder {
 public:
  static Outcome<std::unique_ptr<LocalFolder>> create(quarry::Host,
                                                      std::string_view configuration) {
    const char* home = std::getenv("HOME");
    auto policy = quarry::resource_local::read_policy(configuration, home != nullptr ? home : "/");
    if (!policy) return policy.failure();
    return std::make_unique<LocalFolder>(std::move(*policy));
  }
  explicit LocalFolder(quarry::resource_local::Policy policy) : policy_(std::move(policy)) {}

  std::string describe() {
    return Json{{"type", "local"},
                {"title", "Local folder"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"examples", {"./docs", "~/projects/site", "/srv/handbook"}},
                {"inPlace", true}}
        .dump();
  }

  Outcome<std::string> normalise(const quarry::Call&, std::string_view text) {
    Json resource = Json::parse(text);
    const auto folder = check_folder(path_of(text), policy_);
    if (!folder) return folder.failure();
    resource["path"] = folder->string();
    return resource.dump();
  }

  /// Checks the policy again each time, since the path may now lead elsewhere.
  Outcome<std::string> resolve(const quarry::Call&, std::string_view resource) {
    const auto folder = check_folder(path_of(resource), policy_);
    if (!folder) return folder.failure();
    return Json{{"id", "in-place"}, {"immutable", false}, {"display", folder->string()}}.dump();
  }

  Outcome<std::string> fetch(const quarry::Call&, std::string_view resource, std::string_view,
                             quarry::Tree& tree) {
    const auto folder = check_folder(path_of(resource), policy_);
    if (!folder) return folder.failure();
    static_cast<void>(tree.use_in_place(folder->string()));
    return std::string("{}");
  }

  std::string parse_reference(std::string_view reference) {
    const auto folder = quarry::resource_local::folder_of_reference(reference, policy_);
    if (!folder) return "null";
    const Json resource{{"path", folder->string()}};
    return Json{{"resource", resource}, {"confidence", 80}}.dump();
  }

 private:
  quarry::resource_local::Policy policy_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-local", QUARRY_VERSION, quarry::resource<LocalFolder>("local"))
