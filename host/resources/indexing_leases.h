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

/// The snapshots that are looked after in the background, each leased meanwhile. What is to be
/// removed is let go first: nobody reads it for the sake of its indexes. Thread-safe.
class IndexingLeases {
 public:
  /// `leased` is looked after as long as the value lives, which must not be longer than this.
  std::shared_ptr<IndexingLease> take(Leased leased);
  /// Lets go of all whose names begin with `prefix`. Requests the stop of what has begun with one,
  /// and waits for its end.
  void let_go(std::string_view prefix);

 private:
  friend class IndexingLease;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<IndexingLease*> indexing_leases_;
};

/// One of them. One thread works with it.
class IndexingLease {
 public:
  IndexingLease(IndexingLeases& owner, Leased leased);
  ~IndexingLease();
  IndexingLease(const IndexingLease&) = delete;
  IndexingLease& operator=(const IndexingLease&) = delete;

  /// False when it has been let go already. Otherwise leased() is valid until end().
  [[nodiscard]] bool begin();
  [[nodiscard]] const Leased& leased() const { return leased_; }
  /// Requested when it is to be let go.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void request_stop() { stop_.request_stop(); }
  /// Lets it go.
  void end();

 private:
  friend class IndexingLeases;
  IndexingLeases& owner_;
  Leased leased_;
  std::stop_source stop_;
  bool working_ = false;  // under the owner's mutex
};

}  // namespace quarry::resources
