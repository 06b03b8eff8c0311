#pragma once

#include "store_sql/connection.h"

#include <cstdint>
#include <string_view>

namespace quarry::store_sql {

/// The number of the schema that this code knows.
inline constexpr std::int64_t kSchema = 2;

/// Brings the schema up to date within the transaction that runs. Several hosts may do so at once.
/// QUARRY_UNSUPPORTED when it is newer than kSchema. `name` is the database's, for messages.
Outcome<Done> migrate(Connection& connection, const Dialect& dialect, std::string_view name);

}  // namespace quarry::store_sql
