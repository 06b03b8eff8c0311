#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/statements.h"
#include "store_sql/transactions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// `least_projects`: 0 for one that may have lost all of them.
Token read_token(const Members& request, std::size_t least_projects = 1);

/// Table and columns of a token, and their values, which refer to it.
inline constexpr std::string_view kTokenColumns =
    "tokens (id, hash, rights, label, created, expires, revoked, requests_per_minute, streams,"
    " usd_per_day)";
std::array<Value, 10> values_of(const Token& token);

/// All tokens with their projects, by age, as <quarry/draft/store.h> defines them.
Json all_tokens(Statements& sql);

// Each is one transaction.
Outcome<Result> create_token(Connection& connection, const Token& token);
/// The tokens of one project, or of all.
Outcome<Result> tokens(Connection& connection, const std::optional<std::string>& project);
Outcome<Result> find_token(Connection& connection, const std::string& hash);
/// `known`: the state of the last call, below 0 for none.
Outcome<Result> token_hashes(Connection& connection, std::int64_t known, std::int64_t most);
Outcome<Result> revoke_token(Connection& connection, const std::string& id, std::int64_t at);

}  // namespace quarry::store_sql
