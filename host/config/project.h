#pragma once

#include "base/error.h"
#include "base/json.h"
#include "config/config.h"
#include "config/document.h"
#include "config/ownership.h"
#include "config/trust_list.h"
#include "config/trust_rules.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::config {

inline constexpr std::size_t kMaxFileBytes = 4u << 20;
inline constexpr const char* kProjectFileName = "quarry.toml";

/// Search for the project file, from the working directory upwards.
struct ProjectSearch {
  std::optional<ProjectFile> file;   ///< with its bytes
  std::vector<ProjectFile> skipped;  ///< files found before it that are not read
};
/// Finds the project file. The user's and the system's file are never one.
Result<ProjectSearch> find_project_file(const Sources& sources);

/// Warning about a file that is not read.
std::string warning_of(const ProjectFile& file);

/// A project file, its values, and the values that need trust.
struct Project {
  ProjectFile file;
  Document document;
  std::vector<FieldError> violations;  ///< of the schema, by JSON pointer
  std::vector<TrustedKey> keys;        ///< values that need trust
  bool trusted = false;                ///< with exactly these bytes
  bool changed = false;                ///< since it was trusted

  [[nodiscard]] bool accepted() const { return trusted || keys.empty(); }
  /// Error for a file that is not accepted.
  [[nodiscard]] Error refusal() const { return not_trusted(file.path, keys, changed); }
};

/// The configuration by which a project file is judged: that without the file.
struct Below {
  Json root;
  std::function<OpenFields()> open_fields;  ///< not empty
};
/// `root`: the merged files below the project's.
Below below_project(const Sources& sources, Json root);

/// Values of `document` that need trust, where the file is in `directory`.
std::vector<TrustedKey> keys_for_trust(const Document& document, const Below& below,
                                       const std::filesystem::path& directory);

/// Parses and checks the bytes that were read. ConfigError if they are not TOML; `place`, if given,
/// is then set to the position.
Result<Project> judge(ProjectFile file, const Below& below, const TrustList& list,
                      Place* place = nullptr);

}  // namespace quarry::config
