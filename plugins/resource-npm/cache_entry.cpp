#include "resource-npm/cache_entry.h"

#include "resource-npm/integrity.h"

#include <quarry/paths.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>

#include <sys/file.h>
#include <sys/stat.h>

namespace quarry::resource_npm {
namespace fs = std::filesystem;

namespace {

bool is_at(int fd, const fs::path& path) {
  struct stat mine {
  }, there{};
  return ::fstat(fd, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
         mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
}

/// Whoever removes entries moves them away first, so a lock counts only while the path still leads
/// to what is locked.
File locked(const fs::path& directory, int how) {
  File held(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!held || ::flock(held.get(), how) != 0 || !is_at(held.get(), directory)) return File();
  return held;
}

}  // namespace

CacheEntry::~CacheEntry() {
  if (!directory_ || !begun_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

CacheEntry CacheEntry::open(const fs::path& cache, const std::string& name, Lock lock) {
  if (cache.empty()) return {};
  const fs::path path = cache / name;
  return {locked(path, lock == Lock::kShared ? LOCK_SH : LOCK_EX), path};
}

CacheEntry CacheEntry::begin(const fs::path& cache) {
  if (cache.empty()) return {};
  std::string path = (cache / ".new-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) return {};
  CacheEntry out(locked(path, LOCK_EX), path);
  out.begun_ = true;
  return out;
}

void CacheEntry::touch() const {
  ::futimens(directory(), nullptr);
}

bool CacheEntry::publish(const std::string& name) {
  const fs::path path = path_.parent_path() / name;
  if (::rename(path_.c_str(), path.c_str()) != 0) return errno == ENOTEMPTY || errno == EEXIST;
  path_ = path;
  begun_ = false;
  return true;
}

fs::path cache_of(const Host& host) {
  const auto* paths = host.service<quarry_paths_v1>(QUARRY_PATHS);
  return paths ? fs::path(as_view(paths->cache(paths))) : fs::path();
}

std::string entry_name(std::string_view kind, std::string_view text) {
  constexpr std::size_t kLongEnough = 32;  // 192 bits
  Hasher hasher("sha256");
  hasher.add(text);
  std::string hash = hasher.finish().substr(sizeof "sha256-" - 1, kLongEnough);
  for (char& c : hash) {
    if (c == '/') c = '_';
    if (c == '+') c = '-';
  }
  return std::string(kind) + "-" + hash;
}

}  // namespace quarry::resource_npm
