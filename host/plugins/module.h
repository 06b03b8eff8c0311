#pragma once

#include "base/error.h"
#include "plugins/call_threads.h"
#include "plugins/manifest.h"
#include "plugins/private_copy.h"

#include <quarry/abi.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

class DeferredModels;

/// The loaded code of one plugin. Destruction closes the plugin if it was opened and calls dlclose;
/// the system may keep the code.
class Module {
 public:
  virtual ~Module() = default;
  [[nodiscard]] virtual const Manifest& manifest() const = 0;
  [[nodiscard]] virtual const quarry_entry& entry() const = 0;
  /// False if its code runs in another process, for which every function waits.
  [[nodiscard]] virtual bool in_process() const { return true; }
  /// Functions of exchanges for the I/O thread; null if those of the tables are to be called. [any]
  [[nodiscard]] virtual DeferredModels* deferred_models() { return nullptr; }
  /// kUnavailable during the delay before its process is started again after a crash,
  /// kPermissionDenied while it is quarantined. [any]
  [[nodiscard]] virtual Status ready() { return {}; }
  /// True if it came with the host: functions of its exchanges are called at once.
  [[nodiscard]] virtual bool is_own() const { return true; }
  /// Opens the plugin with `host`, borrowed until destruction. Once, before any component is used.
  /// [control]
  virtual Status open(const quarry_host& host) = 0;
  /// Calls `create` of one of the entry's components. [control]
  virtual void create(const quarry_component& component, const quarry_host& host,
                      const quarry_call* call, quarry_text configuration, void** instance,
                      const quarry_reply* reply) {
    component.create(&host, call, configuration, instance, reply);
  }
  /// Calls `destroy` of the component. [control]
  virtual void destroy(const quarry_component& component, void* instance) {
    component.destroy(instance);
  }
  /// Runs one call of a function of the plugin. Every call goes this way, except those of exchanges
  /// that are called at once. An error means that the function has not returned, or was not called;
  /// it names the plugin. [worker]
  virtual Status call(const PluginCall& call);
  /// Closes the plugin if it is open. Idempotent. [control]
  virtual void close() {}
  /// Runs the destruction of an instance of the plugin, perhaps later. [any]
  virtual void retire(std::function<void()> destruction) { destruction(); }
};

/// A checked private copy of the plugin's file: its digest matches the manifest, it is a complete
/// shared object and exports only the entry. Runs none of its code. [any]
Result<PrivateCopy> copy_module(const Manifest& manifest);
/// The same from the descriptor `opened` of the file.
Result<PrivateCopy> copy_module(const Manifest& manifest, int opened);

// The steps of copy_module; `bytes` are those of the copy, or of what unpack_file returned. [any]
Result<PrivateCopy> copy_file(const Manifest& manifest);
Status check_digest(const Manifest& manifest, std::string_view bytes);
/// The shared object in a copy with the manifest's digest: the copy itself, or what is compressed
/// in it if the file's name ends in ".zst".
Result<PrivateCopy> unpack_file(const Manifest& manifest, PrivateCopy copy);
/// The symbols that the shared object exports; fails unless it is a whole shared object.
Result<std::vector<std::string>> exports_of(const Manifest& manifest, std::string_view bytes);
Status check_exports(const Manifest& manifest, const std::vector<std::string>& exported);

/// Loads a checked copy, so that a file replaced under the same path is loaded as new code. Runs
/// static initialisers: see probe.h. Checks the entry against the manifest. [control]
Result<std::shared_ptr<Module>> load_module(const Manifest& manifest, PrivateCopy copy);

}  // namespace quarry::plugins
