#pragma once

#include "base/error.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/stat.h>

namespace quarry::config {

/// Permitted owners of a configuration file.
enum class Owners { kSelf, kSelfOrRoot };

/// The user who reads a configuration (`uid` is the effective user).
struct Reader {
  uid_t uid;
  /// True if only `owner` is in the group (a user's private group): a file that the group may write
  /// is still writable by no other user.
  bool (*is_private_group)(uid_t owner, gid_t group);
  static Reader current();
};

/// The cause why another user could have written `entry`, as a clause ("belongs to another user
/// (uid 7)"); nothing if none could. The mode of a link is ignored.
std::optional<std::string> foreign_entry(const struct stat& entry, const Reader& reader,
                                         Owners owners);

/// The same for the directory of a file, in which another user could replace the file. In a sticky
/// directory only the owner of a file can.
std::optional<std::string> foreign_directory(const struct stat& directory, const Reader& reader);

/// Reads at most `limit` bytes of the user's or the system's file; nothing if there is no file.
/// kPermissionDenied if it belongs to another user than this one or root, or others may write to
/// it. Links are followed; the opened file is checked.
Result<std::optional<std::string>> read_own_file(const std::filesystem::path& file,
                                                 std::size_t limit);

/// A file found in a directory or one above it, or the reason why it is not read.
struct ProjectFile {
  std::filesystem::path path;
  std::string bytes;     ///< read once, so that the checked bytes are the parsed ones
  std::string not_read;  ///< cause, as a clause; empty if it was read
};

/// Reads the file `name` of `directory`; nothing if there is none. A file, link or directory that
/// another user could have written is never read. Fails if the user's own file cannot be read.
Result<std::optional<ProjectFile>> read_project_file(const std::filesystem::path& directory,
                                                     const std::string& name, std::size_t limit);

}  // namespace quarry::config
