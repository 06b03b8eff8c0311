#pragma once

#include "history/database.h"

#include <optional>

namespace quarry::history {

/// The version of the schema this program writes; kept in `PRAGMA user_version`.
inline constexpr std::int64_t kSchemaVersion = 2;

/// Opens the history in `file` and brings its schema up to date; one opening at a time between all
/// processes. A file of a newer version is refused as it is.
Result<Database> open_history(const std::filesystem::path& file);

/// Renames a damaged history and what SQLite keeps beside it, and answers the file's new name;
/// nothing when it is not damaged after all, as when another process was quicker. One at a time
/// between all processes.
Result<std::optional<std::filesystem::path>> set_aside_history(const std::filesystem::path& file);

}  // namespace quarry::history
