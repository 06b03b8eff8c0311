#pragma once

#include "base/error.h"
#include "corpus/pack.h"

#include <filesystem>
#include <memory>
#include <string>

namespace quarry::corpus {

/// Knows whether anything beneath a folder may have changed, without walking it (inotify).
///
/// The kernel queues an event before the call that caused it returns, so draining the queue answers
/// for everything that happened before (a write through a mapping, once the file is closed). Where
/// that does not hold (network file systems, watch limit reached, queue overflow) every check says
/// "changed", and the caller walks.
class FolderWatch {
 public:
  /// Watches every directory beneath `root` that the rules keep.
  static std::unique_ptr<FolderWatch> start(const std::filesystem::path& root,
                                            const PackRules& rules);
  virtual ~FolderWatch() = default;
  /// True when something may have changed since the last call (or since start). Thread-safe.
  virtual bool changed() = 0;
  /// Why checks cannot be trusted and the tree is walked instead; empty when they can.
  [[nodiscard]] virtual std::string limitation() const = 0;
};

}  // namespace quarry::corpus
