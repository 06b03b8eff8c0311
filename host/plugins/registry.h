#pragma once

#include "base/error.h"
#include "plugins/analyser.h"
#include "plugins/embedding_provider.h"
#include "plugins/manifest.h"
#include "plugins/model_provider.h"
#include "plugins/module.h"
#include "plugins/pricing_catalogue.h"
#include "plugins/rerank_provider.h"
#include "plugins/resource_type.h"
#include "plugins/store.h"
#include "plugins/transport.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::plugins {

/// Service tables for one plugin, by id; null for services it may not use. The function's captures
/// live as long as the plugin.
using FindService = std::function<const void*(std::string_view id)>;
using MakeServices = std::function<FindService(const Manifest&)>;
/// Runs the destruction of plugins and components, at once or on another thread. [any]
using Retire = std::function<void(std::function<void()> destruction)>;

/// Options for finding and loading plugins.
struct RegistryOptions {
  std::vector<std::filesystem::path> directories;  ///< absolute; see find_plugins
  std::size_t own_directories = 0;  ///< the first of them, whose plugins came with the host
  /// The one of them whose plugins need a row of its lock file (plugin_lock.h); may be empty.
  std::filesystem::path installed_directory = {};
  bool drafts = false;                ///< also loads other plugins with components of draft kinds
  std::filesystem::path probed_list;  ///< file of probed digests, in the state directory
  /// File of descriptions that components gave, in the state directory: a plugin that is found in
  /// it as it was then, and whose manifest permits it, is loaded by its first use. Empty: every
  /// plugin is loaded at once.
  std::filesystem::path descriptions = {};
  /// Program that calls run_probe() with kProbeUse, for plugins that did not come with the host;
  /// the manifest's path is appended. Empty = plugins are loaded without a probe.
  std::vector<std::string> probe_command;
  std::chrono::milliseconds probe_limit{10'000};
  /// Configuration with which a probe creates a component, a JSON object. Empty: {}. Not called
  /// after the loading.
  std::function<std::string(std::string_view kind, std::string_view name)> table = {};
  std::vector<std::string> disabled;  ///< ids
  /// Selects the plugins to load from those found; empty = all. Not called after the loading.
  std::function<bool(const Manifest&, const std::vector<Manifest>& found)> wanted = {};
  std::map<std::string, std::string> pinned;  ///< id -> SHA-256
  std::string host_version;
  MakeServices services;  ///< may be empty: no services
  /// By id: "process" or "none". Other plugins are isolated if their manifest says so, or if they
  /// did not come with the host.
  std::map<std::string, std::string> isolation = {};
  /// Makes a module whose code runs in another process. Empty: plugins whose manifest asks for that
  /// are problems, all others run in this process.
  std::function<Result<std::shared_ptr<Module>>(const Manifest&)> isolate = {};
  Retire retire = {};  ///< empty: on the thread that drops the last reference
  /// Notes the calls that were given up and have not returned; may be null.
  std::shared_ptr<AbandonedCalls> abandoned = {};
  std::chrono::milliseconds grace = kReturnGrace;  ///< of calls into this process
};

/// A plugin that was found and is not used, although nobody disabled it.
struct UnusablePlugin {
  Manifest manifest;
  Error why;
};

/// Plugins found without running any code.
struct Found {
  std::vector<Manifest> manifests;  ///< in order of directories, then of names
  std::vector<Error> problems;      ///< one per unusable plugin or directory
  /// Those of the problems whose manifest can be read.
  std::vector<UnusablePlugin> unusable = {};
  std::vector<Manifest> disabled = {};  ///< by find_wanted
  std::set<std::string> kinds = {};     ///< of the components of all that are not disabled
};
/// Searches `directories`. One that is missing, or without plugins, is a problem, except
/// `installed`, one of them, whose plugins need a row of its lock file.
Found find_plugins(const std::vector<std::filesystem::path>& directories,
                   const std::filesystem::path& installed = {});
/// True if the owner has disabled the plugin.
[[nodiscard]] bool is_disabled(const RegistryOptions& options, const Manifest& manifest);
/// Those in the directories of `options` that are neither disabled nor unwanted.
Found find_wanted(const RegistryOptions& options);

/// True if the plugin runs in a process of its own: as `chosen` says by id ("process" or "none"),
/// else if its manifest asks for it or it did not come with the host.
[[nodiscard]] bool is_isolated(const Manifest& manifest,
                               const std::map<std::string, std::string>& chosen,
                               bool came_with_host);

/// A plugin that a reload treated in another way than as unchanged.
struct PluginChange {
  enum class Kind {
    kLoaded,    ///< new
    kReplaced,  ///< another version or file, or another isolation
    kKept,      ///< changed or unusable, and still the code that was loaded before; see problems()
    kRemoved,   ///< its files are gone, or it is disabled
  };
  std::string id;
  std::string version;  ///< in use now; of a removed plugin, the one that was
  Kind kind = Kind::kLoaded;
  std::string before = {};  ///< version that was replaced
};

/// One line for the log: "plugin org.example.notes 1.1.0 replaces 1.0.0".
[[nodiscard]] std::string describe(const PluginChange& change);
/// "loaded", "replaced", "kept" or "removed".
[[nodiscard]] std::string_view name_of(PluginChange::Kind kind);

/// The loaded plugins. A plugin that cannot be loaded is a problem, never a failure. Components
/// created here keep their plugin loaded and may outlive the registry. Not thread-safe. [control]
class Registry {
 public:
  static std::unique_ptr<Registry> load(RegistryOptions options);
  virtual ~Registry() = default;

