#pragma once

#include <quarry/cache_entry.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace quarry::resource_git {

/// A bare repository in the plugin's cache, locked while this object lives. It contains, shallow,
/// the commits fetched from one URL, each under refs/quarry/<commit>.
class Entry {
 public:
  /// The identity of an entry. Identities share no entry, because their readers may have different
  /// rights.
  struct Identity {
    std::string name;  ///< of the directory; short, not necessarily unique
    std::string text;  ///< unique
  };
  /// The identity of a URL fetched for `reader` (Remotes::reader_of), completely or partially.
  static Identity identify(const std::string& url, const std::string& reader, bool partial);

  /// Opens or creates the entry with an exclusive lock, waiting for other holders. Removes the
  /// remains of a killed process. [worker]
  static Outcome<Entry> open(const Host& host, const Call& call, const std::filesystem::path& cache,
                             const Identity& identity);

  [[nodiscard]] const std::filesystem::path& path() const { return held_.path(); }
  /// True if the entry is new and empty.
  [[nodiscard]] bool fresh() const { return fresh_; }
  /// True if the fetch of this commit is complete.
  [[nodiscard]] bool has(const std::string& commit) const;
  /// Packs fetched since the entry was created, about one per fetch, and their total bytes.
  struct Packs {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Packs packs() const;
  /// True if the disk has no space for even a lock file beside the entry.
  [[nodiscard]] bool is_disk_full() const;
  /// Removes the remains of a killed git. Requires the exclusive lock.
  void tidy() const;
  /// Downgrades to a shared lock; the entry must not change afterwards. False when another process
  /// took it meanwhile: open it again.
  [[nodiscard]] bool share() { return held_.share(); }
  /// Removes the entry. Concurrent readers keep the files they have open; the others are missing.
  void remove() { held_.remove(); }

 private:
  Entry(CacheEntry held, bool fresh) : held_(std::move(held)), fresh_(fresh) {}
  static Outcome<Entry> make(const std::filesystem::path& cache, const Identity& identity);

  CacheEntry held_;
  bool fresh_;
};

}  // namespace quarry::resource_git
