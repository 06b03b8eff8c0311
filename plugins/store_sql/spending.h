#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <string>

namespace quarry::store_sql {

/// Budget reservation; amounts in nano-dollars.
struct Reservation {
  std::string id;
  std::string token;
  std::string project;
  std::int64_t day = 0;
  std::int64_t nanos = 0;
  std::int64_t token_limit = kMost;
  std::int64_t project_limit = kMost;
  std::int64_t at = 0;
  std::int64_t expires = 0;
};

/// The scopes of rows of "spending". Every transaction changes the token's sum before the
/// project's, so that none deadlock.
inline constexpr const char* kTokenScope = "token";
inline constexpr const char* kProjectScope = "project";

Reservation read_reservation(const Members& request);

// Each is one transaction.
Outcome<Result> reserve(Connection& connection, const Reservation& reservation);
Outcome<Result> settle(Connection& connection, const std::string& id, std::int64_t nanos);

}  // namespace quarry::store_sql
