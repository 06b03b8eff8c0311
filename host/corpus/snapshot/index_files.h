#pragma once

#include "base/error.h"
#include "corpus/snapshot/snapshot.h"
#include "corpus/snapshot/snapshot_state.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

namespace quarry::corpus {

/// The index of `segment`, mapped once it exists. A damaged one is removed and treated as missing,
/// until it is built again. One that cannot be removed (a disk that is read-only since it failed)
/// is not mapped again: a search that goes on until no index is damaged would not end.
template <class Index>
std::shared_ptr<const Index> open_index(LazyIndex<Index>& lazy, SharedByFile<Index>& open_files,
                                        const Segment& segment,
                                        const Snapshot::OnDamage& on_damage) {
  const std::filesystem::path file = segment.directory() / Index::kFileName;
  std::unique_lock lock(lazy.mutex);
  const bool is_damaged = lazy.index && lazy.index->is_damaged();
  if (is_damaged || lazy.is_stuck) {
    lazy.index = nullptr;
    std::error_code failed;
    std::filesystem::remove(file, failed);
    lazy.is_stuck = static_cast<bool>(failed);
    lock.unlock();
    if (is_damaged && on_damage) on_damage(Damage::kIndex);
    return nullptr;
  }
  if (lazy.index) return lazy.index;
  auto index = open_files.get(file, [&] { return Index::open(file, segment); });
  if (index) lazy.index = std::move(*index);
  return lazy.index;
}

/// Removes the unfinished indexes of processes that were killed.
void sweep_workspaces(const Segment& segment);

/// Has `write` write the index `name` of `segment` into a temporary directory, and renames it into
/// place.
Status make_index(const Segment& segment, const char* name,
                  const std::function<Status(const std::filesystem::path& out)>& write);

}  // namespace quarry::corpus
