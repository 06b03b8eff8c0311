#include "resource-local/file.h"
#include "resource-local/folders.h"
#include "schema.json.h"

#include <quarry/plugin.hpp>

#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using quarry::Outcome;
using quarry::resource_local::check_path;
using quarry::resource_local::File;

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
                {"title", "Local folder or file"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"examples", {"./docs", "~/projects/site", "/srv/handbook"}},
                {"inPlace", true}}
        .dump();
  }

  Outcome<std::string> normalise(const quarry::Call&, std::string_view text) {
    Json resource = Json::parse(text);
    const auto path = check_path(path_of(text), policy_);
    if (!path) return path.failure();
    resource["path"] = path->string();
    return resource.dump();
  }

  /// Checks the policy again each time, since the path may now lead elsewhere.
  Outcome<std::string> resolve(const quarry::Call&, std::string_view resource) {
    const auto path = check_path(path_of(resource), policy_);
    if (!path) return path.failure();
    if (std::filesystem::is_directory(*path)) {
      return Json{{"id", "in-place"}, {"immutable", false}, {"display", path->string()}}.dump();
    }
    const auto file = File::open(*path);
    if (!file) return file.failure();
    return Json{{"id", file->version()}, {"immutable", true}, {"display", path->string()}}.dump();
  }

  Outcome<std::string> fetch(const quarry::Call&, std::string_view resource, std::string_view,
                             quarry::Tree& tree) {
    const auto path = check_path(path_of(resource), policy_);
    if (!path) return path.failure();
    if (std::filesystem::is_directory(*path)) {
      static_cast<void>(tree.use_in_place(path->string()));
      return std::string("{}");
    }
    const auto file = File::open(*path);
    if (!file) return file.failure();
    if (auto failure = file->add_to(tree)) return *failure;
    return std::string("{}");
  }

  std::string parse_reference(std::string_view reference) {
    const auto path = quarry::resource_local::path_of_reference(reference, policy_);
    if (!path) return "null";
    const Json resource{{"path", path->string()}};
    return Json{{"resource", resource}, {"confidence", 80}}.dump();
  }

 private:
  quarry::resource_local::Policy policy_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-local", QUARRY_VERSION, quarry::resource<LocalFolder>("local"))
