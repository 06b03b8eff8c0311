#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::store_sql {

struct Token {
  std::string id;
  std::string hash;
  std::vector<std::string> projects;
  std::string rights;  ///< JSON
  std::string label;
  std::int64_t created = 0;
  std::optional<std::int64_t> expires;
  std::optional<std::int64_t> revoked;
  std::optional<std::int64_t> requests_per_minute;
  std::optional<std::int64_t> streams;
  std::optional<std::int64_t> usd_per_day;  ///< nano-dollars
};

Token read_token(const Members& request);

// Each is one transaction.
Outcome<Result> create_token(Connection& connection, const Token& token);
/// The tokens of one project, or of all.
Outcome<Result> tokens(Connection& connection, const std::optional<std::string>& project);
Outcome<Result> find_token(Connection& connection, const std::string& hash);
/// `known`: the state of the last call, below 0 for none.
Outcome<Result> token_hashes(Connection& connection, std::int64_t known, std::int64_t most);
Outcome<Result> revoke_token(Connection& connection, const std::string& id, std::int64_t at);

}  // namespace quarry::store_sql
