#pragma once

#include "base/error.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include <sys/stat.h>

namespace quarry::config {

/// The owners that a configuration file may have.
enum class Owners { kSelf, kSelfOrRoot };

/// The user a configuration is read for, as the kernel knows files (`uid` is the effective user).
struct Reader {
  uid_t uid;
  /// True when only `owner` is in the group, as with a user's private group: what that group may
  /// write, nobody else may.
  bool (*is_private_group)(uid_t owner, gid_t group);
  static Reader current();
};

/// The cause why somebody else could have written what `entry` describes, as a clause ("belongs to
/// another user (uid 7)"); nothing when nobody could. A link has no mode of its own.
std::optional<std::string> foreign_entry(const struct stat& entry, const Reader& reader,
                                         Owners owners);

/// The same of the directory that holds a file: somebody else could replace the file. In a sticky
/// directory only the owner of a file can.
std::optional<std::string> foreign_directory(const struct stat& directory, const Reader& reader);

/// The bytes of the user's or the system's file, of at most `limit`; nothing when there is no file.
/// kPermissionDenied when it belongs to somebody but this user and root, or others may write to it.
/// Links are followed; what is judged is the file that is read.
Result<std::optional<std::string>> read_own_file(const std::filesystem::path& file,
                                                 std::size_t limit);

/// A file found in a directory on the way up, or the reason why the one there is not read.
struct ProjectFile {
  std::filesystem::path path;
  std::string bytes;     ///< as read, once: what is judged is what is parsed
  std::string not_read;  ///< a clause; empty when it was read
};

/// The file `name` of `directory`; nothing when there is none. A file, link or directory that
/// somebody else could have written is never read. Fails when the user's own file cannot be read.
Result<std::optional<ProjectFile>> read_project_file(const std::filesystem::path& directory,
                                                     const std::string& name, std::size_t limit);

}  // namespace quarry::config
