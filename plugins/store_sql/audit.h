#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::store_sql {

struct AuditEntry {
  std::int64_t at = 0;
  std::optional<std::string> project;
  std::string entry;  ///< JSON, as recorded
};

struct AuditWanted {
  std::int64_t since = 0;
  std::int64_t until = kMost;
  std::optional<std::string> project;
  std::int64_t most = 0;
};

std::vector<AuditEntry> read_entries(const Members& request);
AuditWanted read_wanted(const Members& request);

// Each is one transaction.
/// `once`: leaves out entries that are there already.
Outcome<Result> record(Connection& connection, const std::vector<AuditEntry>& entries, bool once);
Outcome<Result> audit(Connection& connection, const AuditWanted& wanted);
Outcome<Result> forget(Connection& connection, std::int64_t before);

}  // namespace quarry::store_sql
