#pragma once

#include "corpus/segment/segment.h"
#include "corpus/segment/shared_by_file.h"
#include "corpus/segment/table_file.h"
#include "corpus/snapshot/snapshot.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace quarry::corpus {

/// Identifies one state of a file on disk without reading it. All zero = unknown, different from
/// every file on disk.
struct Signature {
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< ctime: also changes when a tool restores the mtime
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;

  friend bool operator==(const Signature&, const Signature&) = default;
};

struct OpenFiles {
  SharedByFile<Segment::Tables> segments;
  SharedByFile<TrigramIndex> trigrams;
  SharedByFile<WordIndex> words;
  SharedByFile<SymbolIndex> symbols;
  SharedByFile<ScipIndex> scips;
};

/// An index that is mapped on the first request after it was built.
template <class Index>
struct LazyIndex {
  std::mutex mutex;
  std::shared_ptr<const Index> index;
  bool is_stuck = false;  ///< its file is damaged and could not be removed
};

/// The building of indexes of words and trigrams, one at a time: each uses all workers, and much
/// memory.
struct IndexBuilding {
  std::mutex mutex;
  std::condition_variable_any ended;
  bool runs = false;
  std::vector<bool> has_failed;  ///< that of words, by segment
};

/// The vectors of one encoder, mapped on the first request after they were built or replaced by
/// more.
struct LazyVectors {
  std::mutex mutex;
  std::string name;  ///< of the file
  std::uint64_t inode = 0;
  std::shared_ptr<const VectorIndex> index;
};

struct Snapshot::State {
  std::filesystem::path directory;
  Snapshot::OnDamage on_damage;  ///< may be null
  std::shared_ptr<OpenFiles> open_files;
  TableFile table;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::span<const std::uint32_t> numbers;  ///< of the segments, see segment_directory()
  std::span<const FileRef> files;          ///< live, in order of path
  std::span<const Signature> signatures;   ///< one for each file, or none
  std::vector<std::vector<bool>> live;     ///< by segment and FileId
  std::uint64_t text_bytes = 0;
  mutable std::vector<LazyIndex<TrigramIndex>> trigrams;
  mutable std::vector<LazyIndex<WordIndex>> words;
  mutable IndexBuilding building;
  mutable std::vector<LazyIndex<SymbolIndex>> symbols;
  mutable std::vector<LazyVectors> vectors;
  mutable std::once_flag scip_opened;
  mutable std::shared_ptr<const ScipIndex> scip;

  Status load();
  Status open_segments();
  Status mark_live();
};

/// Directory of segment `number` of the snapshot in `directory`.
std::filesystem::path segment_directory(const std::filesystem::path& directory,
                                        std::uint32_t number);

/// Writes and syncs the table that makes `directory` a snapshot: the last step of writing one.
/// `files` are in order of path; `signatures` contains one for each file, or none.
Status write_snapshot_table(const std::filesystem::path& directory,
                            std::span<const std::uint32_t> numbers, std::span<const FileRef> files,
                            std::span<const Signature> signatures);

}  // namespace quarry::corpus
