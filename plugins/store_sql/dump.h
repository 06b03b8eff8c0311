#pragma once

#include "store_sql/connection.h"
#include "store_sql/projects.h"
#include "store_sql/request.h"
#include "store_sql/resources.h"
#include "store_sql/secrets.h"
#include "store_sql/spending.h"
#include "store_sql/tokens.h"
#include "store_sql/transactions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::store_sql {

struct NamedKey {
  std::string name;
  std::string key;  ///< 64 hexadecimal digits
};

struct DumpedReservation {
  Reservation reservation;              ///< without limits and `at`
  std::optional<std::int64_t> settled;  ///< nano-dollars
};

struct EndedSession {
  std::string id;
  std::int64_t expires = 0;
};

/// What a store holds, but for audit and activity.
struct Dump {
  std::vector<Project> projects;
  std::vector<Token> tokens;
  std::vector<NewResource> resources;  ///< without `most`; those of a project in their order
  std::vector<NewSecret> secrets;
  std::vector<NamedKey> keys;
  std::vector<DumpedReservation> reservations;
  std::vector<EndedSession> ended_sessions;
};

/// Reads a request of `load`.
Dump read_dump(const Members& request);
/// QUARRY_UNSUPPORTED if the request has a member that read_dump does not know.
std::optional<Failure> unknown_member(const Json& request);

// Each is one transaction.
Outcome<Result> dump(Connection& connection);
Outcome<Result> load(Connection& connection, const Dump& dump);

}  // namespace quarry::store_sql
