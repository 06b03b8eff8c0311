#pragma once

#include "resource-npm/packument.h"

#include <filesystem>
#include <optional>
#include <string>

namespace quarry::resource_npm {

/// Packuments in the plugin's cache, so that requests carry their ETag and exact versions need no
/// network.
class KeptPackuments {
 public:
  /// An empty `cache` stores nothing. Readers (Registry::reader) do not share entries.
  explicit KeptPackuments(std::filesystem::path cache, std::string reader = {})
      : cache_(std::move(cache)), reader_(std::move(reader)) {}

  /// nullopt when there is no intact one.
  [[nodiscard]] std::optional<Packument> load(const std::string& url) const;
  /// Replaces the old one atomically. Returns the failure's message, empty on success.
  [[nodiscard]] std::string store(const std::string& url, const Packument& packument) const;

 private:
  [[nodiscard]] std::string name_of(const std::string& url) const;

  std::filesystem::path cache_;
  std::string reader_;
};

}  // namespace quarry::resource_npm
