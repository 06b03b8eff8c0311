#pragma once

#include "base/error.h"
#include "base/file.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::config {

/// The files that this user trusts, each by its path and the digest of its content: a directory
/// (mode 0700) with one record (mode 0600) for a path, replaced in one step. A record that is
/// damaged, or that somebody else could have written, trusts nothing. The path of a file is that of
/// its directory, links resolved, and its name: a link to a trusted file is not that file.
/// Processes may use one list at the same time.
class TrustList {
 public:
  /// Empty = nothing is trusted, and nothing can be.
  explicit TrustList(std::filesystem::path directory) : directory_(std::move(directory)) {}

  struct Entry {
    std::filesystem::path file;
    std::vector<std::string> digests;  ///< SHA-256 of the contents that are trusted
  };

  [[nodiscard]] bool trusts(const std::filesystem::path& file, std::string_view content) const;
  /// True when the file was trusted with this content or another one.
  [[nodiscard]] bool knows(const std::filesystem::path& file) const;
  /// All that is trusted, by path.
  [[nodiscard]] std::vector<Entry> entries() const;

  /// Trusts `file` with exactly these contents from now on.
  Status record(const std::filesystem::path& file,
                const std::vector<std::string_view>& contents) const;
  /// False when the file was not trusted.
  Result<bool> revoke(const std::filesystem::path& file) const;

  /// Keeps others that lock from changing the list between a question and a change.
  Result<FileLock> lock() const;

 private:
  [[nodiscard]] std::vector<std::string> digests_of(const std::filesystem::path& key) const;
  Status make_directory() const;

  std::filesystem::path directory_;
};

}  // namespace quarry::config
