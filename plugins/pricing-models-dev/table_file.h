#pragma once

#include "pricing-models-dev/table.h"

#include <filesystem>
#include <memory>
#include <string>

namespace quarry::pricing_models_dev {

/// The file `table` of a directory. Several processes may share it.
class TableFile {
 public:
  explicit TableFile(const std::filesystem::path& directory) : path_(directory / "table") {}

  /// Null when there is no intact one.
  [[nodiscard]] std::shared_ptr<const Table> load() const;
  /// Replaces the file atomically. Returns the failure's message, empty on success.
  [[nodiscard]] std::string store(const Table& table) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace quarry::pricing_models_dev
