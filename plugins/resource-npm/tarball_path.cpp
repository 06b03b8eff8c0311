#include "resource-npm/tarball_path.h"

#include <algorithm>

namespace quarry::resource_npm {

std::optional<std::string> stripped_path(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  std::string out;
  bool first = true;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") return std::nullopt;
    if (!first) out += (out.empty() ? "" : "/") + std::string(part);
    first = false;
  }
  return out;
}

}  // namespace quarry::resource_npm
