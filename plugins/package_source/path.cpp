#include "package_source/path.h"

#include <quarry/limits.h>

#include <algorithm>

namespace quarry::package_source {

std::optional<std::string> plain_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

std::string_view without_components(std::string_view path, std::size_t count) {
  for (; count > 0; --count) {
    const auto slash = path.find('/');
    if (slash == std::string_view::npos) return {};
    path.remove_prefix(slash + 1);
  }
  return path;
}

bool is_beneath(std::string_view path, std::string_view folder) {
  if (folder.empty() || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool fits_tree(std::string_view path, std::size_t strip) {
  constexpr std::size_t kMostOnDisk = 4096;
  const std::string_view rest = without_components(path, strip);
  return path.size() <= kMostOnDisk && rest.size() <= QUARRY_LIMIT_PATH &&
         std::ranges::count(rest, '/') < static_cast<std::ptrdiff_t>(QUARRY_LIMIT_LEVELS);
}

}  // namespace quarry::package_source
