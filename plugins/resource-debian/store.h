// Downloads, checked against their digest, and kept in the plugin's cache.
#pragma once

#include "resource-debian/wanted.h"

#include <quarry/cache_entry.hpp>
#include <quarry/http.hpp>

namespace quarry::resource_debian {

/// A file of the archive whose digest is known.
struct Download {
  std::vector<std::string> urls;  ///< tried in this order while a server has none
  std::string label;              ///< for messages
  std::uint64_t size = 0;         ///< exactly, or at most
  std::string sha256;
  bool exact = true;
};

/// The bytes of a download: a file in the cache, held while this lives, or memory without a cache.
struct Blob {
  quarry::CacheEntry entry;
  std::string path;  ///< empty = `bytes` has them
  std::string bytes;
};

class Store {
 public:
  Store(const Host& host, const Settings& settings);

  /// The file from the cache, else from the archive.
  Outcome<Blob> get(const Call& call, const Download& wanted) const;
  /// The same in memory, for small files.
  Outcome<std::string> get_text(const Call& call, const Download& wanted) const;

  /// An entry's name: stored data of the owner and of callers with tokens are separate.
  [[nodiscard]] std::string entry_name(std::string_view name) const;
  [[nodiscard]] const std::filesystem::path& cache() const { return cache_; }
  /// Waits briefly for a lock; false when the call is over.
  [[nodiscard]] quarry::CacheEntry::Wait waiting(const Call& call) const;

 private:
  Outcome<Blob> fetch(const Call& call, const Download& wanted, const std::string& url) const;

  Host host_;
  std::string prefix_;
  std::filesystem::path cache_;
};

/// What a mirror answered.
struct Answer {
  int status = 0;
  std::string retry_after;  ///< value of the header
  std::string body;         ///< its beginning
};

/// A failure for an HTTP status that is not 200, given what was wanted.
Failure http_failure(const Answer& answer, const std::string& url);

/// The failure for a web page in place of data.
Failure web_page_failure(std::string_view body, const std::string& url);

std::optional<std::string> read_whole(const std::string& path, std::uint64_t most);

}  // namespace quarry::resource_debian
