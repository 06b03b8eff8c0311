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
  /// An empty `cache` keeps nothing. What is kept for one `reader` (Registry::reader) is there for
  /// no other.
  explicit KeptPackuments(std::filesystem::path cache, std::string reader = {})
      : cache_(std::move(cache)), reader_(std::move(reader)) {}

  /// Nothing when there is none that is whole.
  [[nodiscard]] std::optional<Packument> load(const std::string& url) const;
  /// At any moment the old one is there or the new one. Answers what failed, empty when nothing
  /// did.
  [[nodiscard]] std::string store(const std::string& url, const Packument& packument) const;

 private:
  [[nodiscard]] std::string name_of(const std::string& url) const;

  std::filesystem::path cache_;
  std::string reader_;
};

}  // namespace quarry::resource_npm
