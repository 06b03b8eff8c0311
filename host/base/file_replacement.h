#pragma once

#include <filesystem>

namespace quarry {

// What belongs to replacing a file of the user (write_file_atomically of base/file.h).

/// The file that `path` leads to through links, to replace it and not a link; `path` where there is
/// none.
std::filesystem::path real_file(const std::filesystem::path& path);

/// Removes temporary files that a write_file_atomically of `path` left when its process was killed.
/// Only while no other process writes the file.
void remove_temporaries(const std::filesystem::path& path);

}  // namespace quarry
