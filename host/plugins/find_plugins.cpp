#include "base/directory_entries.h"
#include "plugins/compose.h"
#include "plugins/plugin_files.h"
#include "plugins/plugin_lock.h"
#include "plugins/registry.h"

#include <algorithm>
#include <cerrno>
#include <future>
#include <iterator>
#include <optional>
#include <span>
#include <unistd.h>
#include <utility>

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

Status check_owners(const Manifest& manifest) {
  if (auto safe = check_owner(manifest.path.parent_path()); !safe) return safe;
  if (auto safe = check_owner(manifest.path); !safe) return safe;
  return check_owner_if_exists(manifest.file);
}

/// A manifest, and the reason for which its plugin is not used, if there is one.
struct ReadPlugin {
  Manifest manifest;
  Status usable;
};

Result<ReadPlugin> read_plugin(const fs::path& plugin) {
  auto manifest = read_manifest(plugin / kManifestFile);
  if (!manifest) {
    auto safe = check_owner(plugin);
    return safe ? std::move(manifest.error()) : std::move(safe.error());
  }
  auto safe = check_owners(*manifest);
  if (!safe) {
    safe = std::move(safe.error()).in(compose("plugin {} is not loaded", manifest->id));
  }
  return ReadPlugin{std::move(*manifest), std::move(safe)};
}

bool is_plugin(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / kManifestFile, ignored);
}

Error unreadable(const fs::path& directory, std::error_code failure) {
  auto error = system_error("reading plugin directory " + directory.string(), failure.value());
  error.hint = "let this user read it, or take it out of plugin_path";
  return error;
}

/// Directories with a manifest, by name. Names that begin with '.' are those of plugins that are
/// being installed or removed.
Result<std::vector<fs::path>> plugins_in(const fs::path& directory) {
  std::error_code failure;
  std::vector<fs::path> plugins;
  for (const auto& entry : entries_of(directory, failure)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    if (is_plugin(entry.path())) plugins.push_back(entry.path());
  }
  if (failure) return unreadable(directory, failure);
  std::ranges::sort(plugins);
  return plugins;
}

/// A directory beneath `directory` that has plugins; empty if the first kMostSearched entries hold
/// none.
fs::path plugins_beneath(const fs::path& directory) {
  constexpr int kDeepest = 5;
  constexpr int kMostSearched = 10'000;
  std::error_code failure;
  auto entry = fs::recursive_directory_iterator(
      directory, fs::directory_options::skip_permission_denied, failure);
  for (int seen = 0; !failure && entry != fs::end(entry) && seen < kMostSearched; ++seen) {
    if (entry->path().filename() == kManifestFile) {
      return entry->path().parent_path().parent_path();
    }
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    entry.increment(failure);
  }
  return {};
}

Error wrong_directory(const fs::path& directory, std::string_view why, std::string hint) {
  return {Code::kInvalidArgument, compose("plugin directory \"{}\" {}", directory.string(), why),
          std::move(hint)};
}

Error no_plugin_in(const fs::path& directory) {
  const auto beneath = plugins_beneath(directory);
  return wrong_directory(directory, "has no plugin",
                         beneath.empty()
                             ? "name the directory that has the folders of plugins, or take it out "
                               "of plugin_path"
                             : "did you mean \"" + beneath.string() + "\"?");
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

/// Reads them on two threads, since a start reads some forty.
std::vector<Result<ReadPlugin>> read_plugins(std::span<const fs::path> plugins) {
  const auto read = [](std::span<const fs::path> some) {
    std::vector<Result<ReadPlugin>> out;
    for (const auto& plugin : some) out.push_back(read_plugin(plugin));
    return out;
  };
  const auto half = plugins.size() / 2;
  auto others = std::async(std::launch::async, read, plugins.subspan(half));
  auto out = read(plugins.first(half));
  std::ranges::move(others.get(), std::back_inserter(out));
  return out;
}

void find_in(std::span<const fs::path> plugins, const NeededLock& lock, Found& found) {
  for (auto& read : read_plugins(plugins)) {
    if (!read) {
      found.problems.push_back(std::move(read.error()));
      continue;
    }
    auto& [manifest, usable] = *read;
    if (usable) usable = check_locked(manifest, lock);
    if (usable) {
      found.manifests.push_back(std::move(manifest));
      continue;
    }
    found.problems.push_back(usable.error());
    found.unusable.push_back({std::move(manifest), std::move(usable.error())});
  }
}

Status check_directory(const fs::path& directory) {
  if (!directory.is_absolute()) {
    return wrong_directory(directory, "is relative, and is not searched for plugins",
                           "write an absolute path");
  }
  std::error_code failure;
  const auto status = fs::status(directory, failure);
  if (!fs::status_known(status)) return unreadable(directory, failure);
  if (!fs::exists(status)) {
    return wrong_directory(directory, "does not exist", "create it, or take it out of plugin_path");
  }
  // Without its last slash.
  const auto above = (directory / "").lexically_normal().parent_path().parent_path();
  if (!fs::is_directory(status)) {
    return wrong_directory(directory, "is a file",
                           "name the directory that has the folders of plugins, perhaps " +
                               above.parent_path().string());
  }
  if (is_plugin(directory)) {
    return wrong_directory(directory, "is that of one plugin",
                           "name the directory above it: " + above.string());
  }
  return check_owner(directory);
}

}  // namespace

Found find_plugins(const std::vector<fs::path>& directories, const fs::path& installed) {
  Found found;
  for (const auto& directory : directories) {
    const bool locked = directory == installed;
    std::error_code failure;
    if (locked && !fs::exists(directory, failure)) continue;
    if (auto usable = check_directory(directory); !usable) {
      found.problems.push_back(usable.error());
      continue;
    }
    const auto plugins = plugins_in(directory);
    if (!plugins) {
      found.problems.push_back(plugins.error());
    } else if (plugins->empty() && !locked) {
      found.problems.push_back(no_plugin_in(directory));
    } else {
      find_in(*plugins, locked ? read_lock(directory) : NeededLock(), found);
    }
  }
  return found;
}

bool is_disabled(const RegistryOptions& options, const Manifest& manifest) {
  return std::ranges::find(options.disabled, manifest.id) != options.disabled.end();
}

Found find_wanted(const RegistryOptions& options) {
  Found found = find_plugins(options.directories, options.installed_directory);
  for (const auto& manifest : found.manifests) {
    if (is_disabled(options, manifest)) found.disabled.push_back(manifest);
  }
  std::erase_if(found.manifests,
                [&](const Manifest& manifest) { return is_disabled(options, manifest); });
  std::erase_if(found.unusable, [&](const UnusablePlugin& plugin) {
    return is_disabled(options, plugin.manifest);
  });
  for (const auto& manifest : found.manifests) {
    for (const auto& component : manifest.components) found.kinds.insert(component.kind);
  }
  if (!options.wanted) return found;
  const auto all = found.manifests;
  std::erase_if(found.manifests,
                [&](const Manifest& manifest) { return !options.wanted(manifest, all); });
  return found;
}

}  // namespace quarry::plugins
