#include "base/directory_entries.h"
#include "corpus/index/symbol_index.h"
#include "corpus/index/trigram_index.h"
#include "corpus/index/word_index.h"
#include "corpus/segment/segment_format.h"
#include "corpus/snapshot/index_files.h"

#include <functional>
#include <malloc.h>

namespace quarry::corpus {
namespace {

namespace fs = std::filesystem;

/// The files of the indexes of a segment.
constexpr const char* kIndexFiles[] = {TrigramIndex::kFileName, WordIndex::kFileName,
                                       SymbolIndex::kFileName};

template <class Index>
Status build_index(const Segment& segment, Executor& executor, const std::stop_token& stop) {
  Status built = make_index(segment, Index::kFileName, [&](const fs::path& out) {
    return Index::build(segment, out, executor, stop);
  });
  // Else the allocator keeps what each index of a large tree took.
  if (segment.packed_text().size() >= Snapshot::kLeastBuilt) ::malloc_trim(0);
  return built;
}

}  // namespace

std::shared_ptr<const TrigramIndex> Snapshot::trigrams(std::uint32_t segment) const {
  return open_index(state_->trigrams[segment], state_->open_files->trigrams,
                    *state_->segments[segment], state_->on_damage);
}

std::shared_ptr<const WordIndex> Snapshot::words(std::uint32_t segment) const {
  return open_index(state_->words[segment], state_->open_files->words, *state_->segments[segment],
                    state_->on_damage);
}

namespace {

/// Calls `build` if `is_missing` once no other index of the snapshot is being built.
Status build_alone(const Snapshot& snapshot, Executor& executor, const std::stop_token& stop,
                   const std::function<bool()>& is_missing, const std::function<Status()>& build) {
  IndexBuilding& building = snapshot.state().building;
  std::unique_lock lock(building.mutex);
  if (building.runs) {
    executor.block([&] { building.ended.wait(lock, stop, [&] { return !building.runs; }); });
    if (building.runs) return Error{Code::kCancelled, "indexing was cancelled"};
  }
  if (!is_missing()) return {};
  building.runs = true;
  lock.unlock();
  Status built = build();
  lock.lock();
  building.runs = false;
  building.ended.notify_all();
  return built;
}

Status build_words(const Snapshot& snapshot, std::uint32_t segment, Executor& executor,
                   const std::stop_token& stop) {
  Status built = build_alone(
      snapshot, executor, stop, [&] { return !snapshot.words(segment); },
      [&] { return build_index<WordIndex>(*snapshot.segments()[segment], executor, stop); });
  IndexBuilding& building = snapshot.state().building;
  const std::lock_guard lock(building.mutex);
  building.has_failed[segment] = !built && !stop.stop_requested();
  return built;
}

bool is_worth_building(const Snapshot& snapshot, std::uint32_t segment) {
  if (snapshot.segments()[segment]->packed_text().size() < Snapshot::kLeastBuilt) return false;
  IndexBuilding& building = snapshot.state().building;
  const std::lock_guard lock(building.mutex);
  return !building.has_failed[segment];
}

}  // namespace

std::shared_ptr<const WordIndex> Snapshot::built_words(std::uint32_t segment, Executor& executor,
                                                       const std::stop_token& stop) const {
  if (auto index = words(segment)) return index;
  if (!is_worth_building(*this, segment)) return nullptr;
  return build_words(*this, segment, executor, stop) ? words(segment) : nullptr;
}

// Words first: what searches do without them takes longest.
Status build_indexes(const Snapshot& snapshot, std::uint32_t segment, Executor& executor,
                     std::stop_token stop) {
  const Segment& of = *snapshot.segments()[segment];
  sweep_workspaces(of);
  Status status = build_words(snapshot, segment, executor, stop);
  if (!status || of.packed_text().size() < TrigramIndex::kMinimumText) return status;
  return build_alone(
      snapshot, executor, stop, [&] { return !snapshot.trigrams(segment); },
      [&] { return build_index<TrigramIndex>(of, executor, stop); });
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
  for (const auto& entry : entries_of(from)) {
    const fs::path name = entry.path().filename();
    std::error_code ignored;
    if (!name.native().starts_with('.')) fs::create_hard_link(entry.path(), to / name, ignored);
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
