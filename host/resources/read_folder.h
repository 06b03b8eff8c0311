#pragma once

#include "base/error.h"
#include "corpus/snapshot/pack.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>

namespace quarry::resources {

/// Passes every regular file beneath `directory` that `rules` include to `take`, until that fails.
/// Never follows a link, never leaves the directory. For a file larger than `limits.file_bytes`
/// only the size of the view is valid: its bytes must not be touched. Fails on an unreadable file.
/// Returns the number of directories omitted because their paths are too long or too deep.
Result<std::uint64_t> read_folder(
    const std::filesystem::path& directory, const corpus::PackRules& rules,
    const corpus::PackLimits& limits, const std::stop_token& stop,
    const std::function<Status(std::string_view path, std::string_view bytes)>& take);

}  // namespace quarry::resources
