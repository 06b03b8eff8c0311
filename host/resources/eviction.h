#pragma once

#include "resources/plugin_caches.h"
#include "resources/store.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace quarry::resources {

/// Makes room: removes snapshots and entries of plugins' caches, the least recently used first, and
/// never one that is leased, in this or another process. Thread-safe.
class Eviction {
 public:
  /// What is referred to must outlive it. `problem` is told what could not be removed; `evicted` is
  /// called when something was. `last_states`: the names of the snapshots that are the last good
  /// states of sources in use; empty = there are none.
  Eviction(Store& store, PluginCaches& caches, std::function<void(std::string_view)> problem,
           std::function<void()> evicted,
           std::function<std::set<std::string>()> last_states = nullptr)
      : store_(store),
        caches_(caches),
        problem_(std::move(problem)),
        evicted_(std::move(evicted)),
        last_states_(std::move(last_states)) {}

  /// Until all take at most `bytes` on the disk. Last states go when nothing else is left.
  void shrink_to(std::uint64_t bytes);
  /// Until `bytes` are freed; answers how many were. No last state goes: what needs the bytes may
  /// fail yet.
  std::uint64_t free(std::uint64_t bytes);

  /// What the last states take on the disk, bytes; without those whose names begin with `own`.
  [[nodiscard]] std::uint64_t last_state_bytes(std::string_view own) const;

 private:
  struct Plan;
  /// Removes until `enough(what all take now, what was freed)`.
  template <class Enough>
  std::uint64_t run(bool with_last_states, Enough enough);
  [[nodiscard]] std::set<std::string> last_states() const {
    return last_states_ ? last_states_() : std::set<std::string>();
  }

  Store& store_;
  PluginCaches& caches_;
  const std::function<void(std::string_view)> problem_;
  const std::function<void()> evicted_;
  const std::function<std::set<std::string>()> last_states_;
  std::mutex mutex_;  // two at once would both remove what one has to
};

}  // namespace quarry::resources
