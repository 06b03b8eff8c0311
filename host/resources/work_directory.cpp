#include "resources/work_directory.h"

#include "base/directory_entries.h"

#include <atomic>
#include <chrono>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

namespace quarry::resources {
namespace fs = std::filesystem;

namespace {

Status make_directory(const fs::path& path) {
  std::error_code failed;
  fs::create_directory(path, failed);
  if (failed) return system_error("cannot create " + path.string(), failed.value());
  return {};
}

/// An unpacked archive may contain directories without write permission.
void permit_removal(const fs::path& directory) {
  ::chmod(directory.c_str(), 0700);
  for (const auto& entry : entries_of(directory)) {
    std::error_code ignored;
    if (entry.symlink_status(ignored).type() == fs::file_type::directory) {
      permit_removal(entry.path());
    }
  }
}

}  // namespace

Status remove_tree(const fs::path& directory) {
  std::error_code failed;
  fs::remove_all(directory, failed);
  if (!failed) return {};
  permit_removal(directory);
  fs::remove_all(directory, failed);
  if (failed) return system_error("cannot remove " + directory.string(), failed.value());
  return {};
}

std::string name_for_removal() {
  static std::atomic<unsigned> count = 0;
  // Includes the time, because a killed process may have had the same id.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return ".removed-" + std::to_string(::getpid()) + '-' + std::to_string(++count) + '-' +
         std::to_string(now);
}

Result<std::unique_ptr<WorkDirectory>> WorkDirectory::create(const fs::path& parent) {
  constexpr int kAttempts = 8;
  for (int attempt = 0;; ++attempt) {
    auto path = make_temp_directory(parent, "");
    if (!path) return std::move(path).error();
    auto lock = DirectoryLock::try_acquire(*path, DirectoryLock::Mode::kExclusive);
    // A sweep may have locked it first and removes it, so a new name is tried.
    if (!lock && attempt < kAttempts) continue;
    if (!lock) return std::move(lock).error();
    std::unique_ptr<WorkDirectory> work(new WorkDirectory(std::move(*path), std::move(*lock)));
    Status made = make_directory(work->snapshot());
    if (!made) return std::move(made).error();
    return work;
  }
}

WorkDirectory::~WorkDirectory() {
  static_cast<void>(remove_tree(path_));
}

Result<fs::path> WorkDirectory::scratch() {
  fs::path scratch = path_ / "scratch";
  Status made = make_directory(scratch);
  if (!made) return std::move(made).error();
  return scratch;
}

void sweep(const fs::path& parent) {
  for (const auto& entry : entries_of(parent)) {
    const auto lock = DirectoryLock::try_acquire(entry.path(), DirectoryLock::Mode::kExclusive);
    if (lock) static_cast<void>(remove_tree(entry.path()));
  }
}

}  // namespace quarry::resources
