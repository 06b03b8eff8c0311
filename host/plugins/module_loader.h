#pragma once

#include "base/error.h"
#include "plugins/hosted_module.h"
#include "plugins/known_descriptions.h"
#include "plugins/manifest.h"
#include "plugins/plugin_code.h"
#include "plugins/plugin_rules.h"
#include "plugins/private_copy.h"
#include "plugins/registry.h"

#include <future>
#include <memory>
#include <string>

namespace quarry::plugins {

/// Turns found plugins into open modules. [control]
class ModuleLoader {
 public:
  /// `options` must outlive it.
  explicit ModuleLoader(const RegistryOptions& options);

  /// The plugin without its code, which its first use loads from the file as it is now; null if it
  /// must be loaded to know that it can be used, or what it offers.
  [[nodiscard]] std::shared_ptr<PluginCode> defer(const Manifest& manifest,
                                                  const KnownDescriptions& known) const;

  /// A module that is being opened, while others are loaded and opened.
  struct Loading {
    std::shared_ptr<PluginCode> code;
    std::future<Status> opened;
  };
  /// Loads the checked copy into this process, or starts the plugin in one of its own if `apart`.
  Result<Loading> load(const Manifest& manifest, PrivateCopy copy, bool apart);

 private:
  /// With the functions that a start calls, once for each file and configuration; not for those
  /// that came with the host, which are as much its code as what loads them.
  Status probe_once(const Manifest& manifest);
  Result<Loading> load_here(const Manifest& manifest, PrivateCopy copy);
  Result<Loading> load_apart(const Manifest& manifest);
  [[nodiscard]] Loading begin_open(std::shared_ptr<HostedModule> module) const;
  /// True if its descriptions are kept, so that a later start may defer it.
  [[nodiscard]] bool may_defer(const Manifest& manifest) const;
  [[nodiscard]] std::string description_key(const Manifest& manifest) const;
  [[nodiscard]] HostedModule::Parts parts_for(const Manifest& manifest) const;

  const RegistryOptions& options_;
  const PluginRules rules_;
};

}  // namespace quarry::plugins
