#pragma once

#include "store_sql/connection.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace quarry::store_sql {

/// Connections to one database, each used by one thread at a time. Any thread.
class Pool {
 public:
  /// Returns a connection to the pool; closes it if it is lost.
  struct Release {
    Pool* pool = nullptr;
    void operator()(Connection* connection) const { pool->release(connection); }
  };
  using Lease = std::unique_ptr<Connection, Release>;

  /// `database` must outlive the pool; at most `most` connections at once.
  Pool(Database& database, std::size_t most) : database_(database), most_(most) {}

  /// A connection for `call`; waits while all are in use.
  Outcome<Lease> take(const Call& call);
  /// Closes idle connections: if one broke, the others probably did too.
  void close_idle();

 private:
  Outcome<Done> wait_for_slot(const Call& call, std::unique_ptr<Connection>& idle);
  void release(Connection* connection);
  void free_slot();

  Database& database_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable slot_freed_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t open_ = 0;  ///< idle, in use, and being opened
};

}  // namespace quarry::store_sql
