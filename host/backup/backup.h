#pragma once

#include "backup/manifest.h"
#include "backup/store_files.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "config/config.h"
#include "plugins/store.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace quarry::backup {

/// Where the parts are.
struct Places {
  std::filesystem::path state;  ///< directory of the history and the key of secrets; exists
  std::vector<config::NamedFile> configuration;
  plugins::Store* store = nullptr;  ///< not opened; null = there is none
};

struct Work {
  std::set<Part> parts;
  std::string version;  ///< of this program
  Clock::Wall now;
  Cancelled cancelled;
};

struct BackedUp {
  Manifest manifest;
  bool removed_a_rest = false;  ///< of a backup that was killed
};

/// Tag of the error of a backup that would be empty.
inline constexpr std::string_view kNothingTag = "NothingToBackUp";

/// Excludes other backups and restores of the same state directory. kUnavailable if one runs.
Result<FileLock> lock_state(const std::filesystem::path& state);

/// Writes a backup of those of the wanted parts that exist, into a directory that does not exist
/// yet; an error with kNothingTag if there is none of them. Others may use all of them meanwhile.
/// The directory appears when it is complete; with mode 0700, its files with 0600. Requires
/// lock_state.
Result<BackedUp> back_up(const Places& places, const std::filesystem::path& directory,
                         const Work& work);

// The paths in a backup.
inline constexpr const char* kHistoryPath = "history.db";
inline constexpr const char* kDumpPath = "store/dump.json";
inline constexpr const char* kAuditPath = "store/audit.jsonl";
inline constexpr const char* kSecretsKeyPath = "store/secrets.key";
[[nodiscard]] std::string path_of(const config::NamedFile& file);

}  // namespace quarry::backup
