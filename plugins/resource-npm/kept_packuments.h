#pragma once

#include "resource-npm/packument.h"

#include <filesystem>
#include <optional>
#include <string>

namespace quarry::resource_npm {

/// Packuments on disk, so that they are asked for with their ETag and exact versions need no
/// network. Each is one entry of the plugin's cache (<quarry/paths.h>): a directory, locked while
/// it is used, which the host may remove when nobody does. Several processes may share it.
class KeptPackuments {
 public:
  /// An empty `cache` keeps nothing.
  explicit KeptPackuments(std::filesystem::path cache) : cache_(std::move(cache)) {}

  /// Nothing when there is none that is whole.
  [[nodiscard]] std::optional<Packument> load(const std::string& url) const;
  /// At any moment the old one is there or the new one. Answers what failed, empty when nothing
  /// did.
  [[nodiscard]] std::string store(const std::string& url, const Packument& packument) const;

 private:
  [[nodiscard]] std::filesystem::path entry_of(const std::string& url) const;

  std::filesystem::path cache_;
};

}  // namespace quarry::resource_npm
