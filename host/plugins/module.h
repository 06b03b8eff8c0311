#pragma once

#include "base/error.h"
#include "plugins/manifest.h"
#include "plugins/private_copy.h"

#include <quarry/abi.h>

#include <memory>

namespace quarry::plugins {

/// The code of one plugin in this process, one generation of it. Destruction closes the plugin when
/// it was opened, and gives the code back, which the system may do or not.
class Module {
 public:
  virtual ~Module() = default;
  [[nodiscard]] virtual const Manifest& manifest() const = 0;
  [[nodiscard]] virtual const quarry_entry& entry() const = 0;
  /// Lends `host` to the plugin until destruction. Once, before any component is used. [control]
  virtual Status open(const quarry_host& host) = 0;
};

/// A private copy of the plugin's file, checked: the digest is the manifest's, it is a whole shared
/// object, and it exports the entry alone. No code of it has run. [any]
Result<PrivateCopy> copy_module(const Manifest& manifest);

/// Loads a checked copy, so that a file replaced under the same path is new code. Runs static
/// initialisers: see probe.h. The entry agrees with the manifest. [control]
Result<std::shared_ptr<Module>> load_module(const Manifest& manifest, PrivateCopy copy);

}  // namespace quarry::plugins
