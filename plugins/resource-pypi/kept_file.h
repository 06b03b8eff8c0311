/// A file that resolve has read for its hash, kept in the plugin's cache for the fetch that
/// follows.
#pragma once

#include "resource-pypi/digest.h"

#include <quarry/cache_entry.hpp>
#include <quarry/host.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::resource_pypi {

/// Receives such a file. A host without a cache, a full disk and the like leave nothing behind:
/// then the fetch downloads the file again.
class FileKeeper {
 public:
  explicit FileKeeper(const Host& host);
  void write(std::string_view bytes);
  /// Keeps what was written as the file `hash` of `url`, for those who send `authorization`.
  void keep(const std::string& url, const Hash& hash, const std::string& authorization);

 private:
  CacheEntry entry_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// A kept file, locked while this object lives.
class KeptFile {
 public:
  /// Opens it; one whose bytes have another hash is removed, and counts as none.
  KeptFile(const Host& host, const Call& call, const std::string& url, const Hash& hash,
           const std::string& authorization);

  /// Its path; empty if there is none.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Removes it, since the snapshot has what was in it.
  void remove();

 private:
  CacheEntry entry_;
  std::string path_;
};

}  // namespace quarry::resource_pypi
