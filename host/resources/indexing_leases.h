#pragma once

#include "resources/store.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string_view>

namespace quarry::resources {

class IndexingLease;

/// Leases of snapshots that are maintained in the background. They are released before a snapshot
/// is removed, because indexing alone must not keep it. Thread-safe.
class IndexingLeases {
 public:
  /// Registers `leased` for the lifetime of the result, which this object must outlive.
  std::shared_ptr<IndexingLease> take(Leased leased);
  /// Releases all whose names begin with `prefix`. Requests running work on them to stop and waits
  /// for its end.
  void release(std::string_view prefix);

 private:
  friend class IndexingLease;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<IndexingLease*> indexing_leases_;
};

/// Lease of one snapshot. Used by one thread.
class IndexingLease {
 public:
  IndexingLease(IndexingLeases& owner, Leased leased);
  ~IndexingLease();
  IndexingLease(const IndexingLease&) = delete;
  IndexingLease& operator=(const IndexingLease&) = delete;

  /// False if it was already released. Otherwise leased() is valid until end().
  [[nodiscard]] bool begin();
  [[nodiscard]] const Leased& leased() const { return leased_; }
  /// Triggered when it must be released.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void request_stop() { stop_.request_stop(); }
  /// Releases it.
  void end();

 private:
  friend class IndexingLeases;
  IndexingLeases& owner_;
  Leased leased_;
  std::stop_source stop_;
  bool working_ = false;  // under the owner's mutex
};

}  // namespace quarry::resources
