#pragma once

#include "access.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace quarry::mcp {

/// Requests that were refused before anything of theirs ran, on their way to the audit: the first
/// of a sender and a status at once, the rest of its minute as one record with their number. Beyond
/// 64 senders a minute the others count as one without a name. So whoever is refused, however
/// often, adds few lines. [any]
class Refusals {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `access` must outlive this.
  explicit Refusals(Access& access) : access_(access) {}

  /// The sender is the principal, or the peer where there is none.
  void add(Record record, Time now);
  /// Hands over what has waited for its minute; with `all`, everything. Answers whether some wait.
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
