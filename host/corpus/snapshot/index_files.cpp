#include "corpus/snapshot/index_files.h"

#include "base/directory_entries.h"
#include "base/file.h"

#include <fcntl.h>
#include <utility>

#include <sys/file.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkspacePrefix = ".building-";

/// Locks a directory. Empty if it does not exist or is locked already.
Fd lock_directory(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return Fd();
  return fd;
}

/// A temporary directory for building an index, in the segment's directory. Its name marks it as
/// unfinished, its lock as in use. Removed on destruction.
class IndexWorkspace {
 public:
  static Result<IndexWorkspace> open(const fs::path& segment) {
    constexpr int kAttempts = 8;
    for (int attempt = 0;; ++attempt) {
      const auto path = make_temp_directory(segment, kWorkspacePrefix);
      if (!path) return path.error();
      Fd lock = lock_directory(*path);
      // sweep_workspaces() of another process may have locked and removed it in between.
      std::error_code failed;
      if (lock && fs::exists(*path, failed)) return IndexWorkspace(*path, std::move(lock));
      if (attempt == kAttempts) return Error{Code::kUnavailable, "cannot lock " + path->string()};
    }
  }
  IndexWorkspace(IndexWorkspace&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  IndexWorkspace& operator=(IndexWorkspace&&) = delete;
  ~IndexWorkspace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  IndexWorkspace(fs::path path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  fs::path path_;
  Fd lock_;
};

}  // namespace

void sweep_workspaces(const Segment& segment) {
  for (const auto& entry : entries_of(segment.directory())) {
    if (!entry.path().filename().native().starts_with(kWorkspacePrefix)) continue;
    std::error_code ignored;
    if (const Fd lock = lock_directory(entry.path())) fs::remove_all(entry.path(), ignored);
  }
}

Status make_index(const Segment& segment, const char* name,
                  const std::function<Status(const fs::path& out)>& write) {
  const auto workspace = IndexWorkspace::open(segment.directory());
  if (!workspace) return workspace.error();
  const fs::path made = workspace->path() / name;
  Status status = write(made);
  if (!status) return status;
  std::error_code failed;
  fs::rename(made, segment.directory() / name, failed);
  if (failed) status = system_error(segment.directory().string(), failed.value());
  return status;
}

}  // namespace quarry::corpus
