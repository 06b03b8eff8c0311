#pragma once

#include "history/database.h"

#include <filesystem>

namespace quarry::history {

/// Writes the history in `file`, as it is at one moment, to a new file `copy` with mode 0600. Other
/// processes may read and write the history meanwhile.
Status copy_history(const std::filesystem::path& file, const std::filesystem::path& copy);

/// A copy of a history that is to replace another one. Its file, beside the other one, is removed
/// by destruction.
class Replacement {
 public:
  /// Reads `copy`, checks it and updates its schema; changes neither `copy` nor `file`.
  static Result<Replacement> prepare(const std::filesystem::path& copy,
                                     const std::filesystem::path& file);
  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&&) = delete;
  ~Replacement();

  /// Replaces the content of `file`, which is created if missing, in one transaction. Processes
  /// that use the history see the new content.
  Status apply();

 private:
  Replacement(std::filesystem::path file, std::filesystem::path made)
      : file_(std::move(file)), made_(std::move(made)) {}

  std::filesystem::path file_;
  std::filesystem::path made_;  ///< empty once moved from
};

}  // namespace quarry::history
