#pragma once

#include "base/error.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include <sys/stat.h>

namespace quarry::corpus {

/// Objects by the file that each keeps mapped as long as it lives, so that all names of that file
/// (hard links) share one object. Thread-safe.
template <class T>
class SharedByFile {
 public:
  /// The living object of `file`, or else what `open()` makes, a Result<std::shared_ptr<const T>>.
  template <class Open>
  Result<std::shared_ptr<const T>> get(const std::filesystem::path& file, Open open) {
    const auto before = identity(file);
    if (before) {
      if (auto known = find(*before)) return known;
    }
    Result<std::shared_ptr<const T>> opened = open();
    // One that was replaced while it was opened is not kept: the object may be of either file.
    if (opened && before && identity(file) == before) keep(*before, *opened);
    return opened;
  }

 private:
  /// Device and inode; size and time of the last change as well, because a server of files may give
  /// the number of a removed file to another one.
  using Identity = std::tuple<dev_t, ino_t, off_t, time_t, long>;

  static std::optional<Identity> identity(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return std::nullopt;
    return Identity(status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec);
  }

  std::shared_ptr<const T> find(const Identity& identity) {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(identity);
    return at == objects_.end() ? nullptr : at->second.lock();
  }

  void keep(const Identity& identity, const std::shared_ptr<const T>& object) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [](const auto& one) { return one.second.expired(); });
    objects_.insert_or_assign(identity, object);
  }

  std::mutex mutex_;
  std::map<Identity, std::weak_ptr<const T>> objects_;
};

}  // namespace quarry::corpus
