#pragma once

#include "resource-npm/packument.h"

#include <filesystem>
#include <optional>
#include <string>

namespace quarry::resource_npm {

/// Packuments in the plugin's cache, so that they are asked for with their ETag and exact versions
/// need no network.
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
  std::filesystem::path cache_;
};

}  // namespace quarry::resource_npm
