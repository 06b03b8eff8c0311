#include "base/file.h"
#include "corpus/index/trigram_index.h"
#include "corpus/index/word_index.h"
#include "corpus/segment/segment_format.h"
#include "corpus/snapshot/snapshot_state.h"

#include <fcntl.h>
#include <utility>

#include <sys/file.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// The index of `segment`, mapped once it exists. A damaged one is treated as missing: the tools
/// scan instead, and build_indexes replaces it.
template <class Index>
std::shared_ptr<const Index> open_index(LazyIndex<Index>& lazy, const Segment& segment,
                                        const Snapshot::OnDamage& on_damage) {
  std::unique_lock lock(lazy.mutex);
  if (lazy.index && lazy.index->is_damaged()) {
    lazy.index = nullptr;
    std::error_code ignored;
    fs::remove(segment.directory() / Index::kFileName, ignored);
    lock.unlock();
    if (on_damage) on_damage(Damage::kIndex);
    return nullptr;
  }
  if (lazy.index) return lazy.index;
  auto index = Index::open(segment.directory() / Index::kFileName, segment);
  if (index) lazy.index = std::move(*index);
  return lazy.index;
}

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
      if (lock && fs::exists(*path)) return IndexWorkspace(*path, std::move(lock));
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

/// Removes the workspaces of processes that were killed.
void sweep_workspaces(const fs::path& segment) {
  std::error_code failed;
  for (fs::directory_iterator entry(segment, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (!entry->path().filename().native().starts_with(kWorkspacePrefix)) continue;
    std::error_code ignored;
    if (const Fd lock = lock_directory(entry->path())) fs::remove_all(entry->path(), ignored);
  }
}

template <class Index>
Status build_index(const Segment& segment, Executor& executor, const std::stop_token& stop) {
  const auto workspace = IndexWorkspace::open(segment.directory());
  if (!workspace) return workspace.error();
  const fs::path made = workspace->path() / Index::kFileName;
  Status status = Index::build(segment, made, executor, stop);
  if (!status) return status;
  std::error_code failed;
  fs::rename(made, segment.directory() / Index::kFileName, failed);
  if (failed) status = system_error(segment.directory().string(), failed.value());
  return status;
}

}  // namespace

std::shared_ptr<const TrigramIndex> Snapshot::trigrams(std::uint32_t segment) const {
  return open_index(state_->trigrams[segment], *state_->segments[segment], state_->on_damage);
}

std::shared_ptr<const WordIndex> Snapshot::words(std::uint32_t segment) const {
  return open_index(state_->words[segment], *state_->segments[segment], state_->on_damage);
}

Status build_indexes(const Snapshot& snapshot, std::uint32_t segment, Executor& executor,
                     std::stop_token stop) {
  const Segment& of = *snapshot.segments()[segment];
  sweep_workspaces(of.directory());
  Status status;
  if (of.packed_text().size() >= TrigramIndex::kMinimumText && !snapshot.trigrams(segment)) {
    status = build_index<TrigramIndex>(of, executor, stop);
  }
  if (status && !snapshot.words(segment)) status = build_index<WordIndex>(of, executor, stop);
  return status;
}

Status build_indexes(const Snapshot& snapshot, Executor& executor, std::stop_token stop) {
  Status status;
  for (std::uint32_t i = 0; status && i < snapshot.segments().size(); ++i) {
    status = build_indexes(snapshot, i, executor, stop);
  }
  return status;
}

namespace {

/// Links the finished files that are missing in `to`.
void link_files(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  for (fs::directory_iterator entry(from, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const fs::path name = entry->path().filename();
    std::error_code ignored;
    if (!name.native().starts_with('.')) fs::create_hard_link(entry->path(), to / name, ignored);
  }
}

}  // namespace

void share_indexes(const Snapshot& from, const Snapshot& to) {
  for (const auto& source : from.segments()) {
    const fs::path target = to.directory() / source->directory().filename();
    std::error_code ignored;
    // Snapshots with one predecessor may have different segments of one number.
    if (!fs::equivalent(source->directory() / kTextFile, target / kTextFile, ignored)) continue;
    link_files(source->directory(), target);
  }
}

}  // namespace quarry::corpus
