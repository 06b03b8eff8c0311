#include "resource-npm/kept_packuments.h"

#include "resource-npm/entry_name.h"
#include "resource-npm/file.h"
#include "resource-npm/integrity.h"

#include <quarry/cache_entry.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace quarry::resource_npm {
namespace {

constexpr const char* kPackumentKind = "packument";
constexpr const char* kFile = "packument.json";
constexpr const char* kNewFile = ".packument.json";
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// The first line of the file, before the packument, because damage within its text need not break
/// the JSON.
std::string digest_of(std::string_view text) {
  Hasher hasher("sha256");
  hasher.add(text);
  return hasher.finish();
}

/// The packument of a file; nullopt when the file is damaged.
std::optional<std::string_view> checked(std::string_view file) {
  const auto end = std::min(file.find('\n'), file.size());
  const std::string_view text = file.substr(std::min(end + 1, file.size()));
  if (file.substr(0, end) != digest_of(text)) return std::nullopt;
  return text;
}

/// Writes the file atomically into a locked directory.
bool put(int directory, std::string_view text) {
  const File file(
      ::openat(directory, kNewFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && write_whole(file.get(), text) && ::fsync(file.get()) == 0 &&
         ::renameat(directory, kNewFile, directory, kFile) == 0 && ::fsync(directory) == 0;
}

/// True for anything but a directory.
bool can_be_replaced(const std::filesystem::path& file) {
  std::error_code failed;
  return !std::filesystem::is_directory(std::filesystem::symlink_status(file, failed));
}

}  // namespace

std::string KeptPackuments::name_of(const std::string& url) const {
  return entry_name(kPackumentKind, reader_ + "\n" + url);
}

std::optional<Packument> KeptPackuments::load(const std::string& url) const {
  const auto entry = CacheEntry::open(cache_, name_of(url), CacheEntry::Lock::kShared);
  if (!entry) return std::nullopt;
  const File file(::openat(entry.directory(), kFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return std::nullopt;
  entry.touch();
  const auto text = read_whole(file.get(), kMostBytes);
  const auto sound = text ? checked(*text) : std::nullopt;
  return sound ? Packument::read(*sound) : std::nullopt;
}

std::string KeptPackuments::store(const std::string& url, const Packument& packument) const {
  if (cache_.empty()) return {};
  const std::string name = name_of(url);
  auto entry = CacheEntry::open(cache_, name, CacheEntry::Lock::kExclusive);
  if (entry && !can_be_replaced(entry.path() / kFile)) std::exchange(entry, {}).remove();
  const bool is_new = !entry;
  if (is_new) entry = CacheEntry::begin(cache_);
  const std::string text = packument.text();
  if (entry && put(entry.directory(), digest_of(text) + '\n' + text) &&
      (!is_new || entry.publish(name) || errno == EEXIST)) {
    return {};
  }
  return cache_.string() +
         " cannot be written: " + std::error_code(errno, std::generic_category()).message();
}

}  // namespace quarry::resource_npm
