#pragma once

#include "corpus/pack.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace quarry::corpus {

// What stays out of a snapshot whatever a project says about it. The lists hold only what cannot be
// mistaken: a name that always means dependencies, caches or keys. A name that may also be source
// ("build", "dist", "target") counts only beside the file that makes it build output.

/// Directories of version control. They always stay out.
[[nodiscard]] bool is_version_control(std::string_view name);

/// A directory that is dependencies or a cache by its name alone ("node_modules", "__pycache__").
[[nodiscard]] bool is_dependency_directory(std::string_view name);

/// A directory that is build output because of what lies beside it: "target" beside "Cargo.toml".
/// `has_sibling` answers whether its parent holds a file of that name.
[[nodiscard]] bool is_build_directory(std::string_view name,
                                      const std::function<bool(std::string_view)>& has_sibling);

/// A directory that is a cache, a virtual environment or a build tree because of what it holds
/// ("CACHEDIR.TAG", "pyvenv.cfg", "CMakeCache.txt" without a "CMakeLists.txt").
[[nodiscard]] bool is_marked_directory(const std::function<bool(std::string_view)>& holds);

/// A file that by its name, or its name and directory, holds keys, passwords or what somebody typed
/// (".env", "id_rsa", ".netrc", ".kube/config", ".bash_history"), but not its public or sample
/// counterpart (".env.example", "id_rsa.pub").
[[nodiscard]] bool is_secret_file(std::string_view path);

/// Why a file stays out whose path is all that is known of it.
enum class LeftOut : std::uint8_t { kNo, kByRule, kSecret };

/// By `rules`: every directory of the path is judged by its name. Build directories are kept, since
/// whoever ships one means it.
[[nodiscard]] LeftOut is_left_out(std::string_view path, const PackRules& rules);

}  // namespace quarry::corpus
