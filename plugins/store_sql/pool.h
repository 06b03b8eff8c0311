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
  /// Puts a connection back, unless it is lost.
  struct Return {
    Pool* pool = nullptr;
    void operator()(Connection* connection) const { pool->put_back(connection); }
  };
  using Lease = std::unique_ptr<Connection, Return>;

  /// `database` must outlive the pool; at most `most` connections at once.
  Pool(Database& database, std::size_t most) : database_(database), most_(most) {}

  /// A connection for `call`; waits while all are in use.
  Outcome<Lease> take(const Call& call);
  /// Closes those that nobody uses: one that broke shows that the others did too.
  void close_idle();

 private:
  Outcome<Done> wait_for_room(const Call& call, std::unique_ptr<Connection>& idle);
  void put_back(Connection* connection);
  void forget_one();

  Database& database_;
  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t open_ = 0;  ///< idle, in use, and being opened
};

}  // namespace quarry::store_sql
