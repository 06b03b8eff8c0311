#pragma once

#include "cli/doctor/finding.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace quarry::cli {

/// A directory that the program writes.
struct WrittenDirectory {
  std::string what;  ///< "the cache"
  std::filesystem::path path;
  std::string setting;  ///< what names another one
};

/// Whether it can be written: owner and rights. Makes and removes a file there, and makes the
/// directory, for its owner alone, if it is missing.
Findings check_writable(const WrittenDirectory& directory);

/// Whether there is space left on its file system; `wanted` bytes may be used in time.
Findings check_space(const WrittenDirectory& directory, std::uint64_t wanted);

/// The same for a number of bytes that are left.
Findings judge_space(const WrittenDirectory& directory, std::uint64_t left, std::uint64_t wanted);

}  // namespace quarry::cli
