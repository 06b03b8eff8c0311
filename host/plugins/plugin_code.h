#pragma once

#include "base/error.h"
#include "plugins/hosted_module.h"
#include "plugins/manifest.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace quarry::plugins {

/// The code of one generation of a plugin, loaded at once or by its first use. Thread-safe.
class PluginCode {
 public:
  /// Loads and opens the plugin. Called once.
  using Load = std::function<Result<std::shared_ptr<HostedModule>>()>;

  /// `described_as`: the plugin in KnownDescriptions; empty if its descriptions are not kept.
  PluginCode(std::shared_ptr<HostedModule> loaded, std::string described_as);
  PluginCode(Manifest manifest, std::string described_as, Load load);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }
  [[nodiscard]] const std::string& described_as() const { return described_as_; }
  [[nodiscard]] bool in_process() const { return in_process_; }
  [[nodiscard]] bool is_loaded() const;
  /// The module, which the first call loads; the others wait for it and have the same outcome.
  [[nodiscard]] Result<std::shared_ptr<HostedModule>> module();

 private:
  const Manifest manifest_;
  const std::string described_as_;
  const bool in_process_ = true;
  mutable std::mutex mutex_;
  Load load_;  ///< until it has run
  std::optional<Result<std::shared_ptr<HostedModule>>> module_;
};

}  // namespace quarry::plugins
