#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::package_source {

/// A path of an archive without empty parts and ".", and so without slashes at its ends; empty if
/// nothing is left. nullopt if it has "..", which could lead out.
std::optional<std::string> plain_path(std::string_view path);

/// `path`, which is plain, without its first `count` components; empty when it has no more.
std::string_view without_components(std::string_view path, std::size_t count);

/// True if `path` is `folder` or beneath it; every path is beneath the empty folder.
bool is_beneath(std::string_view path, std::string_view folder);

/// True if every host keeps a file at `path`, which is plain and loses `strip` components: the rest
/// is neither longer than QUARRY_LIMIT_PATH nor deeper than QUARRY_LIMIT_LEVELS, and the whole is
/// no longer than paths on a disk. Checked before a path is split or looked up, because names in
/// archives have any length, and the work for a path may grow with its square.
bool fits_tree(std::string_view path, std::size_t strip = 0);

}  // namespace quarry::package_source
