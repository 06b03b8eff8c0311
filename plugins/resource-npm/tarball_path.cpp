#include "resource-npm/tarball_path.h"

#include "resource_files/path.h"

namespace quarry::resource_npm {

std::optional<std::string> stripped_path(std::string_view path) {
  if (path.starts_with('/')) return std::nullopt;
  auto plain = resource_files::plain_path(path);
  if (!plain) return std::nullopt;
  const auto slash = plain->find('/');
  return slash == plain->npos ? std::string() : plain->substr(slash + 1);
}

}  // namespace quarry::resource_npm
