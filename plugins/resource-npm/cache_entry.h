#pragma once

#include "resource-npm/file.h"

#include <quarry/host.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace quarry::resource_npm {

/// An entry of the plugin's cache (<quarry/paths.h>): a directory that is locked as long as this
/// lives, so that the host removes it only when nobody uses it. Several processes may share it.
class CacheEntry {
 public:
  enum class Lock { kShared, kExclusive };

  CacheEntry() = default;
  CacheEntry(CacheEntry&& other) noexcept { *this = std::move(other); }
  CacheEntry& operator=(CacheEntry&& other) noexcept {
    std::swap(directory_, other.directory_);
    std::swap(path_, other.path_);
    std::swap(begun_, other.begun_);
    return *this;
  }
  /// Removes one that was begun and never published.
  ~CacheEntry();

  /// Waits for the lock. None when there is no such entry.
  static CacheEntry open(const std::filesystem::path& cache, const std::string& name, Lock lock);
  /// A new one under a name that is swept after a crash. None when it cannot be made, and then
  /// errno says why.
  static CacheEntry begin(const std::filesystem::path& cache);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int directory() const { return directory_.get(); }
  /// Says that it is used now, so that others are removed before it.
  void touch() const;
  /// Gives one that was begun its name. False when it failed, and then errno says why; that another
  /// has the name already is no failure.
  bool publish(const std::string& name);

 private:
  CacheEntry(File directory, std::filesystem::path path)
      : directory_(std::move(directory)), path_(std::move(path)) {}

  File directory_;
  std::filesystem::path path_;
  bool begun_ = false;
};

/// The plugin's cache; empty when the host has none.
std::filesystem::path cache_of(const Host& host);

/// "<kind>-<hash of text>": the name of an entry for what `text` says.
std::string entry_name(std::string_view kind, std::string_view text);

}  // namespace quarry::resource_npm
