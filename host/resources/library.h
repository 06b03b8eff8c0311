#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/executor.h"
#include "base/json.h"
#include "base/schema.h"
#include "corpus/snapshot/encoding.h"
#include "corpus/snapshot/pack.h"
#include "corpus/snapshot/snapshot.h"
#include "plugins/resource_type.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::resources {

/// When a source is checked for updates. A folder that is read in place is always checked.
enum class Freshness {
  kPolicy,   ///< as the resource says: its members `refresh` and `refreshInBackground`
  kSync,     ///< now: the result includes every change at the source before the call
  kOffline,  ///< only if there is no snapshot
};

/// Options of one preparation.
struct PrepareOptions {
  Freshness freshness = Freshness::kPolicy;
  /// Use exactly this version instead of the current one. Fetched if there is no snapshot of it;
  /// the source is not asked for its current version.
  std::optional<plugins::ResourceVersion> locked;
  /// Project that the resource is read for; empty for the owner of the host.
  std::string project = {};
  /// The reason for which the type refused the resource (normalise): the preparation fails with it.
  std::optional<Error> refused = {};
};

/// A resource ready to be read. Holding it is a lease: its snapshot is not evicted meanwhile.
struct Prepared {
  std::string name;
  std::string resource;  ///< normalised JSON as on the wire, with `fields`
  std::shared_ptr<const corpus::Snapshot> snapshot;
  std::string version;             ///< id of the version: commit, exact version, state of the tree
  std::string display;             ///< the version for a person
  std::string permalink;           ///< template with {path} {start} {end} {version}; may be empty
  std::string integrity;           ///< digest the files were checked against; may be empty
  Json fields = Json::object();    ///< omitted members found by resolving: the branch, …
  std::vector<std::string> notes;  ///< sentences about content missing from the files
  std::filesystem::path folder;    ///< that is read in place; empty for files that were fetched
  std::vector<std::string> generated;                 ///< paths of files without a permalink
  std::shared_ptr<const plugins::FactsByPath> facts;  ///< of single files; may be null
  std::chrono::system_clock::time_point fetched_at;
  /// Reason why this may not be the current state, and its age; empty if it was current at the last
  /// check, which is not older than the resource allows.
  std::string stale;
  bool fetched = false;         ///< this preparation brought a version other than the previous one
  std::shared_ptr<void> lease;  ///< shared with other questions
};

/// The last known state of a source, as it lies on the disk.
struct Kept {
  std::string version;  ///< as in Prepared, like the next two
  std::string display;
  std::chrono::system_clock::time_point fetched_at;
  std::chrono::system_clock::time_point current_at;  ///< when it was last known to be current
  std::size_t files = 0;
  std::uint64_t bytes = 0;  ///< of text
};

/// Progress of a preparation, as reported to the question's readers.
struct Progress {
  std::string message;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0 = unknown
};

/// Turns resources into snapshots: resolves, fetches, publishes, stores and evicts them.
/// Thread-safe.
///
/// On disk (format.md): cache/snapshots/<key>/ is one immutable snapshot, published by one rename
/// from cache/building/; locks on directories are respected by other processes. A crash at any
/// moment leaves the old snapshot or the new one; leftovers in building/ are removed at start.
class Library {
 public:
  virtual ~Library() = default;

  /// Checks a resource against the schema of its type, then by its plugin. The value is canonical.
  /// Members that are null count as missing; unknown ones are dropped (the wire) or refused (TOML).
  /// kInvalidArgument with fields, tag ConfigError. Blocks briefly. [worker]
  virtual Result<Json> normalise(const Json& resource,
                                 Schema::Unknown unknown = Schema::Unknown::kIgnore) = 0;

  /// Resource that a plugin parses from a reference such as "npm:react@18"; empty if no plugin
  /// recognises it. Its name is the one that the plugin suggests, or the last part of the
  /// reference, converted to a valid name. The value is canonical already. [worker]
  virtual Result<std::optional<Json>> parse_reference(std::string_view reference) = 0;

