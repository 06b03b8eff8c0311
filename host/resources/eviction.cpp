#include "resources/eviction.h"

#include "resources/disk_usage.h"

#include <algorithm>
#include <unordered_map>

namespace quarry::resources {
namespace {

/// A snapshot or cache entry that may be removed.
struct Candidate {
  bool last_state = false;  ///< of a source in use
  Clock::Wall used_at;
  std::uint64_t bytes = 0;       ///< not shared with others
  std::vector<DiskFile> shared;  ///< may be linked in other snapshots too
  std::function<Result<Removal>()> remove;
};

}  // namespace

/// All candidates, least recently used first and last states last, and their total size.
struct Eviction::Plan {
  Plan(Store& store, PluginCaches& caches, const std::set<std::string>& last_states);
  /// Bytes freed by removing the candidate.
  std::uint64_t release(const Candidate& candidate);

  std::vector<Candidate> candidates;
  std::unordered_map<ino_t, std::uint32_t> names;  // links per file
  std::uint64_t sum = 0;
};

Eviction::Plan::Plan(Store& store, PluginCaches& caches, const std::set<std::string>& last_states) {
  for (Store::Entry& entry : store.entries()) {
    for (const DiskFile& file : entry.files) {
      if (names[file.inode]++ == 0) sum += file.bytes;
    }
    candidates.push_back({last_states.contains(entry.name), entry.used_at, 0,
                          std::move(entry.files),
                          [&store, name = entry.name] { return store.remove(name); }});
  }
  for (const PluginCaches::Entry& entry : caches.entries()) {
    sum += entry.bytes;
    candidates.push_back({false, entry.used_at, entry.bytes, {}, [&caches, path = entry.path] {
                            return caches.remove(path);
                          }});
  }
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
    return std::pair(candidate.last_state, candidate.used_at);
  });
}

std::uint64_t Eviction::Plan::release(const Candidate& candidate) {
  std::uint64_t freed = candidate.bytes;
  for (const DiskFile& file : candidate.shared) {
    if (--names[file.inode] == 0) freed += file.bytes;
  }
  return freed;
}

template <class Enough>
std::uint64_t Eviction::run(bool with_last_states, Enough enough) {
  std::lock_guard lock(mutex_);
  Plan plan(store_, caches_, last_states());
  std::uint64_t freed = 0;
  for (const Candidate& candidate : plan.candidates) {
    if (candidate.last_state && !with_last_states) break;
    if (enough(plan.sum - freed, freed)) break;
    const auto removed = candidate.remove();
    if (!removed) problem_(removed.error().message);
    if (removed && *removed != Removal::kInUse) freed += plan.release(candidate);
  }
  if (freed > 0) evicted_();
  return freed;
}

void Eviction::shrink_to(std::uint64_t bytes) {
  run(true, [&](auto left, auto) { return left <= bytes; });
}

std::uint64_t Eviction::free(std::uint64_t bytes) {
  return run(false, [&](auto, auto freed) { return freed >= bytes; });
}

std::uint64_t Eviction::last_state_bytes(std::string_view own) const {
  std::uint64_t sum = 0;
  std::set<ino_t> counted;
  for (const std::string& name : last_states()) {
    if (!own.empty() && name.starts_with(own)) continue;
    for (const DiskFile& file : store_.files_of(name)) {
      if (counted.insert(file.inode).second) sum += file.bytes;
    }
  }
  return sum;
}

}  // namespace quarry::resources
