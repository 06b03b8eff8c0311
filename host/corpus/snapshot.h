#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

class TrigramIndex;
class WordIndex;

/// What was found to be damaged while a snapshot was read: its text, which is gone, or an index,
/// which was removed and can be built again.
enum class Damage { kText, kIndex };

/// A file of a snapshot: which segment holds it, and where.
struct FileRef {
  std::uint32_t segment;
  FileId file;
};

/// A read-only state of a tree: an ordered list of live files over one or more segments. Later
/// segments hold what changed since the first; a file of an earlier segment that was changed or
/// removed is dead and in no list.
///
/// Thread-safe. Questions share it; it lives as long as somebody holds it, even when its directory
/// has been removed meanwhile.
class Snapshot {
 public:
  /// Called on the thread that finds the damage, which may hold locks: it must not wait.
  using OnDamage = std::function<void(Damage)>;
  /// Opens the snapshot in `directory` (written by SnapshotWriter or pack_directory).
  static Result<std::shared_ptr<const Snapshot>> open(const std::filesystem::path& directory,
                                                      OnDamage on_damage = nullptr);
  ~Snapshot();

  /// Live files in ascending order of path bytes.
  [[nodiscard]] std::span<const FileRef> files() const;
  [[nodiscard]] std::span<const std::shared_ptr<const Segment>> segments() const;
  [[nodiscard]] bool is_live(FileRef file) const;

  [[nodiscard]] std::string_view path(FileRef file) const;
  [[nodiscard]] const Segment& segment(FileRef file) const;
  /// The live file at exactly `path`.
  [[nodiscard]] std::optional<FileRef> find(std::string_view path) const;
  /// The live files beneath directory `path` ("" = all), as a range of files().
  [[nodiscard]] std::span<const FileRef> beneath(std::string_view path) const;

  /// Sum of the sizes of live text, bytes.
  [[nodiscard]] std::uint64_t text_bytes() const;
  [[nodiscard]] const std::filesystem::path& directory() const;

  /// Whether a text of it was found to be damaged.
  [[nodiscard]] bool is_damaged() const;

  /// The index of a segment, mapped on first use; null until it has been built (build_indexes) or
  /// when the segment is too small to have one. One that was found to be damaged is removed.
  [[nodiscard]] std::shared_ptr<const TrigramIndex> trigrams(std::uint32_t segment) const;
  [[nodiscard]] std::shared_ptr<const WordIndex> words(std::uint32_t segment) const;

  struct State;
  explicit Snapshot(std::unique_ptr<State> state);
  /// For this room.
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Builds whatever index is still missing beside the segments of `snapshot`, each in a temporary
/// file renamed into place, with the workers of `executor`. Stops early when `stop` is requested;
/// safe to call from several processes at once (the last one to rename wins, with equal bytes).
Status build_indexes(const Snapshot& snapshot, Executor& executor, std::stop_token stop);

}  // namespace quarry::corpus
