#pragma once

#include <quarry/cache_entry.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace quarry::resource_git {

/// A bare repository in the plugin's cache, held while this lives. It contains, shallow, the
/// commits that were fetched of one URL, each under refs/quarry/<commit>.
class Entry {
 public:
  /// What an entry is for; it holds nothing that another identity may not read.
  struct Identity {
    std::string name;  ///< of the directory; short, and not enough to tell two apart
    std::string text;  ///< what tells them apart
  };
  /// Of a URL fetched for `reader` (Remotes::reader_of), wholly or in parts.
  static Identity identify(const std::string& url, const std::string& reader, bool partial);

  /// Opens or makes it, waiting for whoever holds it; alone, so that it may be changed. What a
  /// killed process left in it is removed. [worker]
  static Outcome<Entry> open(const Host& host, const Call& call, const std::filesystem::path& cache,
                             const Identity& identity);

  [[nodiscard]] const std::filesystem::path& path() const { return held_.path(); }
  /// Whether it is new and empty.
  [[nodiscard]] bool fresh() const { return fresh_; }
  /// Whether everything of a commit is here that its fetch was to bring.
  [[nodiscard]] bool has(const std::string& commit) const;
  /// What fetches have brought since it was made: about one pack each, and the bytes of all.
  struct Packs {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Packs packs() const;
  /// Whether there is no room beside it for as much as a lock file.
  [[nodiscard]] bool is_disk_full() const;
  /// Removes what a git that was killed left in it. While it is held alone.
  void tidy() const;
  /// Lets others read too; it must not be changed any more. False when it was taken over by
  /// another just then: open it again.
  [[nodiscard]] bool share() { return held_.share(); }
  /// Removes it. Who reads it meanwhile keeps what is open, and finds the rest missing.
  void remove() { held_.remove(); }

 private:
  Entry(CacheEntry held, bool fresh) : held_(std::move(held)), fresh_(fresh) {}
  static Outcome<Entry> make(const std::filesystem::path& cache, const Identity& identity);

  CacheEntry held_;
  bool fresh_;
};

}  // namespace quarry::resource_git
