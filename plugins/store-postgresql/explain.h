#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::store_postgresql {

/// Whether a transaction that met with this SQLSTATE lost against another one.
bool is_conflict(std::string_view sqlstate);
/// Whether the server that says this SQLSTATE is to be left for another connection.
bool is_leaving(std::string_view sqlstate);

/// What a server said of a statement, as a user can act on it.
Failure explained(std::string_view sqlstate, std::string_view message);
/// Why there is no connection.
Failure not_connected(std::string_view message);

}  // namespace quarry::store_postgresql
