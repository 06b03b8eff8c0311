#pragma once

#include "base/error.h"
#include "plugins/store.h"

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace quarry::access {

/// One JSON object in one line, in the format of the audit file.
std::string audit_line(const plugins::AuditEntry& entry);

/// Queues audit entries until they are written: to the store and, if configured, a file. Entries
/// that cannot be written wait; beyond `kMost` or `kMostBytes` the oldest are dropped and counted.
/// Thread-safe.
class AuditTrail {
 public:
  static constexpr std::size_t kMost = 100'000;
  static constexpr std::size_t kMostBytes = 64u << 20;  ///< of each queue: questions may be long
  static constexpr std::size_t kBatch = 500;

  using Write = std::function<Status(const std::vector<plugins::AuditEntry>&)>;
  /// `file`: empty = none; opened for each batch, so that it may be renamed.
  AuditTrail(std::filesystem::path file, Write store)
      : file_(std::move(file)), store_(std::move(store)) {}

  /// Never blocks for a file or the store.
  void add(plugins::AuditEntry entry);
  /// Writes the queued entries. After a failure, which it returns, the rest waits for the next
  /// call.
  Status flush();
  /// Number of entries dropped since the last call.
  std::size_t take_lost();

 private:
  struct Queue {
    std::deque<plugins::AuditEntry> entries;
    std::size_t bytes = 0;  ///< of `entries`
    std::size_t gone = 0;   ///< entries removed so far

    void remove_oldest();
  };
  [[nodiscard]] Status append(const std::vector<plugins::AuditEntry>& entries) const;
  Status flush(Queue& queue, const Write& write);
  void put(Queue& queue, plugins::AuditEntry entry);

  const std::filesystem::path file_;
  const Write store_;
  std::mutex flush_mutex_;  ///< locked before mutex_
  std::mutex mutex_;
  Queue for_file_;
  Queue for_store_;
  std::size_t lost_ = 0;
};

}  // namespace quarry::access
