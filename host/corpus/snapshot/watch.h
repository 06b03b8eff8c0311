#pragma once

#include "base/error.h"
#include "corpus/snapshot/pack.h"

#include <filesystem>
#include <memory>
#include <string>

namespace quarry::corpus {

/// Detects changes beneath a folder without walking it (inotify).
///
/// The kernel queues an event before the call that caused it returns, so draining the queue covers
/// everything that happened before (a write through a mapping, once the file is closed). Where that
/// does not hold (network file systems, watch limit reached, queue overflow), checks report a
/// change, and the caller walks the folder.
class FolderWatch {
 public:
  /// Watches every directory beneath `root` that the rules keep.
  static std::unique_ptr<FolderWatch> start(const std::filesystem::path& root,
                                            const PackRules& rules);
  virtual ~FolderWatch() = default;
  /// What may have changed since the last call (or since start). Thread-safe.
  virtual TreeChanges changes() = 0;
  /// True if anything may have.
  bool changed() { return changes().any(); }
  /// The reason why every check reports a change; empty if the folder is watched.
  [[nodiscard]] virtual std::string limitation() const = 0;
};

}  // namespace quarry::corpus
