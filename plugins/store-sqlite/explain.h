#pragma once

#include <quarry/outcome.hpp>

#include <string>

namespace quarry::store_sqlite {

/// The failure for SQLite's extended result code `result`, with a hint for the user.
Failure explained(int result, const std::string& file, const std::string& cause);

/// The failure for an errno of a system call on the file or its directory.
Failure explained_errno(int number, const std::string& what);

}  // namespace quarry::store_sqlite
