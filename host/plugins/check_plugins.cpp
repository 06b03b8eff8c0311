#include "plugins/check_plugins.h"

#include "base/hash.h"
#include "plugins/module.h"
#include "plugins/plugin_rules.h"
#include "plugins/probe.h"
#include "plugins/probed_list.h"

#include <utility>

namespace quarry::plugins {
namespace {

/// Digest of a successful check in the probed list: of the manifest, which has the file's digest,
/// because the code must agree with it, and of the configuration.
std::string probed_as(const Manifest& manifest, bool isolated, const std::string& tables) {
  return sha256_hex(manifest.own_sha256 + (isolated ? " isolated " : " ") + tables);
}

class Checker {
 public:
  Checker(const RegistryOptions& options, const PluginChecks& checks)
      : options_(options),
        checks_(checks),
        rules_(PluginRules::of(options)),
        probed_(options.probed_list) {}

  /// Loads those of the host that were not checked before in one process, as there are some twenty.
  void load_own(const std::vector<Manifest>& manifests) {
    std::vector<const Manifest*> fresh;
    std::vector<std::string> digests;
    for (const auto& manifest : manifests) {
      if (!rules_.is_own(manifest) || rules_.is_isolated(manifest)) continue;
      if (!rules_.check(manifest, fresh)) continue;
      auto digest = probed_as(manifest, false, tables_of(manifest, options_.table));
      if (probed_.contains(digest)) continue;
      fresh.push_back(&manifest);
      digests.push_back(std::move(digest));
    }
    if (fresh.size() > 1 && checks_.load_together(fresh)) probed_.add(digests);
  }

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
    const auto tables = tables_of(manifest, options_.table);
    const auto digest = probed_as(manifest, isolated, tables);
    if (probed_.contains(digest)) return {};
    auto loads = checks_.load(manifest, isolated, tables);
    if (loads) probed_.add({{digest}});
    return loads;
  }

  const RegistryOptions& options_;
  const PluginChecks& checks_;
  const PluginRules rules_;
  ProbedList probed_;
  std::vector<const Manifest*> usable_;
};

}  // namespace

std::vector<Error> check_plugins(const RegistryOptions& options, const PluginChecks& checks) {
  Found found = find_wanted(options);
  Checker checker(options, checks);
  checker.load_own(found.manifests);
  for (const auto& manifest : found.manifests) {
    if (auto usable = checker.check(manifest); !usable) found.problems.push_back(usable.error());
  }
  return std::move(found.problems);
}

}  // namespace quarry::plugins
