#include "resource-git/fields.h"
#include "resource-git/source.h"
#include "schema.json.h"

#include <quarry/plugin.hpp>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using quarry::Outcome;
using quarry::resource_git::Settings;

class GitRepository {
 public:
  static Outcome<std::unique_ptr<GitRepository>> create(quarry::Host host,
                                                        std::string_view configuration) {
    auto settings = quarry::resource_git::read_settings(configuration);
    if (!settings) return settings.failure();
    return std::make_unique<GitRepository>(host, std::move(*settings));
  }
  GitRepository(quarry::Host host, Settings settings)
      : settings_(settings), source_(host, settings) {}

  std::string describe() {
    return Json{{"type", "git"},
                {"title", "Git repository"},
                {"schema", Json::parse(SCHEMA_JSON)},
                {"examples",
                 {"https://github.com/owner/name", "https://github.com/owner/name/tree/main/docs"}}}
        .dump();
  }
  Outcome<std::string> normalise(const quarry::Call&, std::string_view resource) {
    return quarry::resource_git::normalise(resource, settings_);
  }
  Outcome<std::string> resolve(const quarry::Call& call, std::string_view resource) {
    return source_.resolve(call, resource);
  }
  Outcome<std::string> fetch(const quarry::Call& call, std::string_view resource,
                             std::string_view version, quarry::Tree& tree) {
    return source_.fetch(call, resource, version, tree);
  }
  std::string parse_reference(std::string_view reference) {
    return quarry::resource_git::parse_reference(reference, settings_);
  }

 private:
  const Settings settings_;
  quarry::resource_git::Source source_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-git", QUARRY_VERSION, quarry::resource<GitRepository>("git"))
