#pragma once

#include "store_sql/connection.h"

#include <cstdint>
#include <string_view>

namespace quarry::store_sql {

/// The newest schema that this code supports.
inline constexpr std::int64_t kSchema = 3;

/// The number of the schema that the database has, 0 for none. Changes nothing.
Outcome<std::int64_t> schema_of(Connection& connection, const Dialect& dialect);

/// Updates the schema within the running transaction. Several hosts may do so at once. Fails with
/// QUARRY_UNSUPPORTED if the schema is newer than kSchema. `name` is the database's, for messages.
Outcome<Done> migrate(Connection& connection, const Dialect& dialect, std::string_view name);

}  // namespace quarry::store_sql