  /// The plugins that are there now. Unchanged ones are the same as in this registry; changed ones
  /// are loaded beside those of this registry, which stay loaded while they are used. A plugin that
  /// can no longer be loaded keeps the code of this registry, until its files are removed or the
  /// options exclude it. So does one with a transport or store, which only a start replaces.
  [[nodiscard]] virtual std::unique_ptr<Registry> reload(RegistryOptions options) const = 0;
  /// Differences to the registry that this was reloaded from, by id.
  [[nodiscard]] virtual std::vector<PluginChange> changes() const = 0;
  /// Until this is called, a component that a replaced plugin fails to create is created by the
  /// code before, which then stays in use: a problem and kKept.
  virtual void end_reload() = 0;

  [[nodiscard]] virtual const std::vector<Manifest>& plugins() const = 0;  ///< loaded ones
  [[nodiscard]] virtual const std::vector<Error>& problems() const = 0;
  /// Plugins of the problems that no code before stands in for.
  [[nodiscard]] virtual const std::vector<UnusablePlugin>& unusable() const = 0;
  /// True if a plugin that is neither disabled nor removed has a component of the kind, although it
  /// may not be loaded.
  [[nodiscard]] virtual bool is_offered(std::string_view kind) const = 0;
  /// Names of the components of a kind (QUARRY_RESOURCE, …), sorted.
  [[nodiscard]] virtual std::vector<std::string> names(std::string_view kind) const = 0;

  // Create a component from its part of the configuration, a JSON object. kNotFound with the
  // nearest name if no plugin offers it; otherwise the component's own failure.
  virtual Result<std::shared_ptr<ResourceType>> make_resource_type(std::string_view name,
                                                                   std::string_view json) = 0;
  virtual Result<std::shared_ptr<ModelProvider>> make_model_provider(std::string_view name,
                                                                     std::string_view json) = 0;
  virtual Result<std::shared_ptr<PricingCatalogue>> make_pricing(std::string_view name,
                                                                 std::string_view json) = 0;
  virtual Result<std::shared_ptr<Analyser>> make_analyser(std::string_view name,
                                                          std::string_view json) = 0;
  virtual Result<std::shared_ptr<EmbeddingProvider>> make_embedding(std::string_view name,
                                                                    std::string_view json) = 0;
  virtual Result<std::shared_ptr<RerankProvider>> make_rerank(std::string_view name,
                                                              std::string_view json) = 0;
  virtual Result<std::shared_ptr<Store>> make_store(std::string_view name,
                                                    std::string_view json) = 0;
  virtual Result<std::shared_ptr<Transport>> make_transport(std::string_view name,
                                                            std::string_view json) = 0;
};

}  // namespace quarry::plugins
