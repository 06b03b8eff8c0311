#pragma once

#include "base/error.h"
#include "base/file.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::config {

/// The files that this user trusts, each by its path and the digest of its content: a directory
/// (mode 0700) with one record (mode 0600) for each path, replaced atomically. A record that is
/// damaged, or that another user could have written, is ignored. The path of a file is that of its
/// directory, with links resolved, and its name: a link to a trusted file is not trusted. Several
/// processes may use one list at the same time.
class TrustList {
 public:
  /// Empty `directory` = no file is trusted, and none can be.
  explicit TrustList(std::filesystem::path directory) : directory_(std::move(directory)) {}

  struct Entry {
    std::filesystem::path file;
    std::vector<std::string> digests;  ///< SHA-256 of each trusted content
  };

  [[nodiscard]] bool trusts(const std::filesystem::path& file, std::string_view content) const;
  /// True if the file was trusted with any content.
  [[nodiscard]] bool knows(const std::filesystem::path& file) const;
  /// All entries, by path.
  [[nodiscard]] std::vector<Entry> entries() const;

  /// Trusts `file` with exactly these contents from now on.
  Status record(const std::filesystem::path& file,
                const std::vector<std::string_view>& contents) const;
  /// False if the file was not trusted.
  Result<bool> revoke(const std::filesystem::path& file) const;

  /// Excludes other processes that lock the list, between a check and a change.
  Result<FileLock> lock() const;

 private:
  [[nodiscard]] std::vector<std::string> digests_of(const std::filesystem::path& key) const;
  Status make_directory() const;

  std::filesystem::path directory_;
};

}  // namespace quarry::config
