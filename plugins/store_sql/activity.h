#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quarry::store_sql {

/// Number of requests of a token in a minute.
struct Requests {
  std::int64_t minute = 0;
  std::string token;
  std::int64_t count = 0;
};

/// Activity of a host since its last exchange. Its requests are sorted, each minute and token once,
/// so that hosts that write the same rows do not deadlock.
struct Activity {
  std::string host;
  std::int64_t at = 0;
  std::int64_t window = 0;
  std::vector<Requests> requests;
  std::string streams;  ///< JSON: counts by token
};

Activity read_activity(const Members& request);

// Each is one transaction.
Outcome<Result> exchange(Connection& connection, const Activity& activity);
Outcome<Result> end_session(Connection& connection, const std::string& id, std::int64_t expires);

}  // namespace quarry::store_sql
