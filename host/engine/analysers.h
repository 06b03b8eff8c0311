#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/text/glob.h"
#include "plugins/analyser.h"
#include "plugins/manifest.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace quarry::engine {

/// An analyser that a plugin offers, and the files that it reads. Its plugin need not be loaded.
struct OfferedAnalyser {
  std::string name;    ///< of the component
  std::string digest;  ///< SHA-256 of the plugin's file
  std::vector<corpus::Glob> files;
  /// First lines of files without an extension that it reads too.
  std::vector<std::shared_ptr<const re2::RE2>> first_lines = {};
  /// Loads the plugin, and creates the component. The analyser keeps the plugin loaded. [control]
  std::function<Result<std::shared_ptr<plugins::Analyser>>()> load;
};

/// The analysers that `manifests` list, sorted by name. A component whose schema does not say which
/// files it reads is a problem. `load` gets the manifest and the component's name. [any]
std::vector<OfferedAnalyser> offered_analysers(
    const std::vector<plugins::Manifest>& manifests,
    const std::function<Result<std::shared_ptr<plugins::Analyser>>(
        const plugins::Manifest& manifest, const std::string& name)>& load,
    std::vector<Error>& problems);

/// The analysers of source code, each loaded with the first file that it reads and released when it
/// has not been used for a minute, since most run in a process of their own. Thread-safe.
class Analysers final : public corpus::SymbolAnalyser {
 public:
  static constexpr std::chrono::seconds kKeep{60};

  struct Parts {
    /// Finds what is offered. Called before the first use, and again when `plugins` has changed.
    std::function<std::vector<OfferedAnalyser>()> find;
    /// The plugins that are loaded now; other ones after a reload.
    std::function<std::weak_ptr<const void>()> plugins;
    /// Runs the destruction of an analyser, at once or on another thread.
    std::function<void(std::function<void()>)> retire;
    /// Runs a job on a worker after a time.
    std::function<void(std::chrono::seconds, std::function<void()>)> after;
    const Clock& clock;
  };
  /// The jobs that `after` was given refer to this.
  explicit Analysers(Parts parts);
  ~Analysers() override;

  [[nodiscard]] std::string reader_of(std::string_view path,
                                      std::string_view first_line) const override;
  Result<std::vector<corpus::SymbolDefinition>> definitions(std::string_view path,
                                                            std::string_view text,
                                                            std::stop_token stop) override;
  Result<std::vector<std::uint32_t>> references(std::string_view path, std::string_view text,
                                                std::string_view name,
                                                std::stop_token stop) override;

 private:
  struct Entry;
  using Entries = std::vector<std::shared_ptr<Entry>>;

  [[nodiscard]] std::shared_ptr<const Entries> entries() const;
  [[nodiscard]] Entries find(const Entries& before) const;
  [[nodiscard]] std::shared_ptr<Entry> entry_of(std::string_view path,
                                                std::string_view first_line) const;
  template <class Value>
  using Function = std::function<Result<Value>(plugins::Analyser& analyser)>;
  template <class Value>
  Result<Value> run(std::string_view path, std::string_view text, const Function<Value>& function);
  Result<std::shared_ptr<plugins::Analyser>> use(Entry& entry);
  Result<std::shared_ptr<plugins::Analyser>> load(Entry& entry);
  /// Releases those that have not been used for kKeep; called again while others are loaded.
  void release_unused();

  const Parts parts_;
  mutable std::mutex mutex_;
  mutable std::weak_ptr<const void> plugins_;       ///< when entries_ were found
  mutable std::shared_ptr<const Entries> entries_;  ///< null before the first use
  std::atomic<bool> releases_ = false;              ///< release_unused() will be called
};

}  // namespace quarry::engine
