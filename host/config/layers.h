#pragma once

#include "base/error.h"
#include "config/document.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace quarry::config {

/// The files, environment and flags laid over each other: one document, each place of its own
/// layer.
struct Layers {
  Document merged;
  std::vector<std::filesystem::path> files;  ///< read, lowest first
  std::filesystem::path writable_file;
  std::vector<FieldError> mistakes;
  std::vector<std::string> warnings;
};

/// Reads every layer. Fails when a file cannot be read, is not TOML, or is a project file that
/// needs trust and has none; what the schema refuses is collected in `mistakes`.
Result<Layers> read_layers(const Sources& sources);

/// The layers below the project's file: those of the system and of the user.
Result<Layers> read_lower_layers(const Sources& sources);

/// The user's file, whether there is one or not; empty when there is no place for it.
std::filesystem::path user_file(const Sources& sources);

/// The mistakes of one layer alone, by the schema, each at its own place.
std::vector<FieldError> mistakes_in(const Document& document);

}  // namespace quarry::config
