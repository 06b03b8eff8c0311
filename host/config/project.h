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
#include <optional>
#include <string>
#include <vector>

namespace quarry::config {

inline constexpr std::size_t kMaxFileBytes = 4u << 20;
inline constexpr const char* kProjectFileName = "quarry.toml";

/// The project's file: that of the working directory or the nearest directory above it.
struct ProjectSearch {
  std::optional<ProjectFile> file;   ///< with its bytes
  std::vector<ProjectFile> skipped;  ///< those on the way that are not read
};
/// The user's and the system's file are none of a project.
Result<ProjectSearch> find_project_file(const Sources& sources);

/// The warning about a file that is not read.
std::string warning_of(const ProjectFile& file);

/// The mistakes of a configuration as one Error.
Error mistakes_error(std::vector<FieldError> mistakes);

/// A project's file, its values, and those of them that need trust.
struct Project {
  ProjectFile file;
  Document document;
  std::vector<FieldError> mistakes;  ///< by the schema
  std::vector<TrustedKey> keys;      ///< what it sets that needs trust
  bool trusted = false;              ///< with exactly these bytes
  bool changed = false;              ///< it was trusted with others

  [[nodiscard]] bool accepted() const { return trusted || keys.empty(); }
  /// Why it is not accepted.
  [[nodiscard]] Error refusal() const { return not_trusted(file.path, keys, changed); }
};

/// Judges the bytes that were read. `below` is what holds without the file. ConfigError when they
/// are not TOML.
Result<Project> judge(ProjectFile file, const Json& below, const TrustList& list);

}  // namespace quarry::config
