#include "plugins/compose.h"
#include "plugins/plugin_files.h"
#include "plugins/plugin_lock.h"
#include "plugins/registry.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::plugins {
namespace {

namespace fs = std::filesystem;

/// Anyone who can write here can run code as this user.
Status check_owner(const fs::path& path) {
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

Status check_owner_if_exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? check_owner(path) : Status();
}

Result<Manifest> read_plugin(const fs::path& plugin) {
  auto manifest = read_manifest(plugin / kManifestFile);
  if (auto safe = check_owner(plugin); !safe) return std::move(safe.error());
  if (!manifest) return manifest;
  if (auto safe = check_owner(manifest->path); !safe) return std::move(safe.error());
  if (auto safe = check_owner_if_exists(manifest->file); !safe) return std::move(safe.error());
  return manifest;
}

/// Directories with a manifest, by name. Names that begin with '.' are those of plugins that are
/// being installed or removed.
std::vector<fs::path> plugins_in(const fs::path& directory) {
  std::error_code failure;
  std::vector<fs::path> plugins;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    if (fs::exists(entry.path() / kManifestFile, failure)) plugins.push_back(entry.path());
  }
  std::ranges::sort(plugins);
  return plugins;
}

/// The lock of a directory whose plugins need one.
using NeededLock = std::optional<Result<PluginLock>>;

NeededLock read_lock(const fs::path& directory) {
  auto safe = check_owner_if_exists(directory / PluginLock::kFileName);
  return safe ? PluginLock::read(directory) : Result<PluginLock>(safe.error());
}

Status check_locked(const Manifest& manifest, const NeededLock& lock) {
  if (!lock) return {};
  if (*lock) return (*lock)->check(manifest);
  return Error(lock->error()).in(compose("plugin {} is not loaded", manifest.id));
}

void find_in(const fs::path& directory, const NeededLock& lock, Found& found) {
  for (const auto& plugin : plugins_in(directory)) {
    auto manifest = read_plugin(plugin);
    const auto usable = manifest ? check_locked(*manifest, lock) : Status(manifest.error());
    if (usable) {
      found.manifests.push_back(std::move(*manifest));
    } else {
      found.problems.push_back(usable.error());
    }
  }
}

Status check_directory(const fs::path& directory) {
  if (directory.is_absolute()) return check_owner(directory);
  return Error(Code::kInvalidArgument,
               compose("plugin directory \"{}\" is relative, and is not searched for plugins",
                       directory.string()),
               "write an absolute path");
}

}  // namespace

Found find_plugins(const std::vector<fs::path>& directories, const fs::path& installed) {
  Found found;
  for (const auto& directory : directories) {
    std::error_code failure;
    if (directory.is_absolute() && !fs::exists(directory, failure)) continue;
    if (auto safe = check_directory(directory); !safe) {
      found.problems.push_back(safe.error());
    } else {
      const bool locked = directory == installed;
      find_in(directory, locked ? read_lock(directory) : NeededLock(), found);
    }
  }
  return found;
}

Found find_wanted(const RegistryOptions& options) {
  Found found = find_plugins(options.directories, options.installed_directory);
  std::erase_if(found.manifests, [&](const Manifest& manifest) {
    return std::ranges::find(options.disabled, manifest.id) != options.disabled.end();
  });
  if (!options.wanted) return found;
  const auto all = found.manifests;
  std::erase_if(found.manifests,
                [&](const Manifest& manifest) { return !options.wanted(manifest, all); });
  return found;
}

}  // namespace quarry::plugins
