#include "resource-npm/packages.h"
#include "resource-npm/resource.h"
#include "schema.json.h"

#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

#include <cstdlib>

namespace {

namespace npm = quarry::resource_npm;
using quarry::Outcome;

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

class NpmPackage {
 public:
  static Outcome<std::unique_ptr<NpmPackage>> create(quarry::Host host,
                                                     std::string_view configuration) {
    auto settings = npm::Settings::read(configuration);
    if (!settings) return settings.failure();
    return std::make_unique<NpmPackage>(host, std::move(*settings));
  }
  NpmPackage(quarry::Host host, npm::Settings settings)
      : packages_(host, std::move(settings), variable) {}

  std::string describe() {
    return std::string(R"({"type":"npm","title":"npm package","schema":)") + SCHEMA_JSON +
           R"(,"examples":["npm:react","npm:@types/node@^22",)"
           R"("https://www.npmjs.com/package/zod"]})";
  }
  Outcome<std::string> normalise(const quarry::Call&, std::string_view resource) {
    return packages_.normalise(resource);
  }
  Outcome<std::string> resolve(const quarry::Call& call, std::string_view resource) {
    return packages_.resolve(call, resource);
  }
  Outcome<std::string> fetch(const quarry::Call& call, std::string_view resource,
                             std::string_view version, quarry::Tree& tree) {
    return packages_.fetch(call, resource, version, tree);
  }
  std::string parse_reference(std::string_view reference) {
    return npm::parse_reference(reference);
  }

 private:
  npm::Packages packages_;
};

}  // namespace

QUARRY_PLUGIN("io.quarry.resource-npm", QUARRY_VERSION, quarry::resource<NpmPackage>("npm"))
