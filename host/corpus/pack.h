#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/snapshot.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace quarry::corpus {

/// What may be packed. Beyond `file_bytes` a file is listed but not searchable; a path beyond
/// `depth` or `path_bytes` is left out, with what is beneath it, and counted; beyond the others the
/// pack fails with kResourceExhausted and names the limit.
struct PackLimits {
  std::uint64_t file_bytes = 4u << 20;
  std::uint64_t total_bytes = 4ull << 30;
  std::uint32_t files = 1'000'000;
  std::uint32_t depth = 64;
  std::uint32_t path_bytes = 1024;
};

/// Which paths stay out of a snapshot (see repository_ignore.h and builtin_ignore.h). The
/// directories of version control always do.
struct PackRules {
  /// Of a folder and of the git repository it lies in; what was fetched is meant to be there.
  bool honour_gitignore = true;
  bool skip_dependencies = true;  ///< node_modules, build output, caches, …
  bool skip_secrets = true;       ///< .env, private keys, histories, …
};

/// How far a pack has come; called now and then from the packing thread.
struct PackProgress {
  std::uint32_t files = 0;
  std::uint64_t bytes = 0;
};
using OnPackProgress = std::function<void(const PackProgress&)>;

/// Writes a snapshot from files that arrive one by one in any order (a fetched resource).
/// Not thread-safe.
class SnapshotWriter {
 public:
  /// Begins in the empty directory `directory`. A file that is in `previous` (may be null) with the
  /// same path and text is not written again: the segment it lies in is linked, with its indexes,
  /// as long as that is worth it (see pack_plan.h).
  static Result<std::unique_ptr<SnapshotWriter>> create(
      const std::filesystem::path& directory, PackLimits limits, PackRules rules,
      std::shared_ptr<const Snapshot> previous = nullptr);
  ~SnapshotWriter();
  /// Adds one regular file. `path` is normalised (kInvalidArgument when it would leave the root or
  /// stands twice); a path the rules leave out is accepted and dropped.
  Status add(std::string_view path, std::string_view bytes);
  /// Adds a file without its bytes: kTooLarge or kLink. As add() otherwise.
  Status list(std::string_view path, FileKind kind, std::uint64_t size);
  /// How many paths were left out since they are too long or too deep.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Files that were added and left out, since they look like secrets.
  [[nodiscard]] std::uint32_t secrets() const;
  /// Writes the tables, syncs, and opens the result.
  Result<std::shared_ptr<const Snapshot>> finish();

  struct State;
  explicit SnapshotWriter(std::unique_ptr<State> state);

 private:
  Result<std::optional<std::string>> admit(std::string_view path);
  Status take(const std::string& path, FileKind kind, std::uint64_t size, std::string_view text);
  std::unique_ptr<State> state_;
};

/// One look at a folder: each entry's path and signature (size, mtime, ctime, inode, device), no
/// contents.
class TreeState {
 public:
  /// Walks `root` without following links, beneath `rules`. Unreadable entries are part of the
  /// state.
  static Result<TreeState> scan(const std::filesystem::path& root, const PackLimits& limits,
                                const PackRules& rules, Executor& executor, std::stop_token stop);
  ~TreeState();
  TreeState(TreeState&&) noexcept;
  TreeState& operator=(TreeState&&) noexcept;

  /// 64 hexadecimal digits that change whenever an entry does.
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] std::size_t file_count() const;
  /// How many paths were left out since they are too long or too deep; a directory is one.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Files that were left out, since they look like secrets by their names.
  [[nodiscard]] std::uint32_t secrets() const;

  struct Entries;
  explicit TreeState(std::unique_ptr<Entries> entries);
  [[nodiscard]] const Entries& entries() const { return *entries_; }

 private:
  std::unique_ptr<Entries> entries_;
};

/// Packs the folder `root` as `tree` saw it into the empty directory `out`. Files whose signature
/// is the same in `previous` (may be null) are taken from its segments by hard link, not read
/// again; when too much of those segments is dead, or there are too many, their live text is copied
/// into a new one (see pack_plan.h). A file that changes while it is read is packed as read; the
/// next scan sees it. Reading never leaves `root` (openat2 with RESOLVE_BENEATH |
/// RESOLVE_NO_SYMLINKS).
Result<std::shared_ptr<const Snapshot>> pack_directory(
    const std::filesystem::path& root, const TreeState& tree, const Snapshot* previous,
    const std::filesystem::path& out, const PackLimits& limits, Executor& executor,
    std::stop_token stop, const OnPackProgress& progress);

}  // namespace quarry::corpus
