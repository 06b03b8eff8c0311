#pragma once

#include "backup/backup.h"
#include "base/error.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace quarry::backup {

struct Restored {
  std::vector<Part> parts;                        ///< in the order of kParts
  std::vector<std::filesystem::path> files;       ///< of the configuration, that were replaced
  std::optional<std::filesystem::path> replaced;  ///< backup of what was there before, if anything
};

/// Replaces the wanted parts, or those of them that the backup in `directory` has if `all`, by
/// their copies there. Nothing is changed before every file of the backup was checked, and what is
/// there now was backed up into before-restore/ of the state directory; a damaged history is
/// renamed instead. Others may use all of them meanwhile. After an end at any moment, the same call
/// completes it. Requires lock_state.
Result<Restored> restore(const Places& places, const std::filesystem::path& directory, bool all,
                         const Work& work);

/// An error about a restore that has begun and not ended, and that no process continues.
std::optional<Error> interrupted_restore(const std::filesystem::path& state);

}  // namespace quarry::backup
