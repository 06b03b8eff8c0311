#include "config/ownership.h"

#include "base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAccountBytes = 1u << 16;

bool is_private_group_of(uid_t owner, gid_t group) {
  passwd user{};
  passwd* user_found = nullptr;
  std::vector<char> user_text(kMaxAccountBytes);
  if (::getpwuid_r(owner, &user, user_text.data(), user_text.size(), &user_found) != 0)
    return false;
  if (user_found == nullptr || user.pw_gid != group) return false;
  struct group entry {};
  struct group* group_found = nullptr;
  std::vector<char> group_text(kMaxAccountBytes);
  if (::getgrgid_r(group, &entry, group_text.data(), group_text.size(), &group_found) != 0) {
    return false;
  }
  if (group_found == nullptr || std::string_view(entry.gr_name) != user.pw_name) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member) {
    if (std::string_view(*member) != user.pw_name) return false;
  }
  return true;
}

bool may_own(uid_t owner, const Reader& reader, Owners owners) {
  return owner == reader.uid || (owners == Owners::kSelfOrRoot && owner == 0);
}

bool others_may_write(const struct stat& entry, const Reader& reader) {
  if ((entry.st_mode & S_IWOTH) != 0) return true;
  return (entry.st_mode & S_IWGRP) != 0 && !reader.is_private_group(entry.st_uid, entry.st_gid);
}

std::string mode_text(mode_t mode) {
  std::string out = "0000";
  for (std::size_t i = 0; i < 4; ++i) {
    out[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 07));
  }
  return out;
}

std::string owner_clause(uid_t uid) {
  return "belongs to another user (uid " + std::to_string(uid) + ")";
}

/// Reads the file opened as `fd`, even if another one is at `file` by now.
Result<std::string> read_opened(const Fd& fd, const fs::path& file, std::size_t limit) {
  const std::string opened = "/proc/self/fd/" + std::to_string(fd.get());
  auto bytes = read_file(opened, limit);
  if (!bytes) bytes.error().message.replace(0, opened.size(), file.string());
  return bytes;
}

/// Flags with which open() does not block on a pipe without a writer.
constexpr int kOpenForReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

}  // namespace

Reader Reader::current() {
  return {::geteuid(), &is_private_group_of};
}

std::optional<std::string> foreign_entry(const struct stat& entry, const Reader& reader,
                                         Owners owners) {
  if (!may_own(entry.st_uid, reader, owners)) return owner_clause(entry.st_uid);
  if (!S_ISLNK(entry.st_mode) && others_may_write(entry, reader)) {
    return "others may write to it (mode " + mode_text(entry.st_mode) + ")";
  }
  return std::nullopt;
}

std::optional<std::string> foreign_directory(const struct stat& directory, const Reader& reader) {
  if (!may_own(directory.st_uid, reader, Owners::kSelfOrRoot)) {
    return "its directory " + owner_clause(directory.st_uid);
  }
  if ((directory.st_mode & S_ISVTX) == 0 && others_may_write(directory, reader)) {
    return "others may write to its directory (mode " + mode_text(directory.st_mode) + ")";
  }
  return std::nullopt;
}

Result<std::optional<std::string>> read_own_file(const fs::path& file, std::size_t limit) {
  const Fd fd(::open(file.c_str(), kOpenForReading));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return system_error(file.string(), errno);
  if (const auto cause = foreign_entry(status, Reader::current(), Owners::kSelfOrRoot)) {
    return Error{
        Code::kPermissionDenied, file.string() + " is not read: " + *cause,
        "It must belong to you or to root, and no other user may write to it (chmod go-w)."};
  }
  auto bytes = read_opened(fd, file, limit);
  if (!bytes) return std::move(bytes).error();
  return std::optional<std::string>(std::move(*bytes));
}

Result<std::optional<ProjectFile>> read_project_file(const fs::path& directory,
                                                     const std::string& name, std::size_t limit) {
  const fs::path file = directory / name;
  const Reader reader = Reader::current();
  struct stat holder {};
  struct stat entry {};
  struct stat opened {};
  const Fd parent(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!parent || ::fstat(parent.get(), &holder) != 0 ||
      ::fstatat(parent.get(), name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::optional<ProjectFile>();
  }
  const auto not_read = [&](std::string cause) {
    return std::optional<ProjectFile>(ProjectFile{file, {}, std::move(cause)});
  };
  if (auto cause = foreign_directory(holder, reader)) return not_read(std::move(*cause));
  // The owner of a link chooses its target, and so decides if it can be read at all.
  if (auto cause = foreign_entry(entry, reader, Owners::kSelf)) return not_read(std::move(*cause));
  const Fd fd(::openat(parent.get(), name.c_str(), kOpenForReading));
  if (!fd && errno == ENOENT) return std::optional<ProjectFile>();
  if (!fd || ::fstat(fd.get(), &opened) != 0) return system_error(file.string(), errno);
  if (auto cause = foreign_entry(opened, reader, Owners::kSelf)) return not_read(std::move(*cause));
  auto bytes = read_opened(fd, file, limit);
  if (!bytes) return std::move(bytes).error();
  return std::optional<ProjectFile>(ProjectFile{file, std::move(*bytes), {}});
}

}  // namespace quarry::config
