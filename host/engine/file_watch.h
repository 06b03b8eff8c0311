#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace quarry::engine {

/// Files whose change asks for a reload.
struct WatchedFiles {
  std::vector<std::filesystem::path> files;
  std::vector<std::filesystem::path> plugin_directories;  ///< <directory>/*/plugin.toml
};

/// Identity, size and times of the files, and which of them exist. Equal texts: nothing changed.
/// [any]
std::string file_states(const WatchedFiles& watched);

/// Calls a function after files changed, on a thread of its own. Looks at them regularly: they may
/// not exist yet, be replaced by rename, or lie on a network.
class FileWatch {
 public:
  struct Parts {
    std::function<WatchedFiles()> watched;  ///< called before each look
    std::function<void()> changed;
    std::chrono::milliseconds interval{1'000};
  };
  /// Changes after this are noticed.
  explicit FileWatch(Parts parts);
  /// Waits for a running call of `changed`.
  ~FileWatch() = default;
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  void run(const std::stop_token& stop);

  const Parts parts_;
  std::string used_;  ///< states at the last call of `changed`, or at the start
  std::jthread thread_;
};

}  // namespace quarry::engine
