#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/snapshot/snapshot.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Limits of a pack, and its unit of indexing. A file beyond `file_bytes` is listed but not
/// searchable; a path beyond `depth` or `path_bytes` is left out, with everything beneath it, and
/// counted; beyond the others the pack fails with kResourceExhausted and names the limit.
struct PackLimits {
  std::uint64_t file_bytes = 4u << 20;
  std::uint64_t total_bytes = 4ull << 30;
  std::uint32_t files = 1'000'000;
  std::uint32_t depth = 64;
  std::uint32_t path_bytes = 1024;
  /// Text after which a new segment begins. Indexes are built a segment at a time, with memory for
  /// about three times its text.
  std::uint64_t segment_bytes = 64u << 20;
};

/// Rules that exclude paths from a snapshot (see repository_ignore.h and builtin_ignore.h).
/// Directories of version control are always excluded.
struct PackRules {
  /// Applies .ignore files, and in a git repository .gitignore files; not for fetched resources,
  /// whose files are all intended.
  bool honour_ignore_files = true;
  bool skip_dependencies = true;  ///< node_modules, build output, caches, …
  bool skip_secrets = true;       ///< .env, private keys, histories, …
};

/// The entries that one rule excluded; a directory counts once.
struct IgnoredBy {
  std::string rule;  ///< for display: "/*" in .gitignore:3, with the quotation marks
  std::uint64_t entries = 0;
  std::uint64_t directories = 0;           ///< of them
  std::vector<std::string> examples = {};  ///< paths of a few, those of directories with a slash
};

/// Why the `index.scip` that came with a source is not used, for people; "" if it is, or none did.
[[nodiscard]] std::string scip_problem(const Snapshot& snapshot);

/// Progress of a pack, reported from time to time on the packing thread.
struct PackProgress {
  std::uint32_t files = 0;
  std::uint64_t bytes = 0;
};
using OnPackProgress = std::function<void(const PackProgress&)>;

/// Writes a snapshot of files that are added one by one in any order (a fetched resource).
/// Not thread-safe.
class SnapshotWriter {
 public:
  /// Begins in the empty directory `directory`. A file that `previous` (may be null) contains with
  /// the same path and text is not written again: its segment is linked, with its indexes, as long
  /// as that is worthwhile (see pack_plan.h).
  static Result<std::unique_ptr<SnapshotWriter>> create(
      const std::filesystem::path& directory, PackLimits limits, PackRules rules,
      std::shared_ptr<const Snapshot> previous = nullptr);
  ~SnapshotWriter();
  /// Adds one regular file. `path` is normalised (kInvalidArgument if it would leave the root or
  /// was added before); a path that the rules exclude is accepted and dropped.
  Status add(std::string_view path, std::string_view bytes);
  /// Adds a file without its bytes: kTooLarge or kLink. Otherwise like add().
  Status list(std::string_view path, FileKind kind, std::uint64_t size);
  /// Number of paths left out because they are too long or too deep.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Number of files left out because they look like secrets.
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

/// Changes of a folder, by the directories in which files changed, appeared or disappeared.
struct TreeChanges {
  bool everything = false;  ///< more may have changed: ignore files, directories
  /// Paths relative to the root, "" = the root.
  std::set<std::string, std::less<>> directories = {};

  [[nodiscard]] bool any() const { return everything || !directories.empty(); }
  void add(TreeChanges others) {
    everything = everything || others.everything;
    directories.merge(others.directories);
  }
};

/// The state of a folder at one time: path and signature (size, mtime, ctime, inode, device) of
/// each entry, no contents.
class TreeState {
 public:
  /// Walks `root` by `rules`, without following links. Unreadable entries are part of the state.
  static Result<TreeState> scan(const std::filesystem::path& root, const PackLimits& limits,
                                const PackRules& rules, Executor& executor, std::stop_token stop);
  /// The state after `changes` since `before`, a state by the same limits and rules: lists only the
  /// directories in which files changed, unless that does not tell the state.
  static Result<TreeState> rescan(TreeState before, const TreeChanges& changes,
                                  const std::filesystem::path& root, const PackLimits& limits,
                                  const PackRules& rules, Executor& executor, std::stop_token stop);
  ~TreeState();
  TreeState(TreeState&&) noexcept;
  TreeState& operator=(TreeState&&) noexcept;

  /// 64 hexadecimal digits that change whenever an entry does.
  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] std::size_t file_count() const;
  /// Number of paths left out because they are too long or too deep; a directory counts once.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Number of files left out because their names look like secrets.
  [[nodiscard]] std::uint32_t secrets() const;

  /// If rules of ignore files excluded more directories than there are files, or there are no
  /// files: these rules, those that excluded most first, without examples.
  [[nodiscard]] const std::vector<IgnoredBy>& ignored() const;

  /// True if a file `index.scip` lies in the root, whether rules exclude it or not.
  [[nodiscard]] bool has_scip() const;

  struct Entries;
  explicit TreeState(std::unique_ptr<Entries> entries);
  [[nodiscard]] const Entries& entries() const { return *entries_; }

 private:
  std::unique_ptr<Entries> entries_;
};

/// Packs the entries `tree` of the folder `root` into the empty directory `out`. Files with the
/// same signature in `previous` (may be null) are not read again: the segments of `previous` are
/// hard-linked, or, if too much of them is dead or they are too many, their live text is copied
/// into a new one (see pack_plan.h). A file that changes while it is read is packed as read; the
/// next scan detects it. Reading never leaves `root` (openat2 with RESOLVE_BENEATH |
/// RESOLVE_NO_SYMLINKS).
Result<std::shared_ptr<const Snapshot>> pack_directory(
    const std::filesystem::path& root, const TreeState& tree, const Snapshot* previous,
    const std::filesystem::path& out, const PackLimits& limits, Executor& executor,
    std::stop_token stop, const OnPackProgress& progress);

}  // namespace quarry::corpus
