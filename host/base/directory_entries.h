#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace quarry {

/// What is in `directory` now, in no order. After a failure, which `failed` says, those read before
/// it. In contrast to a range-for over a directory_iterator, no failure is an exception.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& directory,
                                                         std::error_code& failed);
/// The same where it matters only what could be read.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& directory);

}  // namespace quarry
