#pragma once

#include <quarry/outcome.hpp>

#include <string>

namespace quarry::store_sqlite {

/// The failure of SQLite with its extended code `result`, as a user can act on it.
Failure explained(int result, const std::string& file, const std::string& cause);

/// The failure of a system call on the file or its directory.
Failure explained_errno(int number, const std::string& what);

}  // namespace quarry::store_sqlite
