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

/// One JSON object in one line, as the audit file has it.
std::string audit_line(const plugins::AuditEntry& entry);

/// Keeps what was called until it is written: to the store and, when there is one, a file. An entry
/// that cannot be written waits; only beyond `kMost` are the oldest given up, which is told.
/// Thread-safe.
class AuditTrail {
 public:
  static constexpr std::size_t kMost = 100'000;
  static constexpr std::size_t kBatch = 500;

  using Write = std::function<Status(const std::vector<plugins::AuditEntry>&)>;
  /// `file`: empty = none; opened anew for each batch, so that it may be moved away.
  AuditTrail(std::filesystem::path file, Write store)
      : file_(std::move(file)), store_(std::move(store)) {}

  /// Never blocks for a file or the store.
  void add(plugins::AuditEntry entry);
  /// Writes what waits. After a failure, which it answers, the rest waits for the next time.
  Status flush();
  /// How many were given up since the last call.
  std::size_t take_lost();

 private:
  struct Queue {
    std::deque<plugins::AuditEntry> entries;
    std::size_t gone = 0;  ///< entries that were before these
  };
  [[nodiscard]] Status append(const std::vector<plugins::AuditEntry>& entries) const;
  Status flush(Queue& queue, const Write& write);
  void put(Queue& queue, plugins::AuditEntry entry);

  const std::filesystem::path file_;
  const Write store_;
  std::mutex flush_mutex_;  ///< taken before the other
  std::mutex mutex_;
  Queue for_file_;
  Queue for_store_;
  std::size_t lost_ = 0;
};

}  // namespace quarry::access
