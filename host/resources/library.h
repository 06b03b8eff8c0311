#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/executor.h"
#include "base/json.h"
#include "base/schema.h"
#include "corpus/pack.h"
#include "corpus/snapshot.h"
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

/// When a source is asked for news. A folder that is read in place is looked at in any case.
enum class Freshness {
  kPolicy,   ///< as the resource says: its members `refresh` and `refreshInBackground`
  kSync,     ///< now: what happened at the source before the call is in the answer
  kOffline,  ///< only when there is no snapshot at all
};

/// How a resource is wanted.
struct PrepareOptions {
  Freshness freshness = Freshness::kPolicy;
  /// Exactly this version, whatever the source says is current. Fetched when there is no snapshot
  /// of it; its source is never asked what is current.
  std::optional<plugins::ResourceVersion> locked;
  /// The project on whose behalf the resource is read; empty for the owner of the host.
  std::string project = {};
};

/// A resource ready to be read. Holding it is the lease: its snapshot is not evicted meanwhile.
struct Prepared {
  std::string name;
  std::string resource;  ///< normalised, JSON, as the wire shows it, with `fields`
  std::shared_ptr<const corpus::Snapshot> snapshot;
  std::string version;           ///< id of the version: commit, exact version, state of the tree
  std::string display;           ///< the version for a person
  std::string permalink;         ///< template with {path} {start} {end} {version}; may be empty
  std::string integrity;         ///< what the files were checked against; may be empty
  Json fields = Json::object();  ///< members that were left out and are known now: the branch, …
  std::vector<std::string> notes;      ///< sentences about what the files do not show
  std::vector<std::string> generated;  ///< paths of files that no permalink leads to
  std::chrono::system_clock::time_point fetched_at;
  /// Why this may not be the current state and how old it is; empty when it was current when the
  /// source was last asked, which is not longer ago than the resource allows.
  std::string stale;
  bool fetched = false;         ///< this preparation brought another version than was there before
  std::shared_ptr<void> lease;  ///< shared with other questions
};

/// How far a preparation has come, as it is reported to the question's readers.
struct Progress {
  std::string message;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0 = unknown
};

/// Turns resources into snapshots: resolves, fetches, publishes, keeps and evicts them.
/// Thread-safe.
///
/// On disk (format.md): cache/snapshots/<key>/ is one immutable snapshot, published by one rename
/// from cache/building/; locks are files beside them that other processes respect. A crash at any
/// moment leaves the old snapshot or the new one, and what is left in building/ is swept at start.
class Library {
 public:
  virtual ~Library() = default;

  /// Checks a resource against the schema of its type, then by its plugin. The value is canonical.
  /// Members that are null count as missing; unknown ones are dropped (the wire) or refused (TOML).
  /// kInvalidArgument with fields, tag ConfigError. Blocks briefly. [worker]
  virtual Result<Json> normalise(const Json& resource,
                                 Schema::Unknown unknown = Schema::Unknown::kIgnore) = 0;

  /// What a resource plugin makes of a reference such as "npm:react@18", null when none knows it;
  /// its name is the last part of the reference, made a valid one. The value is canonical already.
  /// [worker]
  virtual Result<std::optional<Json>> parse_reference(std::string_view reference) = 0;

  using OnPrepared = std::function<void(Result<Prepared>)>;
  using OnProgress = std::function<void(const Progress&)>;
  /// Makes a normalised resource ready. Never blocks. `done` is called exactly once, on any thread,
  /// also before this returns; a last progress() may still be running then. Errors: kCancelled,
  /// else tag CollectionError with the cause's own words. [any]
  ///
  /// A snapshot that is not due answers without its source being asked. Questions that ask the same
  /// source at once share one fetch, which is cancelled when the last of them is. Fetches have a
  /// share per project and per host; beyond it they wait, and progress() says how many are ahead.
  /// What is in the cache or read in place never waits for them. When the source
  /// cannot be reached, the last state known answers with `stale` set, and goes on doing so without
  /// another question to the source for a while that grows (BackOff); what the source refused
  /// (no access, no such branch, another integrity) is an error. A snapshot that is due answers at
  /// once when the resource says so (`refreshInBackground`), and one refresh runs after it; when
  /// that fails the operator is told once, and when it was refused the next question asks itself.
  ///
  /// A folder that is read in place is never answered from an older state: what changed before
  /// this call is in the snapshot.
  virtual void prepare(const Json& resource, const PrepareOptions& prepare_options,
                       std::stop_token stop, OnProgress progress, OnPrepared done) = 0;

  /// Removes every snapshot nobody leases, in this or another process, and what plugins keep in
  /// their caches; or the snapshots of one normalised resource. Answers how many snapshots.
  /// [worker]
  virtual Result<std::uint64_t> clear(const std::optional<Json>& resource) = 0;

  /// Cancels running preparations and waits for their end; later ones fail with kUnavailable. The
  /// threads of the executor must still run. Idempotent; the destructor does it.
  virtual void shutdown() = 0;
};

struct Options {
  std::filesystem::path cache_directory;
  /// Of snapshots and plugins' caches on the disk; what was used least recently goes first.
  std::uint64_t max_bytes = 10ull << 30;
  /// Holds the cache directory of each plugin (services::Paths::plugin_cache); empty = none.
  std::filesystem::path plugin_caches;
  corpus::PackLimits limits;
  std::size_t fetches = 8;          ///< at once for one project, each on a thread of its own
  std::size_t fetches_of_host = 4;  ///< at once from one host; each project may always have one
  std::size_t all_fetches = 64;     ///< at once
  std::size_t open_sources = 64;    ///< kept open, and folders watched, between questions
  /// For tests: called at named moments of changing the cache, to end the process there.
  void (*crash_point)(std::string_view moment) = nullptr;
};

/// What a library works with. What is referred to must outlive it.
struct LibraryDependencies {
  std::function<plugins::ResourceTypes()> types;  ///< the types there are at this moment [any]
  Executor& executor;                             ///< for what computes: packing, indexes
  const Clock& clock;
  std::function<void(std::string_view)> problem;  ///< told what the operator should know [any]
  /// The types that act for projects (resource.h, "acts_for"); none = projects read nothing. [any]
  std::function<plugins::ResourceTypes()> types_for_projects = nullptr;
};

/// The types that read on behalf of `project`; of the owner when it is empty.
inline plugins::ResourceTypes types_for(const LibraryDependencies& dependencies,
                                        std::string_view project) {
  if (project.empty()) return dependencies.types();
  if (!dependencies.types_for_projects) return {};
  return dependencies.types_for_projects();
}

/// Opens the cache, making the directories that are missing, and begins to sweep what a crash left.
Result<std::unique_ptr<Library>> make_library(Options options, LibraryDependencies dependencies);

}  // namespace quarry::resources
