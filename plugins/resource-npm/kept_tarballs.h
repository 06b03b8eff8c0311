#pragma once

#include "resource-npm/file.h"
#include "resource-npm/integrity.h"

#include <quarry/cache_entry.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::resource_npm {

/// A tarball being read; its entry is not removed meanwhile.
struct Packed {
  CacheEntry entry;
  std::unique_ptr<Mapped> file;
  [[nodiscard]] std::string_view bytes() const { return file ? file->bytes() : std::string_view(); }
};

/// Tarballs in the plugin's cache, so that no version is fetched twice, under any name. The key is
/// the reader, the registry and the integrity: integrity alone proves no right, because a registry
/// may claim the integrity of a tarball that its reader must not see.
class KeptTarballs {
 public:
  /// Tarballs of `registry`, a URL, for `reader` (Registry::reader). An empty `cache` stores
  /// nothing.
  KeptTarballs(std::filesystem::path cache, const std::string& reader, const std::string& registry)
      : cache_(std::move(cache)), place_(reader + "\n" + registry + "\n") {}

  /// A tarball verified against each of `integrities` (at least one); no bytes when there is none.
  [[nodiscard]] Packed find(const std::vector<Integrity>& integrities) const;
  /// A new entry, to be filled at its file_of(). Empty when nothing is cached.
  [[nodiscard]] CacheEntry begin() const { return CacheEntry::begin(cache_); }
  /// Publishes a begun entry whose file matches `integrities`.
  void keep(CacheEntry& entry, const std::vector<Integrity>& integrities) const;
  static std::filesystem::path file_of(const CacheEntry& entry);

 private:
  [[nodiscard]] std::string name_of(const std::vector<Integrity>& integrities) const;

  std::filesystem::path cache_;
  std::string place_;  ///< precedes the integrity in the name of an entry
};

}  // namespace quarry::resource_npm
