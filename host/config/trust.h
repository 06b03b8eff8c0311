#pragma once

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "config/config.h"
#include "config/project.h"

#include <filesystem>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace quarry::config {

/// Reads `file`, or the project file if it is empty, to be shown before it is trusted. A directory
/// means its quarry.toml. ConfigError if there is none, if it is never read, or if it has mistakes.
Result<Project> review(const Sources& sources, const std::filesystem::path& file);

/// Trusts a file with the reviewed bytes, even if it has changed since.
Status trust(const Sources& sources, const Project& reviewed);

/// The file that `file` means, as in review(); it need not exist.
Result<std::filesystem::path> trusted_path(const Sources& sources,
                                           const std::filesystem::path& file);

/// Keeps the trust in a file through one edit: of a file that was trusted, needed no trust, or did
/// not exist.
class TrustInEdit {
 public:
  /// `before` is the present content. Fails for a project file that is not accepted.
  static Result<TrustInEdit> begin(const Sources& sources, const std::filesystem::path& file,
                                   std::string_view before);
  /// Called before the file is replaced, so that after a crash the file is trusted with the old or
  /// the new bytes.
  Status prepare(std::string_view before, std::string_view after);
  /// Called after the file was replaced.
  void finish(std::string_view after);

 private:
  TrustInEdit(TrustList list, std::filesystem::path file)
      : list_(std::move(list)), file_(std::move(file)) {}

  TrustList list_;
  std::filesystem::path file_;
  bool recorded_ = false;       // the file was trusted explicitly
  std::optional<Below> below_;  // configuration without the file; nothing = no trust to keep
  std::optional<FileLock> lock_;
};

}  // namespace quarry::config
