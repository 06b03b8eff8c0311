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
};

/// Reads every layer. Fails when a file cannot be read or is not TOML; what the schema refuses is
/// collected in `mistakes`.
Result<Layers> read_layers(const Sources& sources);

}  // namespace quarry::config
