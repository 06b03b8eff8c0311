#pragma once

#include "corpus/snapshot/pack.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace quarry::corpus {

// Paths excluded from every snapshot, regardless of the project's ignore files. The lists contain
// only unambiguous names, which always mean dependencies, caches or keys. A name that may also be
// source ("build", "dist", "target") is excluded only beside the file that makes it build output.

/// Directories of version control, which are always excluded.
[[nodiscard]] bool is_version_control(std::string_view name);

/// True for directories of dependencies or caches by name alone ("node_modules", "__pycache__").
[[nodiscard]] bool is_dependency_directory(std::string_view name);

/// True for directories that are build output because of a sibling: "target" beside "Cargo.toml".
/// `has_sibling` returns true if the parent contains a file of that name.
[[nodiscard]] bool is_build_directory(std::string_view name,
                                      const std::function<bool(std::string_view)>& has_sibling);

/// True for directories that are a cache, a virtual environment or a build tree by their contents
/// ("CACHEDIR.TAG", "pyvenv.cfg", "CMakeCache.txt" without a "CMakeLists.txt").
[[nodiscard]] bool is_marked_directory(const std::function<bool(std::string_view)>& holds);

/// True for files that by name, or by name and directory, contain keys, passwords or typed commands
/// (".env", "id_rsa", ".netrc", ".kube/config", ".bash_history"), but not for their public or
/// sample counterparts (".env.example", "id_rsa.pub").
[[nodiscard]] bool is_secret_file(std::string_view path);

/// The reason for which a file is excluded by its path alone.
enum class LeftOut : std::uint8_t { kNo, kByRule, kSecret };

/// Applies `rules` to the name of every directory of the path and to the file. Build directories
/// are kept, because one that is published belongs to the source.
[[nodiscard]] LeftOut is_left_out(std::string_view path, const PackRules& rules);

}  // namespace quarry::corpus
