#pragma once

#include <cstdint>
#include <string>

namespace quarry::corpus {

/// Why changes in the directory `path` may go unreported by inotify: a file system that others
/// change without this kernel's knowledge. Empty when they are reported, or there is no directory.
[[nodiscard]] std::string unwatchable(const std::string& path);

/// The same for a file system by its magic number (statfs(2)).
[[nodiscard]] std::string unwatchable(std::uint32_t magic);

}  // namespace quarry::corpus
