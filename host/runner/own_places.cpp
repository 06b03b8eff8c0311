#include "runner/own_places.h"

#include "base/json.h"

#include <algorithm>
#include <fcntl.h>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::runner {
namespace {

namespace fs = std::filesystem;

Error denied(const fs::path& directory, std::string_view why) {
  return {Code::kPermissionDenied, "an isolated plugin may not let the host read " +
                                       directory.string() + ": " + std::string(why)};
}

/// The path without links; empty if it leads nowhere.
fs::path resolved(const fs::path& path) {
  std::error_code failed;
  auto found = fs::canonical(path, failed);
  return failed ? fs::path() : found;
}

/// Both canonical.
bool is_beneath(const fs::path& path, const fs::path& top) {
  if (path.empty() || top.empty()) return false;
  return std::ranges::mismatch(top, path).in1 == top.end();
}

fs::path path_of(const Fd& opened) {
  std::error_code failed;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(opened.get()), failed);
}

void collect_folders(const Json& value, std::vector<fs::path>& folders) {
  if (value.is_string()) {
    const fs::path path = value.get<std::string>();
    if (path.is_absolute()) folders.push_back(resolved(path));
  }
  if (!value.is_structured()) return;
  for (const Json& part : value) collect_folders(part, folders);
}

std::vector<fs::path> folders_in(const Json& value) {
  std::vector<fs::path> folders;
  collect_folders(value, folders);
  return folders;
}

bool is_beneath_any(const fs::path& path, const std::vector<fs::path>& tops) {
  return std::ranges::any_of(tops, [&](const auto& top) { return is_beneath(path, top); });
}

}  // namespace

Scratch::Scratch(services::TempDirectory directory, FileLock lock)
    : directory_(std::move(directory)), lock_(std::move(lock)), path_(directory_.path().string()) {}

Result<std::unique_ptr<Scratch>> Scratch::make(const fs::path& cache) {
  auto path = make_temp_directory(cache, ".scratch-");
  if (!path) return std::move(path.error());
  services::TempDirectory directory(std::move(*path));
  auto lock = FileLock::try_acquire(directory.path(), FileLock::Mode::kExclusive);
  if (!lock) return std::move(lock.error());
  return std::unique_ptr<Scratch>(new Scratch(std::move(directory), std::move(*lock)));
}

Result<Fd> OwnPlaces::open(const fs::path& directory) const {
  // The path of what was opened is checked, because the plugin may change a link meanwhile.
  Fd opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  const auto path = opened ? path_of(opened) : fs::path();
  if (is_beneath(path, resolved(cache)) || is_beneath(path, resolved(data))) return opened;
  return denied(directory, "it is not in the plugin's own directories");
}

Status check_in_place(std::string_view configuration, std::string_view resource,
                      const fs::path& directory) {
  const auto settings = parse_json(configuration);
  const auto asked = parse_json(resource);
  if (!settings || !settings->is_object() || !asked) return denied(directory, "no settings");
  const auto path = directory.is_absolute() ? resolved(directory) : fs::path();
  if (!is_beneath_any(path, folders_in(*asked))) {
    return denied(directory, "no field of the resource names it");
  }
  const auto roots = settings->find("local_roots");
  if (roots == settings->end() && settings->contains("acts_for")) {
    return denied(directory, "projects may read only what is beneath local_roots");
  }
  if (roots != settings->end() && !is_beneath_any(path, folders_in(*roots))) {
    return denied(directory, "it is not beneath local_roots");
  }
  return {};
}

}  // namespace quarry::runner
