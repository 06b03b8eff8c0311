#pragma once

#include "base/error.h"
#include "base/executor.h"
#include "corpus/segment/segment.h"

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

class ScipIndex;
class SymbolAnalyser;
class SymbolIndex;
class TrigramIndex;
class VectorIndex;
class WordIndex;

/// The part of a snapshot found damaged while it was read: text, which is lost, or an index, which
/// was removed and can be built again.
enum class Damage { kText, kIndex };

/// A file of a snapshot: its segment, and its number there.
struct FileRef {
  std::uint32_t segment;
  FileId file;
};

/// What is open of the files of snapshots, so that those that share a segment on the disk share it
/// in memory, too. Thread-safe.
struct OpenFiles;
[[nodiscard]] std::shared_ptr<OpenFiles> new_open_files();

/// A read-only state of a tree: an ordered list of live files over one or more segments. Later
/// segments contain the changes since the first; a file of an earlier segment that was changed or
/// removed is dead and not in the list.
///
/// Thread-safe. Questions share it; it remains valid as long as it is referenced, even after its
/// directory has been removed.
class Snapshot {
 public:
  /// Called on the thread that finds the damage, which may hold locks: it must not block.
  using OnDamage = std::function<void(Damage)>;
  /// Opens the snapshot in `directory` (written by SnapshotWriter or pack_directory). `open_files`
  /// may be null.
  static Result<std::shared_ptr<const Snapshot>> open(
      const std::filesystem::path& directory, OnDamage on_damage = nullptr,
      std::shared_ptr<OpenFiles> open_files = nullptr);
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

  /// Size of all live text in bytes.
  [[nodiscard]] std::uint64_t text_bytes() const;
  [[nodiscard]] const std::filesystem::path& directory() const;

  /// True if a text has been found damaged.
  [[nodiscard]] bool is_damaged() const;

  /// The index of a segment, mapped on first use; null until it has been built (build_indexes,
  /// build_symbols), or if the segment is too small to have one. An index found damaged is removed.
  [[nodiscard]] std::shared_ptr<const TrigramIndex> trigrams(std::uint32_t segment) const;
  [[nodiscard]] std::shared_ptr<const WordIndex> words(std::uint32_t segment) const;
  [[nodiscard]] std::shared_ptr<const SymbolIndex> symbols(std::uint32_t segment) const;
  /// words() for a search, which would read the whole text without it: of a segment with at least
  /// kLeastBuilt bytes of text, the index is built first if it is missing, by one thread while
  /// others wait. Null for a smaller one, if it cannot be built, or when `stop` is requested.
  [[nodiscard]] std::shared_ptr<const WordIndex> built_words(std::uint32_t segment,
                                                             Executor& executor,
                                                             const std::stop_token& stop) const;
  static constexpr std::size_t kLeastBuilt = 4u << 20;
  /// The same as words() for the vectors of one encoder, in the file `name` (vector_file_name()),
  /// whose passages are those of words(). They may be incomplete; a later call then finds those
  /// that were built in between.
  [[nodiscard]] std::shared_ptr<const VectorIndex> vectors(std::uint32_t segment,
                                                           const std::string& name) const;

  /// The index of SCIP that came with the source, opened on first use; null if none did.
  [[nodiscard]] std::shared_ptr<const ScipIndex> scip() const;

  struct State;
  explicit Snapshot(std::unique_ptr<State> state);
  /// For this module.
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Builds all missing indexes of the segments of `snapshot` with the workers of `executor`, each in
/// a temporary file renamed into place. Stops early when `stop` is requested. Safe to call from
/// several processes at once (the last to rename wins, with equal bytes).
Status build_indexes(const Snapshot& snapshot, Executor& executor, std::stop_token stop);
/// The same for one segment.
Status build_indexes(const Snapshot& snapshot, std::uint32_t segment, Executor& executor,
                     std::stop_token stop);

/// Builds the symbol index of a segment, apart from the other indexes because it takes far longer:
/// reads the files that have not been read by their present reader: `analyser` with what scip()
/// tells. A file that the analyser fails on is recorded as such. The rest is as for build_indexes.
Status build_symbols(const Snapshot& snapshot, std::uint32_t segment, SymbolAnalyser& analyser,
                     Executor& executor, std::stop_token stop);

/// Gives the segments of `to` the indexes that the same segments of `from` have, vectors included,
/// as hard links. One that cannot be linked is left out.
void share_indexes(const Snapshot& from, const Snapshot& to);

}  // namespace quarry::corpus
