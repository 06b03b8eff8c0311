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

/// Tarballs in the plugin's cache by their integrity, so that no version is fetched twice, whatever
/// it was called.
class KeptTarballs {
 public:
  /// An empty `cache` keeps nothing.
  explicit KeptTarballs(std::filesystem::path cache) : cache_(std::move(cache)) {}

  /// One that is what each of `integrities` (at least one) says, which is checked; no bytes when
  /// there is none.
  [[nodiscard]] Packed find(const std::vector<Integrity>& integrities) const;
  /// A place for a new one: its entry's file_of(). None when nothing is kept.
  [[nodiscard]] CacheEntry begin() const { return CacheEntry::begin(cache_); }
  /// Keeps one that was begun and that is what `integrities` say.
  static void keep(CacheEntry& entry, const std::vector<Integrity>& integrities);
  static std::filesystem::path file_of(const CacheEntry& entry);

 private:
  std::filesystem::path cache_;
};

}  // namespace quarry::resource_npm
