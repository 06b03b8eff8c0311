#include "plugins/compose.h"
#include "plugins/registry.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::plugins {
namespace {

/// Anyone who can write here can run code as this user.
Status check_owner(const std::filesystem::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return system_error("reading " + path.string(), errno);
  if (facts.st_uid != 0 && facts.st_uid != ::geteuid()) {
    return Error(
        Code::kPermissionDenied,
        compose("{} belongs to user {}, who is neither root nor you", path.string(), facts.st_uid),
        "install the plugin as yourself or as root");
  }
  if ((facts.st_mode & S_IWOTH) != 0) {
    return Error(Code::kPermissionDenied, compose("{} is writable by everyone", path.string()),
                 "chmod o-w " + path.string());
  }
  return {};
}

void find_in(const std::filesystem::path& directory, Found& found) {
  std::error_code failure;
  std::vector<std::filesystem::path> plugins;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
    if (std::filesystem::exists(entry.path() / "plugin.toml", failure)) {
      plugins.push_back(entry.path());
    }
  }
  std::ranges::sort(plugins);
  for (const auto& plugin : plugins) {
    auto manifest = read_manifest(plugin / "plugin.toml");
    Status safe = check_owner(plugin);
    if (safe && manifest) safe = check_owner(manifest->path);
    if (safe && manifest && std::filesystem::exists(manifest->file, failure)) {
      safe = check_owner(manifest->file);
    }
    if (!safe) {
      found.problems.push_back(safe.error());
    } else if (!manifest) {
      found.problems.push_back(manifest.error());
    } else {
      found.manifests.push_back(std::move(*manifest));
    }
  }
}

}  // namespace

Found find_plugins(const std::vector<std::filesystem::path>& directories) {
  Found found;
  for (const auto& directory : directories) {
    std::error_code failure;
    if (!directory.is_absolute()) {
      found.problems.emplace_back(
          Code::kInvalidArgument,
          compose("plugin directory \"{}\" is relative, and is not searched for plugins",
                  directory.string()),
          "write an absolute path");
    } else if (std::filesystem::exists(directory, failure)) {
      if (auto safe = check_owner(directory); !safe) {
        found.problems.push_back(safe.error());
      } else {
        find_in(directory, found);
      }
    }
  }
  return found;
}

}  // namespace quarry::plugins
