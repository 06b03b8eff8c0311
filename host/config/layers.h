#pragma once

#include "base/error.h"
#include "config/document.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace quarry::config {

/// The files, environment and flags merged to one document; each value keeps the place of its
/// layer.
struct Layers {
  Document merged;
  std::vector<std::filesystem::path> files;  ///< files that were read, lowest first
  std::filesystem::path writable_file;
  std::vector<FieldError> mistakes;
  std::vector<std::string> warnings;
};

/// Reads every layer. Fails if a file cannot be read, is not TOML, or is a project file that needs
/// trust and has none; violations of the schema are collected in `mistakes`.
Result<Layers> read_layers(const Sources& sources);

/// Reads the layers below the project file: the system's and the user's file.
Result<Layers> read_lower_layers(const Sources& sources);

/// Path of the user's file, which may not exist; empty if there is no user directory.
std::filesystem::path user_file(const Sources& sources);

/// Violations of the schema in one layer, each with its place.
std::vector<FieldError> mistakes_in(const Document& document);

}  // namespace quarry::config
