#include "services/paths.h"

#include "base/directory_entries.h"
#include "base/file.h"
#include "base/random.h"

#include <cstdlib>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::services {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kAlive = ".alive";

Result<fs::path> made(const fs::path& directory) {
  const Status done = create_private_directories(directory);
  if (done) return directory;
  Error error = done.error();
  error.hint =
      "Set HOME, or QUARRY_CACHE_DIR, QUARRY_DATA_DIR and QUARRY_STATE_DIR, to directories that "
      "you "
      "may write to.";
  return error;
}

Result<fs::path> made_in(Result<fs::path> parent, std::string_view name) {
  if (!parent) return parent;
  return made(*parent / name);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == name.npos &&
         name.find('\0') == name.npos && name.size() <= 128;
}

Result<fs::path> plugin_directory(Result<fs::path> root, std::string_view id) {
  if (!is_plain_name(id))
    return Error{Code::kInvalidArgument, "'" + std::string(id) + "' cannot name a directory"};
  return made_in(made_in(std::move(root), "plugins"), id);
}

struct RootRule {
  const char* own;
  const char* xdg;
  const char* beneath_home;
};

Result<fs::path> root_of(const Paths::Environment& environment, const RootRule& rule) {
  const auto value = [&](const char* name) {
    const char* text = environment(name);
    return std::string(text ? text : "");
  };
  if (const std::string own = value(rule.own); !own.empty()) {
    if (own[0] == '/') return fs::path(own);
    return Error{Code::kInvalidArgument, std::string(rule.own) + " is not an absolute path: " + own,
                 "give the full path, starting with '/'"};
  }
  // The XDG specification says to ignore a relative path.
  if (const std::string xdg = value(rule.xdg); !xdg.empty() && xdg[0] == '/')
    return fs::path(xdg) / "quarry";
  if (const std::string home = value("HOME"); !home.empty() && home[0] == '/')
    return fs::path(home) / rule.beneath_home / "quarry";
  return Error{Code::kInvalidArgument, std::string("neither ") + rule.own + " nor HOME is set",
               "set HOME, or QUARRY_CACHE_DIR, QUARRY_DATA_DIR and QUARRY_STATE_DIR, to absolute "
               "paths"};
}

std::string random_name() {
  return std::to_string(::getpid()) + "-" + random_hex(4);
}

/// Removes the leftovers of the process of this marker; false if it still runs.
bool sweep_one(const fs::path& marker) {
  const auto lock = FileLock::try_acquire(marker, FileLock::Mode::kExclusive);
  if (!lock) return false;
  std::error_code error;
  fs::path directory = marker;
  fs::remove_all(directory.replace_extension(), error);
  if (error) return false;
  return fs::remove(marker, error);
}

}  // namespace

TempDirectory::~TempDirectory() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Paths::Home::~Home() {
  std::error_code error;
  fs::remove_all(directory.path(), error);
  fs::remove(alive_path, error);
}

Result<Paths::Roots> Paths::roots(const Environment& environment) {
  auto cache = root_of(environment, {"QUARRY_CACHE_DIR", "XDG_CACHE_HOME", ".cache"});
  if (!cache) return cache.error();
  auto data = root_of(environment, {"QUARRY_DATA_DIR", "XDG_DATA_HOME", ".local/share"});
  if (!data) return data.error();
  auto state = root_of(environment, {"QUARRY_STATE_DIR", "XDG_STATE_HOME", ".local/state"});
  if (!state) return state.error();
  return Roots{*cache, *data, *state};
}

Result<Paths::Roots> Paths::roots() {
  return roots([](const char* name) { return std::getenv(name); });
}

Result<fs::path> Paths::cache() const {
  return made(roots_.cache);
}

Result<fs::path> Paths::data() const {
  return made(roots_.data);
}

Result<fs::path> Paths::state() const {
  return made(roots_.state);
}

Result<fs::path> Paths::plugin_cache(std::string_view id) const {
  return plugin_directory(cache(), id);
}

Result<fs::path> Paths::plugin_data(std::string_view id) const {
  return plugin_directory(data(), id);
}

Result<fs::path> Paths::home() {
  std::lock_guard guard(mutex_);
  if (home_) return home_->directory.path();
  auto parent = made_in(cache(), "tmp");
  if (!parent) return parent;
  // This lock prevents a sweep from seeing the marker before it is locked.
  auto sweeping = FileLock::acquire(*parent / ".sweep", FileLock::Mode::kExclusive);
  if (!sweeping) return sweeping.error();
  fs::path directory = *parent / random_name();
  fs::path marker = directory;
  marker += kAlive;
  auto alive = FileLock::try_acquire(marker, FileLock::Mode::kExclusive);
  if (!alive) return alive.error();
  if (auto created = made(directory); !created) return created;
  home_.reset(new Home{std::move(*alive), marker, TempDirectory(directory)});
  return directory;
}

Result<TempDirectory> Paths::temp(std::string_view prefix) {
  auto parent = home();
  if (!parent) return parent.error();
  auto path = make_temp_directory(*parent, prefix);
  if (!path) return path.error();
  return TempDirectory(std::move(*path));
}

Result<std::size_t> Paths::sweep() {
  auto parent = made_in(cache(), "tmp");
  if (!parent) return parent.error();
  auto sweeping = FileLock::acquire(*parent / ".sweep", FileLock::Mode::kExclusive);
  if (!sweeping) return sweeping.error();
  std::size_t swept = 0;
  for (const auto& entry : entries_of(*parent))
    if (entry.path().extension() == kAlive) swept += sweep_one(entry.path());
  return swept;
}

}  // namespace quarry::services
