#pragma once

#include "package_source/exchange.h"
#include "package_source/file.h"

#include <quarry/cache_entry.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace quarry::package_source {

struct FileFacts {
  std::string sha256;
  std::uint64_t size = 0;
  Validators validators;
};

/// An entry of the plugin's cache with one file, its facts, and a download that was cut; locked
/// while this object lives. Without a cache it is a folder of the fetch, else memory for small
/// files. One thread.
class FileSlot {
 public:
  FileSlot() = default;
  /// Opens the entry `name` for a file of at most `most` bytes, or makes it, locked exclusively.
  /// `scratch`: the folder of a host without a cache.
  static Outcome<FileSlot> open(const Host& host, const Call& call, const std::string& name,
                                std::uint64_t most, std::string_view scratch = {});
  /// Opens the entry, if it has a file, with a lock that readers share.
  static std::optional<FileSlot> find(const Host& host, const Call& call, const std::string& name);

  /// Empty when there is none.
  [[nodiscard]] const File& file();
  /// The facts of the file; nullopt when it is not there, or has another size.
  [[nodiscard]] std::optional<FileFacts> facts();
  /// Makes the download the file.
  [[nodiscard]] bool publish(const FileFacts& facts);
  /// Shares the lock with readers; false when the entry was removed meanwhile.
  [[nodiscard]] bool share() { return !entry_ || entry_.share(); }
  void remove_file();
  /// Removes the entry.
  void remove();

  [[nodiscard]] const File& partial();
  /// The ETag of the download that was cut; empty when it cannot be continued.
  [[nodiscard]] std::string partial_etag() const;
  /// Says that a download begins; with a strong ETag it can be continued later.
  void begin_partial(const std::string& etag) const;
  void remove_partial();

 private:
  [[nodiscard]] std::filesystem::path path(const char* name) const { return directory_ / name; }

  CacheEntry entry_;
  std::filesystem::path directory_;  ///< empty = in memory
  File file_;
  File partial_;
};

}  // namespace quarry::package_source
