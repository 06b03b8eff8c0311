#include "backup/new_directory.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/hash.h"

#include <cerrno>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

namespace quarry::backup {
namespace {

namespace fs = std::filesystem;

/// The same for every directory of one owner on one machine.
std::string prefix_of(std::string_view owner) {
  char machine[256] = {};
  static_cast<void>(::gethostname(machine, sizeof machine - 1));
  return ".quarry-backup-" +
         sha256_hex(std::string(machine) + '\n' + std::string(owner)).substr(0, 16) + '-';
}

bool is_own_directory(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

/// True if there were any.
Result<bool> remove_rests(const fs::path& parent, const std::string& prefix) {
  std::error_code failed;
  bool removed = false;
  for (const auto& entry : entries_of(parent, failed)) {
    if (!entry.path().filename().native().starts_with(prefix)) continue;
    if (!is_own_directory(entry.path())) continue;
    fs::remove_all(entry.path(), failed);
    if (failed) break;
    removed = true;
  }
  if (failed) return system_error("cannot use " + parent.string(), failed.value());
  return removed;
}

Status check_free(const fs::path& directory) {
  std::error_code failed;
  const auto status = fs::symlink_status(directory, failed);
  if (status.type() == fs::file_type::not_found) return {};
  if (fs::is_directory(status) && fs::is_empty(directory, failed) && !failed) return {};
  return Error{Code::kInvalidArgument, directory.string() + " exists already",
               "Name a directory that does not exist, or an empty one."};
}

}  // namespace

Result<NewDirectory> NewDirectory::make(const fs::path& directory, std::string_view owner) {
  if (Status free = check_free(directory); !free) return std::move(free).error();
  const fs::path parent = directory.parent_path();
  const std::string prefix = prefix_of(owner);
  const auto removed = remove_rests(parent, prefix);
  if (!removed) return removed.error();
  auto made = make_temp_directory(parent, prefix);
  if (!made) return std::move(made).error();
  return NewDirectory(directory, std::move(*made), *removed);
}

NewDirectory::NewDirectory(NewDirectory&& other) noexcept
    : directory_(std::move(other.directory_)),
      made_(std::exchange(other.made_, {})),
      removed_a_rest_(other.removed_a_rest_) {}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  if (!made_.empty()) fs::remove_all(made_, ignored);
}

Status NewDirectory::publish() {
  if (Status synced = sync_directory(made_); !synced) return synced;
  if (std::rename(made_.c_str(), directory_.c_str()) != 0) {
    return system_error("cannot create " + directory_.string(), errno);
  }
  made_.clear();
  return sync_directory(directory_.parent_path());
}

}  // namespace quarry::backup
