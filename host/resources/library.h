#pragma once

#include "base/error.h"
#include "base/json.h"
#include "corpus/snapshot.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace quarry::resources {

/// A resource ready to be read. Holding it is the lease: its snapshot is not evicted meanwhile.
struct Prepared {
  std::string name;
  std::string resource;  ///< normalised, JSON, as the wire shows it
  std::shared_ptr<const corpus::Snapshot> snapshot;
  std::string version;    ///< id of the version: commit, exact version, state of the tree
  std::string display;    ///< the version for a person
  std::string permalink;  ///< template with {path} {start} {end} {version}; may be empty
  std::chrono::system_clock::time_point fetched_at;
  std::string stale;            ///< why an older version answers; empty when it is current
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
  /// kInvalidArgument with fields, tag ConfigError. Blocks briefly. [worker]
  virtual Result<Json> normalise(const Json& resource) = 0;

  /// What a resource plugin makes of a reference such as "npm:react@18", null when none knows it;
  /// the reference is the name. [worker]
  virtual Result<std::optional<Json>> parse_reference(std::string_view reference) = 0;

  using OnPrepared = std::function<void(Result<Prepared>)>;
  using OnProgress = std::function<void(const Progress&)>;
  /// Makes the current version of a normalised resource ready. Never blocks. Questions that ask for
  /// the same source at once share one fetch, which is cancelled when the last of them is. `done`
  /// is called exactly once, on any thread. Errors: kCancelled, else tag CollectionError with the
  /// cause's own words. [any]
  virtual void prepare(const Json& resource, std::stop_token stop, OnProgress progress,
                       OnPrepared done) = 0;

  /// Removes every snapshot nobody leases, in this or another process; answers how many. [worker]
  virtual Result<std::uint64_t> clear() = 0;

  /// Waits for running preparations to end; later ones fail with kUnavailable.
  virtual void shutdown() = 0;
};

}  // namespace quarry::resources
