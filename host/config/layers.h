#pragma once

#include "base/error.h"
#include "config/check.h"
#include "config/document.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace quarry::config {

/// A file that is not read: an unreadable one, one that is not TOML, or a project file that needs
/// trust and has none.
struct UnreadFile {
  Error error;
  std::vector<Mistake> mistakes;  ///< the same, by place
  bool has_violations = false;    ///< these are in Layers::mistakes
};

/// The files, environment and flags merged to one document; each value keeps the place of its
/// layer. Values that violate the schema are left out.
struct Layers {
  Document merged;
  std::vector<std::filesystem::path> files;  ///< files that were read, lowest first
  std::filesystem::path writable_file;
  std::vector<Mistake> mistakes;  ///< violations of the schema
  std::vector<UnreadFile> unread;
  std::vector<std::string> warnings;
};

/// Reads every layer that can be read.
Layers collect_layers(const Sources& sources);

/// The same, but fails if a file is not read.
Result<Layers> read_layers(const Sources& sources);

/// Reads the layers below the project file: the system's and the user's file.
Result<Layers> read_lower_layers(const Sources& sources);

/// Path of the user's file, which may not exist; empty if there is no user directory.
std::filesystem::path user_file(const Sources& sources);

}  // namespace quarry::config