  using OnPrepared = std::function<void(Result<Prepared>)>;
  using OnProgress = std::function<void(const Progress&)>;
  /// Makes a normalised resource ready. Never blocks. `done` is called exactly once, on any thread,
  /// possibly before this returns; a last progress() may still be running then. Errors: kCancelled,
  /// or tag CollectionError with the message of the cause. [any]
  ///
  /// A snapshot that is not due is used without contacting its source. Concurrent requests for one
  /// source share a fetch, which is cancelled with the last of them. Fetches are limited per
  /// project and per host; beyond that they wait, and progress() reports the number ahead. Cached
  /// snapshots and folders read in place never wait for fetches. If the source cannot be reached,
  /// the last known state is used with `stale` set, also without contacting the source during a
  /// growing pause (BackOff); a refusal by the source (no access, no such branch, another
  /// integrity) is an error. A snapshot that is due is used at once if the resource allows it
  /// (`refreshInBackground`), and one refresh runs afterwards; its failure is reported to the
  /// operator once, and after a refusal the next request contacts the source itself.
  ///
  /// For a folder read in place the snapshot is never older than this call: it contains every
  /// earlier change.
  virtual void prepare(const Json& resource, const PrepareOptions& prepare_options,
                       std::stop_token stop, OnProgress progress, OnPrepared done) = 0;

  /// The state that prepare() would begin with: nothing if there is none, or it cannot be read. The
  /// source is not contacted, and a folder is not looked at. [worker]
  virtual std::optional<Kept> kept(const Json& resource, const PrepareOptions& prepare_options) = 0;

  /// What the rules leave out of the folder of a prepared resource, the rule that leaves out most
  /// first; nothing of files that were fetched. kCancelled, or tag ResourceError. [worker]
  virtual Result<std::vector<corpus::IgnoredBy>> left_out(const Prepared& prepared,
                                                          const std::stop_token& stop) = 0;

  /// Removes every snapshot that is not leased, in this or another process, and the plugins'
  /// caches; or only the snapshots of one normalised resource. Returns the number of snapshots.
  /// [worker]
  virtual Result<std::uint64_t> clear(const std::optional<Json>& resource) = 0;

  /// Calls `act` once, when no index is being built or waits to be, perhaps before this returns; a
  /// shutdown ends the wait too. [any]
  virtual void when_indexed(std::function<void()> act) = 0;

  /// The same for vectors: when none is missing in the snapshots whose indexes are complete, or
  /// none can be built at present. [any]
  virtual void when_encoded(std::function<void()> act) = 0;

  /// From now on builds the symbol indexes of snapshots too, also of those that are open, after the
  /// other indexes and apart from them. Before the first call none is built, because that takes
  /// much longer than other indexes. No effect without an analyser. [any]
  virtual void build_symbols() = 0;

  /// Cancels running preparations and waits for their end; later ones fail with kUnavailable. The
  /// threads of the executor must still run. Idempotent; called by the destructor.
  virtual void shutdown() = 0;
};

struct Options {
  std::filesystem::path cache_directory;
  /// Limit for snapshots and plugins' caches on the disk; the least recently used are evicted
  /// first.
  std::uint64_t max_bytes = 10ull << 30;
  /// Holds the cache directory of each plugin (services::Paths::plugin_cache); empty = none.
  std::filesystem::path plugin_caches;
  corpus::PackLimits limits;
  std::size_t fetches = 8;          ///< at once for one project, each on its own thread
  std::size_t fetches_of_host = 4;  ///< at once from one host, but always one per project
  std::size_t all_fetches = 64;     ///< at once
  std::size_t open_sources = 64;    ///< kept open, and folders watched, between questions
  /// For tests: called at named moments of changing the cache, to end the process there.
  void (*crash_point)(std::string_view moment) = nullptr;
};

/// Dependencies of a library. Referenced objects must outlive it.
struct LibraryDependencies {
  std::function<plugins::ResourceTypes()> types;  ///< the currently loaded types [any]
  Executor& executor;                             ///< for computation: packing, indexes
  const Clock& clock;
  std::function<void(std::string_view)> problem;  ///< reports a problem to the operator [any]
  /// Types that act for projects (resource.h, "acts_for"); null = projects read nothing. [any]
  std::function<plugins::ResourceTypes()> types_for_projects = nullptr;
  corpus::SymbolAnalyser* symbols = nullptr;  ///< null = no symbol index is built
  /// Encodes passages in the background; null = no vectors are built.
  std::shared_ptr<corpus::Encoding> encoding = nullptr;
  /// Is told of each read of a source that was not cancelled; null = nobody. [the reading thread]
  using Fetched =
      std::function<void(std::string_view type, bool failed, std::chrono::nanoseconds took)>;
  Fetched fetched = nullptr;
};

/// Types that read on behalf of `project`, or of the owner if it is empty.
inline plugins::ResourceTypes types_for(const LibraryDependencies& dependencies,
                                        std::string_view project) {
  if (project.empty()) return dependencies.types();
  if (!dependencies.types_for_projects) return {};
  return dependencies.types_for_projects();
}

/// Opens the cache, creates missing directories and starts to remove leftovers of a crash.
Result<std::unique_ptr<Library>> make_library(Options options, LibraryDependencies dependencies);

}  // namespace quarry::resources
