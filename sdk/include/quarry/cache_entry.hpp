/// An entry of a plugin's cache, by the rules of <quarry/paths.h>: several processes share the
/// cache, the host evicts entries that nobody holds, and a crash at any moment leaves nothing half.
#ifndef QUARRY_CACHE_ENTRY_HPP
#define QUARRY_CACHE_ENTRY_HPP

#include <quarry/host.hpp>
#include <quarry/paths.h>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

namespace quarry {

/// A directory that stays as long as this is held. One thread at a time.
class CacheEntry {
 public:
  enum class Lock { kShared, kExclusive };
  /// Called between two looks at a lock that somebody else holds: waits a little, and answers
  /// whether to look again.
  using Wait = std::function<bool()>;

  /// The plugin's cache; empty when the host has none.
  static std::filesystem::path cache_of(const Host& host) {
    const auto* paths = host.service<quarry_paths_v1>(QUARRY_PATHS);
    return paths == nullptr ? std::filesystem::path()
                            : std::filesystem::path(as_view(paths->cache(paths)));
  }

  /// The one of this name. What cannot be one (a file, say) is removed. None when there is none
  /// (ENOENT), when `wait` gave up (ECANCELED) or
  /// when it cannot be opened; errno says which. Without `wait` it blocks: for entries that nobody
  /// holds for long.
  static CacheEntry open(const std::filesystem::path& cache, const std::string& name, Lock lock,
                         const Wait& wait = {}) {
    const int how = lock == Lock::kShared ? LOCK_SH : LOCK_EX;
    if (cache.empty()) errno = ENOENT;
    while (!cache.empty()) {
      CacheEntry entry(cache / name);
      if (!entry && is_no_entry(errno)) {
        set_aside(cache / name);
        errno = ENOENT;
      }
      if (!entry || !entry.take(how, wait)) return {};
      // Whoever removed it moved it away first: then it is another's, or nobody's.
      if (entry.is_at_path()) return entry;
    }
    return {};
  }

  /// A new one, held alone, to be filled and then published. None when it cannot be made, and then
  /// errno says why.
  static CacheEntry begin(const std::filesystem::path& cache) {
    std::string path = (cache / ".new-XXXXXX").string();
    if (cache.empty()) errno = ENOENT;
    if (cache.empty() || ::mkdtemp(path.data()) == nullptr) return {};
    CacheEntry entry(path);
    entry.begun_ = true;
    // A sweep may come between making and locking it.
    if (!entry || !entry.take(LOCK_EX | LOCK_NB, {}) || !entry.is_at_path()) return {};
    return entry;
  }

  CacheEntry() = default;
  CacheEntry(CacheEntry&& other) noexcept { *this = std::move(other); }
  CacheEntry& operator=(CacheEntry&& other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(path_, other.path_);
    std::swap(begun_, other.begun_);
    return *this;
  }
  /// Removes one that was begun and never published. errno stays as it is.
  ~CacheEntry() {
    const int number = errno;
    if (begun_) remove();
    if (directory_ >= 0) ::close(directory_);
    errno = number;
  }

  explicit operator bool() const { return directory_ >= 0; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Its descriptor.
  [[nodiscard]] int directory() const { return directory_; }

  /// Notes that it is used now, so that others are removed before it.
  void touch() const { ::futimens(directory_, nullptr); }
  /// Gives one that was begun its name; it stays held. False when it failed, and then errno says
  /// why: EEXIST when there is one of that name.
  bool publish(const std::string& name) {
    const std::filesystem::path path = path_.parent_path() / name;
    if (::rename(path_.c_str(), path.c_str()) != 0) {
      if (errno == ENOTEMPTY) errno = EEXIST;
      return false;
    }
    path_ = path;
    begun_ = false;
    return true;
  }
  /// Lets others hold it too: it must not be changed any more. False when it was removed just
  /// then: open it again.
  [[nodiscard]] bool share() { return ::flock(directory_, LOCK_SH | LOCK_NB) == 0 && is_at_path(); }
  /// Removes it. Who reads it meanwhile keeps what is open, and finds the rest missing.
  void remove() {
    set_aside(path_);
    begun_ = false;
  }

 private:
  explicit CacheEntry(std::filesystem::path path)
      : directory_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
        path_(std::move(path)) {}

  /// Something that is not a directory, or one that must not be opened: nobody can use it.
  static bool is_no_entry(int number) {
    return number == ENOTDIR || number == ELOOP || number == EACCES;
  }

  /// Out of the way first: what is half removed must not be taken for an entry.
  static void set_aside(const std::filesystem::path& path) {
    std::error_code failed;
    const auto away = path.parent_path() /
                      (".old-" + std::to_string(::getpid()) + "-" + path.filename().string());
    std::filesystem::rename(path, away, failed);
    std::filesystem::remove_all(failed ? path : away, failed);
  }

  bool take(int how, const Wait& wait) const {
    if (!wait) return ::flock(directory_, how) == 0;
    while (::flock(directory_, how | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return false;
      if (!wait()) {
        errno = ECANCELED;
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_at_path() const {
    struct stat held {};
    struct stat there {};
    return ::fstat(directory_, &held) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
           held.st_ino == there.st_ino && held.st_dev == there.st_dev;
  }

  int directory_ = -1;
  std::filesystem::path path_;
  bool begun_ = false;
};

}  // namespace quarry

#endif
