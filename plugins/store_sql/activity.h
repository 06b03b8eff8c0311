#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace quarry::store_sql {

/// What a host did since its last exchange.
struct Activity {
  std::string host;
  std::int64_t at = 0;
  std::int64_t window = 0;
  /// By window and token, in one order for all hosts: so they never wait for one another in a ring.
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> requests;
  std::string streams;  ///< JSON: counts by token
};

Activity read_activity(const Members& request);

// Each is one transaction.
Outcome<Result> exchange(Connection& connection, const Activity& activity);
Outcome<Result> end_session(Connection& connection, const std::string& id, std::int64_t expires);

}  // namespace quarry::store_sql
