#include "plugins/check_plugins.h"

#include "base/hash.h"
#include "plugins/module.h"
#include "plugins/plugin_rules.h"
#include "plugins/probed_list.h"

#include <utility>

namespace quarry::plugins {
namespace {

/// Digest of a successful check in the probed list: of the manifest, which has the file's digest,
/// because the code must agree with it.
std::string probed_as(const Manifest& manifest, bool isolated) {
  return isolated ? sha256_hex(manifest.own_sha256 + " isolated") : manifest.own_sha256;
}

class Checker {
 public:
  Checker(const RegistryOptions& options, const PluginChecks& checks)
      : checks_(checks), rules_(PluginRules::of(options)), probed_(options.probed_list) {}

  Status check(const Manifest& manifest) {
    if (auto permitted = rules_.check(manifest, usable_); !permitted) return permitted;
    if (const auto copy = copy_module(manifest); !copy) return copy.error();
    const bool isolated = rules_.is_isolated(manifest);
    if (isolated) {
      if (auto may = checks_.may_be_isolated(manifest); !may) return may;
    }
    if (auto loads = load_once(manifest, isolated); !loads) return loads;
    usable_.push_back(&manifest);
    return {};
  }

 private:
  Status load_once(const Manifest& manifest, bool isolated) {
    const auto digest = probed_as(manifest, isolated);
    if (probed_.contains(digest)) return {};
    auto loads = checks_.load(manifest, isolated);
    if (loads) probed_.add({{digest}});
    return loads;
  }

  const PluginChecks& checks_;
  const PluginRules rules_;
  ProbedList probed_;
  std::vector<const Manifest*> usable_;
};

}  // namespace

std::vector<Error> check_plugins(const RegistryOptions& options, const PluginChecks& checks) {
  Found found = find_wanted(options);
  Checker checker(options, checks);
  for (const auto& manifest : found.manifests) {
    if (auto usable = checker.check(manifest); !usable) found.problems.push_back(usable.error());
  }
  return std::move(found.problems);
}

}  // namespace quarry::plugins
