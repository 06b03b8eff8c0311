#pragma once

#include "history/database.h"

#include <optional>

namespace quarry::history {

/// The version of the schema this program writes; kept in `PRAGMA user_version`.
inline constexpr std::int64_t kSchemaVersion = 4;

/// Opens the history in `file` and updates its schema; one opening at a time between all processes.
/// Rejects a file of a newer version unchanged.
Result<Database> open_history(const std::filesystem::path& file);

/// Renames a damaged history with SQLite's companion files and returns its new name; nothing if it
/// is not damaged, for example because another process has replaced it. One at a time between all
/// processes.
Result<std::optional<std::filesystem::path>> rename_damaged_history(
    const std::filesystem::path& file);

}  // namespace quarry::history
