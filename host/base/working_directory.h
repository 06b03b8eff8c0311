#pragma once

#include "base/error.h"

#include <filesystem>

namespace quarry {

/// The working directory; an error if it was removed or may not be read.
Result<std::filesystem::path> working_directory();

/// `path` made absolute and normal, without resolving links. An error that names it if it is
/// relative and there is no working directory.
Result<std::filesystem::path> absolute_path(const std::filesystem::path& path);

}  // namespace quarry
