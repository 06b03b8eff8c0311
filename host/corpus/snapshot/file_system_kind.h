#pragma once

#include <cstdint>
#include <string>

namespace quarry::corpus {

/// The reason why inotify may not report changes in the directory `path`: a file system that other
/// machines change without notice to this kernel. Empty if all are reported or there is no
/// directory.
[[nodiscard]] std::string unwatchable(const std::string& path);

/// The same for a file system by its magic number (statfs(2)).
[[nodiscard]] std::string unwatchable(std::uint32_t magic);

}  // namespace quarry::corpus
