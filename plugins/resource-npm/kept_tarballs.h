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

/// A tarball that is read; its entry is not removed meanwhile.
struct Packed {
  CacheEntry entry;
  std::unique_ptr<Mapped> file;
  [[nodiscard]] std::string_view bytes() const { return file ? file->bytes() : std::string_view(); }
};

/// Tarballs in the plugin's cache, so that no version is fetched twice, whatever it was called: by
/// who reads them where, and by their integrity. That alone proves nothing: a registry may claim
/// the integrity of a tarball that its reader must not see.
class KeptTarballs {
 public:
  /// Those of `registry`, a URL, for `reader` (Registry::reader). An empty `cache` keeps nothing.
  KeptTarballs(std::filesystem::path cache, const std::string& reader, const std::string& registry)
      : cache_(std::move(cache)), place_(reader + "\n" + registry + "\n") {}

  /// One that is what each of `integrities` (at least one) says, which is checked; no bytes when
  /// there is none.
  [[nodiscard]] Packed find(const std::vector<Integrity>& integrities) const;
  /// A place for a new one: its entry's file_of(). None when nothing is kept.
  [[nodiscard]] CacheEntry begin() const { return CacheEntry::begin(cache_); }
  /// Keeps one that was begun and that is what `integrities` say.
  void keep(CacheEntry& entry, const std::vector<Integrity>& integrities) const;
  static std::filesystem::path file_of(const CacheEntry& entry);

 private:
  [[nodiscard]] std::string name_of(const std::vector<Integrity>& integrities) const;

  std::filesystem::path cache_;
  std::string place_;  ///< what stands before the integrity in the name of an entry
};

}  // namespace quarry::resource_npm
