#include "resource-npm/kept_tarballs.h"

#include "resource-npm/entry_name.h"

#include <algorithm>
#include <utility>

namespace quarry::resource_npm {
namespace {

constexpr const char* kTarballKind = "tarball";

bool is(std::string_view bytes, const Integrity& integrity) {
  Hasher hasher(integrity.algorithm());
  hasher.add(bytes);
  return integrity.admits(hasher.finish());
}

}  // namespace

std::filesystem::path KeptTarballs::file_of(const CacheEntry& entry) {
  return entry.path() / "package.tgz";
}

std::string KeptTarballs::name_of(const std::vector<Integrity>& integrities) const {
  return entry_name(kTarballKind, place_ + integrities.front().text());
}

Packed KeptTarballs::find(const std::vector<Integrity>& integrities) const {
  Packed out;
  const std::string name = name_of(integrities);
  out.entry = CacheEntry::open(cache_, name, CacheEntry::Lock::kShared);
  if (!out.entry) return out;
  out.entry.touch();
  auto file = std::make_unique<Mapped>(file_of(out.entry));
  const auto fits = [&](const Integrity& integrity) { return is(file->bytes(), integrity); };
  if (std::ranges::all_of(integrities, fits)) {
    out.file = std::move(file);
  } else {
    std::exchange(out.entry, {}).remove();  // so that an intact one can replace it
  }
  return out;
}

/// A failure is ignored, because the entry only saves the next download.
void KeptTarballs::keep(CacheEntry& entry, const std::vector<Integrity>& integrities) const {
  static_cast<void>(entry.publish(name_of(integrities)));
}

}  // namespace quarry::resource_npm
