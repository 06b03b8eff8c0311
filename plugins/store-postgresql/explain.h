#pragma once

#include <quarry/outcome.hpp>

#include <string>
#include <string_view>

namespace quarry::store_postgresql {

/// True if this SQLSTATE means a conflict with another transaction.
bool is_conflict(std::string_view sqlstate);
/// True if this SQLSTATE means that the connection must be replaced.
bool is_connection_lost(std::string_view sqlstate);

/// The failure for a server's error in a statement, with a hint for the user.
Failure explained(std::string_view sqlstate, std::string_view message);
/// The failure for an error while connecting.
Failure not_connected(std::string_view message);

}  // namespace quarry::store_postgresql
