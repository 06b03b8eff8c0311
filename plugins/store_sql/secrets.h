#pragma once

#include "store_sql/connection.h"
#include "store_sql/request.h"
#include "store_sql/transactions.h"

#include <string>

namespace quarry::store_sql {

/// The place of a secret in a project; `member` is exact, names match in any case.
struct SecretPlace {
  std::string project;
  std::string resource;
  std::string member;
};
struct NewSecret {
  SecretPlace place;
  std::string body;  ///< JSON of the whole secret
};

SecretPlace read_secret_place(const Members& request);
NewSecret read_secret(const Members& request);

// Each is one transaction.
Outcome<Result> set_secret(Connection& connection, const NewSecret& secret);
Outcome<Result> secrets(Connection& connection, const std::string& project);
Outcome<Result> remove_secret(Connection& connection, const SecretPlace& place);

}  // namespace quarry::store_sql
