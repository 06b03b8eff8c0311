#include "resources/eviction.h"

#include "resources/disk_usage.h"

#include <algorithm>
#include <unordered_map>

namespace quarry::resources {
namespace {

/// Something that may go.
struct Candidate {
  Clock::Wall used_at;
  std::uint64_t bytes = 0;       ///< what nobody else shares
  std::vector<DiskFile> shared;  ///< may have names in other snapshots too
  std::function<Result<Removal>()> remove;
};

}  // namespace

/// Everything that may go, the least recently used first, and what all of it takes.
struct Eviction::Plan {
  Plan(Store& store, PluginCaches& caches);
  /// Removes until `enough(what all take now, what was freed)`.
  template <class Enough>
  std::uint64_t run(Enough enough, const std::function<void(std::string_view)>& problem);

 private:
  std::uint64_t let_go(const Candidate& candidate);

  std::vector<Candidate> candidates_;
  std::unordered_map<ino_t, std::uint32_t> names_;  // of a file, in the snapshots that are left
  std::uint64_t sum_ = 0;
};

Eviction::Plan::Plan(Store& store, PluginCaches& caches) {
  for (Store::Entry& entry : store.entries()) {
    for (const DiskFile& file : entry.files) {
      if (names_[file.inode]++ == 0) sum_ += file.bytes;
    }
    candidates_.push_back({entry.used_at, 0, std::move(entry.files),
                           [&store, name = entry.name] { return store.remove(name); }});
  }
  for (const PluginCaches::Entry& entry : caches.entries()) {
    sum_ += entry.bytes;
    candidates_.push_back({entry.used_at, entry.bytes, {}, [&caches, path = entry.path] {
                             return caches.remove(path);
                           }});
  }
  std::ranges::sort(candidates_, {}, &Candidate::used_at);
}

std::uint64_t Eviction::Plan::let_go(const Candidate& candidate) {
  std::uint64_t freed = candidate.bytes;
  for (const DiskFile& file : candidate.shared) {
    if (--names_[file.inode] == 0) freed += file.bytes;
  }
  return freed;
}

template <class Enough>
std::uint64_t Eviction::Plan::run(Enough enough,
                                  const std::function<void(std::string_view)>& problem) {
  std::uint64_t freed = 0;
  for (const Candidate& candidate : candidates_) {
    if (enough(sum_ - freed, freed)) break;
    const auto removed = candidate.remove();
    if (!removed) problem(removed.error().message);
    if (removed && *removed != Removal::kInUse) freed += let_go(candidate);
  }
  return freed;
}

void Eviction::shrink_to(std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  Plan(store_, caches_).run([&](auto left, auto) { return left <= bytes; }, problem_);
}

std::uint64_t Eviction::free(std::uint64_t bytes) {
  std::lock_guard lock(mutex_);
  return Plan(store_, caches_).run([&](auto, auto freed) { return freed >= bytes; }, problem_);
}

}  // namespace quarry::resources
