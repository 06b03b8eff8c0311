#pragma once

#include "base/error.h"
#include "base/file.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::services {

/// A directory that is removed with its contents on destruction.
class TempDirectory {
 public:
  explicit TempDirectory(std::filesystem::path path) : path_(std::move(path)) {}
  TempDirectory(TempDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDirectory& operator=(TempDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TempDirectory();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Files of the state directory.
inline constexpr const char* kHistoryFile = "history.db";
inline constexpr const char* kSecretsKeyFile = "secrets.key";

/// Directories of the host, created with mode 0700 on first use. [any thread]
class Paths {
 public:
  struct Roots {
    std::filesystem::path cache;  ///< may be emptied at any time
    std::filesystem::path data;   ///< kept
    std::filesystem::path state;  ///< kept, specific to this machine: histories, locks

    /// Plugins that the user installed. Not `plugins`, where plugins write their own data.
    [[nodiscard]] std::filesystem::path installed_plugins() const {
      return data / "installed-plugins";
    }
  };
  using Environment = std::function<const char*(const char* name)>;

  /// QUARRY_CACHE_DIR, QUARRY_DATA_DIR and QUARRY_STATE_DIR, else `quarry`
  /// beneath the XDG base directories, else beneath $HOME. kInvalidArgument names the variable that
  /// is not absolute, or HOME when it is missing.
  static Result<Roots> roots(const Environment& environment);
  /// By the environment of this process.
  static Result<Roots> roots();

  explicit Paths(Roots roots) : roots_(std::move(roots)) {}

  [[nodiscard]] Result<std::filesystem::path> cache() const;
  [[nodiscard]] Result<std::filesystem::path> data() const;
  [[nodiscard]] Result<std::filesystem::path> state() const;
  /// A plugin's own directories.
  [[nodiscard]] Result<std::filesystem::path> plugin_cache(std::string_view id) const;
  [[nodiscard]] Result<std::filesystem::path> plugin_data(std::string_view id) const;

  /// A new directory for one call, on the file system of the cache.
  Result<TempDirectory> temp(std::string_view prefix);
  /// Removes the temporary directories of processes that have ended, never those of a running
  /// process. Returns their number.
  Result<std::size_t> sweep();

 private:
  /// Parent of this process's temporary directories, with a lock that marks the process as running.
  struct Home {
    FileLock alive;
    std::filesystem::path alive_path;
    TempDirectory directory;
    ~Home();
  };
  Result<std::filesystem::path> home();

  Roots roots_;
  std::mutex mutex_;
  std::unique_ptr<Home> home_;
};

}  // namespace quarry::services
