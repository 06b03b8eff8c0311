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

/// `file`, or the project's file when it is empty, as read now: what somebody is to see before
/// trusting it. A directory stands for its quarry.toml. ConfigError when there is none, when it is
/// never read, or when it has mistakes.
Result<Project> review(const Sources& sources, const std::filesystem::path& file);

/// Trusts a file with the bytes that were reviewed, whatever stands there by now.
Status trust(const Sources& sources, const Project& reviewed);

/// The file that `file` means, as in review(); it need not be there.
Result<std::filesystem::path> trusted_path(const Sources& sources,
                                           const std::filesystem::path& file);

/// Keeps the trust in a file through an edit: of a file that was trusted, needed no trust, or was
/// not there. One edit.
class TrustInEdit {
 public:
  /// `before` is what stands in the file. The refusal of a project file that is not accepted.
  static Result<TrustInEdit> begin(const Sources& sources, const std::filesystem::path& file,
                                   std::string_view before);
  /// Before the file is replaced: a crash leaves a trusted file, with the old bytes or the new.
  Status prepare(std::string_view before, std::string_view after);
  /// After it was.
  void finish(std::string_view after);

 private:
  TrustInEdit(TrustList list, std::filesystem::path file)
      : list_(std::move(list)), file_(std::move(file)) {}

  TrustList list_;
  std::filesystem::path file_;
  bool recorded_ = false;      // as trusted
  std::optional<Json> below_;  // what holds without the file; nothing = nothing to keep
  std::optional<FileLock> lock_;
};

}  // namespace quarry::config
