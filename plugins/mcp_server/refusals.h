#pragma once

#include "access.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace quarry::mcp {

/// Limits the audit records of refused requests: the first of a sender and a status is recorded at
/// once, the others of its minute as one record with their number. Beyond 64 senders a minute, the
/// others count as one sender without a name. So many refused requests add few lines. [any]
class Refusals {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `access` must outlive this.
  explicit Refusals(Access& access) : access_(access) {}

  /// The sender is the principal, or the peer if there is none.
  void add(Record record, Time now);
  /// Records the entries whose minute has passed; with `all`, every entry. Returns true if entries
  /// remain.
  bool flush(Time now, bool all);

 private:
  struct Waiting {
    Record last;
    std::size_t count = 0;
    Time since;
  };
  using Key = std::pair<std::string, int>;  // sender and status

  Access& access_;
  std::mutex mutex_;
  std::map<Key, Waiting> waiting_;  // under mutex_
};

}  // namespace quarry::mcp
