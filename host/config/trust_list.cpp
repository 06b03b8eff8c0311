#include "config/trust_list.h"

#include "base/directory_entries.h"
#include "base/hash.h"
#include "base/text.h"
#include "config/ownership.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRecordBytes = 1u << 16;
constexpr std::size_t kDigestLength = 64;

/// The path under which a file is recorded.
fs::path key_of(const fs::path& file) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(file, failed).lexically_normal();
  const fs::path parent = fs::canonical(absolute.parent_path(), failed);
  return failed ? absolute : parent / absolute.filename();
}

fs::path record_of(const fs::path& directory, const fs::path& key) {
  return directory / sha256_hex(key.native());
}

bool is_digest(std::string_view text) {
  return text.size() == kDigestLength && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// A record is a line of digests, then the path, which may contain any byte.
std::string render(const TrustList::Entry& entry) {
  return join(entry.digests, " ") + "\n" + entry.file.native() + "\n";
}

std::optional<TrustList::Entry> parse(const std::string& text) {
  const std::size_t line = text.find('\n');
  if (line == std::string::npos || text.size() < line + 3 || text.back() != '\n') return {};
  TrustList::Entry out{text.substr(line + 1, text.size() - line - 2), {}};
  for (const std::string_view digest : split(std::string_view(text).substr(0, line), ' ')) {
    if (!is_digest(digest)) return {};
    out.digests.emplace_back(digest);
  }
  return out;
}

/// True if only this user could have written `entry`.
bool is_own(const struct stat& entry) {
  return entry.st_uid == ::geteuid() && (entry.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<TrustList::Entry> read_record(const fs::path& record) {
  const Fd fd(::open(record.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !is_own(status)) return std::nullopt;
  const auto text = read_file("/proc/self/fd/" + std::to_string(fd.get()), kMaxRecordBytes);
  auto entry = text ? parse(*text) : std::nullopt;
  if (entry && record.filename() != sha256_hex(entry->file.native())) return std::nullopt;
  return entry;
}

bool is_own_directory(const fs::path& directory) {
  struct stat status {};
  return ::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_own(status);
}

}  // namespace

std::vector<std::string> TrustList::digests_of(const fs::path& key) const {
  if (directory_.empty() || !is_own_directory(directory_)) return {};
  const auto entry = read_record(record_of(directory_, key));
  return entry && entry->file == key ? entry->digests : std::vector<std::string>();
}

bool TrustList::trusts(const fs::path& file, std::string_view content) const {
  const auto digests = digests_of(key_of(file));
  return !digests.empty() && std::ranges::find(digests, sha256_hex(content)) != digests.end();
}

bool TrustList::knows(const fs::path& file) const {
  return !digests_of(key_of(file)).empty();
}

std::vector<TrustList::Entry> TrustList::entries() const {
  std::vector<Entry> out;
  if (directory_.empty() || !is_own_directory(directory_)) return out;
  for (const auto& record : entries_of(directory_)) {
    if (!is_digest(record.path().filename().native())) continue;
    if (auto entry = read_record(record.path())) out.push_back(std::move(*entry));
  }
  std::ranges::sort(out, {}, &Entry::file);
  return out;
}

Status TrustList::record(const fs::path& file,
                         const std::vector<std::string_view>& contents) const {
  if (Status made = make_directory(); !made) return made;
  Entry entry{key_of(file), {}};
  for (const std::string_view content : contents) entry.digests.push_back(sha256_hex(content));
  const fs::path record = record_of(directory_, entry.file);
  struct stat before {};
  // A replaced file keeps the mode of the one before it.
  const bool mode_is_wrong = ::lstat(record.c_str(), &before) == 0 && !is_own(before);
  if (mode_is_wrong && ::unlink(record.c_str()) != 0) return system_error(record.string(), errno);
  return write_file_atomically(record, render(entry));
}

Result<bool> TrustList::revoke(const fs::path& file) const {
  const fs::path record = record_of(directory_, key_of(file));
  if (directory_.empty() || ::access(record.c_str(), F_OK) != 0) return false;
  const auto locked = lock();
  if (!locked) return locked.error();
  if (::unlink(record.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return system_error(record.string(), errno);
}

Result<FileLock> TrustList::lock() const {
  if (Status made = make_directory(); !made) return std::move(made).error();
  return FileLock::acquire(directory_, FileLock::Mode::kExclusive);
}

Status TrustList::make_directory() const {
  if (directory_.empty()) {
    return Error{Code::kUnavailable, "there is no directory to record trusted files in",
                 "Set HOME, or QUARRY_STATE_DIR, to an absolute path."};
  }
  if (Status made = create_private_directories(directory_); !made) return made;
  if (is_own_directory(directory_)) return {};
  return Error{Code::kPermissionDenied,
               directory_.string() +
                   " is not used: it must be a directory of yours that no "
                   "other user may write to",
               "Remove it; Quarry creates it again, and files must be trusted again."};
}

}  // namespace quarry::config
