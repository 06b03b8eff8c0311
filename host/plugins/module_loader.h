#pragma once

#include "base/error.h"
#include "plugins/hosted_module.h"
#include "plugins/manifest.h"
#include "plugins/private_copy.h"
#include "plugins/probed_list.h"
#include "plugins/registry.h"

#include <future>
#include <memory>

namespace quarry::plugins {

/// Turns found plugins into open modules. [control]
class ModuleLoader {
 public:
  /// `options` must outlive it.
  explicit ModuleLoader(const RegistryOptions& options);

  /// A module that is open, or is being opened: only in a process of its own, so that several start
  /// at the same time.
  struct Loading {
    std::shared_ptr<HostedModule> module;
    std::future<Status> opened;  ///< not valid if it is open
  };
  /// Loads the checked copy into this process, or starts the plugin in one of its own if `apart`.
  Result<Loading> load(const Manifest& manifest, PrivateCopy copy, bool apart);

 private:
  Status probe_once(const Manifest& manifest);
  Result<Loading> load_here(const Manifest& manifest, PrivateCopy copy);
  Result<Loading> load_apart(const Manifest& manifest);
  [[nodiscard]] std::shared_ptr<HostedModule> hosted(std::shared_ptr<Module> module) const;

  const RegistryOptions& options_;
  ProbedList probed_;
};

}  // namespace quarry::plugins
