/// An entry of a plugin's cache, by the rules of <quarry/paths.h>: several processes share the
/// cache, the host evicts entries that nobody holds, and a crash at any moment leaves no
/// half-written entry.
#ifndef QUARRY_CACHE_ENTRY_HPP
#define QUARRY_CACHE_ENTRY_HPP

#include <quarry/clock.h>
#include <quarry/host.hpp>
#include <quarry/paths.h>

#include <cerrno>
#include <cstdint>
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

/// A locked directory, kept while this object lives. One thread at a time.
class CacheEntry {
 public:
  enum class Lock { kShared, kExclusive };
  /// Called between two attempts at a lock that another process holds: waits briefly, then returns
  /// true to try again.
  using Wait = std::function<bool()>;

  /// The plugin's cache; empty when the host has none.
  static std::filesystem::path cache_of(const Host& host) {
    const auto* paths = host.service<quarry_paths_v1>(QUARRY_PATHS);
    return paths == nullptr ? std::filesystem::path()
                            : std::filesystem::path(as_view(paths->cache(paths)));
  }

  /// A Wait that ends with the call: it looks again every 10 ms. Both must outlive it.
  static Wait until_over(const Host& host, const Call& call) {
    return [&host, &call] {
      constexpr std::int64_t kMilliseconds = 10;
      if (call.over()) return false;
      const auto* clock = host.service<quarry_clock_v1>(QUARRY_CLOCK);
      if (clock != nullptr) {
        clock->sleep(clock, call.get(), kMilliseconds);
      } else {
        ::usleep(kMilliseconds * 1000);
      }
      return !call.over();
    };
  }

  /// Opens and locks the entry `name`. Anything there that cannot be an entry (a file, say) is
  /// removed. Returns an empty object when there is no entry (ENOENT), when `wait` returned false
  /// (ECANCELED) or when it cannot be opened; errno says which. Without `wait` it blocks: only for
  /// entries that nobody holds for long.
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
      // Removal renames first, so this path may now lead to another entry or to none.
      if (entry.is_at_path()) return entry;
    }
    return {};
  }

  /// Creates an entry, locked exclusively, to be filled and then published. Returns an empty object
  /// on failure, with errno set.
  static CacheEntry begin(const std::filesystem::path& cache) {
    std::string path = (cache / ".new-XXXXXX").string();
    if (cache.empty()) errno = ENOENT;
    if (cache.empty() || ::mkdtemp(path.data()) == nullptr) return {};
    CacheEntry entry(path);
    entry.begun_ = true;
    // A cleanup may run between creation and locking.
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
  /// Removes an entry that was begun and never published. Preserves errno.
  ~CacheEntry() {
    const int number = errno;
    if (begun_) remove();
    if (directory_ >= 0) ::close(directory_);
    errno = number;
  }

  explicit operator bool() const { return directory_ >= 0; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The directory's descriptor.
  [[nodiscard]] int directory() const { return directory_; }

  /// Marks the entry as used now, so that older ones are evicted first.
  void touch() const { ::futimens(directory_, nullptr); }
  /// Gives a begun entry its name; the lock stays held. False on failure, with errno set: EEXIST
  /// when an entry of that name exists.
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
  /// Downgrades to a shared lock; the entry must not change afterwards. False when it was removed
  /// meanwhile: open it again.
  [[nodiscard]] bool share() { return ::flock(directory_, LOCK_SH | LOCK_NB) == 0 && is_at_path(); }
  /// Removes the entry. Concurrent readers keep the files they have open; the others are missing.
  void remove() {
    set_aside(path_);
    begun_ = false;
  }

 private:
  explicit CacheEntry(std::filesystem::path path)
      : directory_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
        path_(std::move(path)) {}

  /// True for a path that is not a directory or may not be opened: unusable for every process.
  static bool is_no_entry(int number) {
    return number == ENOTDIR || number == ELOOP || number == EACCES;
  }

  /// Renames before removing, because a half-removed directory must not pass for an entry.
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
