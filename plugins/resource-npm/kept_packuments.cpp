#include "resource-npm/kept_packuments.h"

#include "resource-npm/entry_name.h"
#include "resource-npm/file.h"

#include <quarry/cache_entry.hpp>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace quarry::resource_npm {
namespace {

constexpr const char* kKind = "packument";
constexpr const char* kFile = "packument.json";
constexpr const char* kNewFile = ".packument.json";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Puts the file into a directory that is locked, so that it is there whole or not at all.
bool put(int directory, std::string_view text) {
  const File file(
      ::openat(directory, kNewFile, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && write_whole(file.get(), text) && ::fsync(file.get()) == 0 &&
         ::renameat(directory, kNewFile, directory, kFile) == 0 && ::fsync(directory) == 0;
}

}  // namespace

std::optional<Packument> KeptPackuments::load(const std::string& url) const {
  const auto entry = CacheEntry::open(cache_, entry_name(kKind, url), CacheEntry::Lock::kShared);
  if (!entry) return std::nullopt;
  const File file(::openat(entry.directory(), kFile, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return std::nullopt;
  entry.touch();
  const auto text = read_whole(file.get(), kMostBytes);
  return text ? Packument::read(*text) : std::nullopt;
}

std::string KeptPackuments::store(const std::string& url, const Packument& packument) const {
  if (cache_.empty()) return {};
  const std::string name = entry_name(kKind, url);
  auto entry = CacheEntry::open(cache_, name, CacheEntry::Lock::kExclusive);
  const bool is_new = !entry;
  if (is_new) entry = CacheEntry::begin(cache_);
  if (entry && put(entry.directory(), packument.text()) &&
      (!is_new || entry.publish(name) || errno == EEXIST)) {
    return {};
  }
  return cache_.string() +
         " cannot be written: " + std::error_code(errno, std::generic_category()).message();
}

}  // namespace quarry::resource_npm
