#pragma once

#include "base/error.h"

#include <filesystem>

namespace quarry::backup {

/// A directory that appears under its name only when it is complete. Until then it is a hidden one
/// beside it, which destruction removes.
class NewDirectory {
 public:
  /// `directory` must not exist, or be empty; its parent must exist. `owner`: who may remove what a
  /// maker that was killed has left, and must be one process at a time.
  static Result<NewDirectory> make(const std::filesystem::path& directory, std::string_view owner);
  NewDirectory(NewDirectory&& other) noexcept;
  NewDirectory& operator=(NewDirectory&&) = delete;
  ~NewDirectory();

  /// Where the files are made.
  [[nodiscard]] const std::filesystem::path& path() const { return made_; }
  /// True if the rest of a maker that was killed was removed.
  [[nodiscard]] bool removed_a_rest() const { return removed_a_rest_; }
  /// Gives it its name. Durable.
  Status publish();

 private:
  NewDirectory(std::filesystem::path directory, std::filesystem::path made, bool removed_a_rest)
      : directory_(std::move(directory)), made_(std::move(made)), removed_a_rest_(removed_a_rest) {}

  std::filesystem::path directory_;
  std::filesystem::path made_;  ///< empty once published or moved from
  bool removed_a_rest_;
};

}  // namespace quarry::backup
