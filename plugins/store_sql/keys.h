#pragma once

#include "store_sql/connection.h"
#include "store_sql/transactions.h"

#include <string>

namespace quarry::store_sql {

/// The key of that name, created if missing; one transaction.
Outcome<Result> secret_key(Connection& connection, const std::string& name);

}  // namespace quarry::store_sql
