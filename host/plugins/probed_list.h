#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>

namespace quarry::plugins {

/// Digests of files that were loaded successfully in a child process. Not thread-safe.
class ProbedList {
 public:
  /// Reads the file; it may be missing. An empty path keeps the list in memory alone.
  explicit ProbedList(std::filesystem::path path);
  [[nodiscard]] bool contains(const std::string& digest) const { return digests_.contains(digest); }
  /// If the file cannot be written, the next start only repeats the probe.
  void add(std::span<const std::string> digests);

 private:
  std::filesystem::path path_;
  std::set<std::string> digests_;
};

}  // namespace quarry::plugins
