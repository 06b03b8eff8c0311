#pragma once

#include "resources/store.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string_view>
#include <vector>

namespace quarry::resources {

class IndexingLease;

/// True if these are different states of files that change, of which only the last is used.
[[nodiscard]] bool replace_each_other(const Stored& left, const Stored& right);

/// Leases of snapshots that are maintained in the background. They are released before a snapshot
/// is removed, because indexing alone must not keep it. Thread-safe.
class IndexingLeases {
 public:
  /// Registers `leased` for the lifetime of the result, which this object must outlive. It
  /// supersedes the lease of an earlier state of the same files.
  std::shared_ptr<IndexingLease> take(Leased leased);
  /// Releases all whose names begin with `prefix`. Requests running work on them to stop and waits
  /// for its end.
  void release(std::string_view prefix);
  /// Calls `act` once no lease is left, perhaps before this returns. [any]
  void when_idle(std::function<void()> act);

 private:
  friend class IndexingLease;
  void remove(IndexingLease* lease);

  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<IndexingLease*> indexing_leases_;
  std::vector<std::function<void()>> when_idle_;
};

/// Lease of one snapshot, whose work is done in turns.
class IndexingLease : public std::enable_shared_from_this<IndexingLease> {
 public:
  IndexingLease(IndexingLeases& owner, Leased leased);  ///< for IndexingLeases::take
  ~IndexingLease();
  IndexingLease(const IndexingLease&) = delete;
  IndexingLease& operator=(const IndexingLease&) = delete;

  /// Begins a turn. False if it was released, or if another thread is in a turn. Otherwise leased()
  /// is valid until pause() or end().
  [[nodiscard]] bool begin();
  /// Ends a turn.
  void pause();
  [[nodiscard]] const Leased& leased() const { return leased_; }
  /// Triggered when it must be released.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  void request_stop() { stop_.request_stop(); }
  /// Releases it.
  void end();

  /// True once a later state of the same files is leased.
  [[nodiscard]] bool is_superseded() const;
  /// The lease that this one superseded, for its indexes; null after the first call.
  std::shared_ptr<IndexingLease> take_superseded();
  /// The segment whose indexes are built next.
  std::uint32_t next_segment = 0;

 private:
  friend class IndexingLeases;
  IndexingLeases& owner_;
  std::stop_source stop_;
  // Under the owner's mutex:
  Leased leased_;
  bool working_ = false;
  bool is_superseded_ = false;
  std::shared_ptr<IndexingLease> superseded_;
};

}  // namespace quarry::resources
